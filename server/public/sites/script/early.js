// Applies the theme that the reader chose before the page is shown.
try {
  const theme = localStorage.getItem('theme');
  if (theme === 'light' || theme === 'dark') {
    document.documentElement.dataset.theme = theme;
  }
} catch {
  // Storage is not available: the theme of the site or the system applies.
}
