// Scripts of integrations do not see the credentials that pages of this origin store in the tab.
if (document.currentScript?.hasAttribute('data-shared')) {
  try {
    for (const key of Object.keys(sessionStorage)) {
      if (key.startsWith('colophon-docs:credential:')) {
        sessionStorage.removeItem(key);
      }
    }
  } catch {
    // Storage is not available.
  }
}

// Applies the theme that the reader chose before the page is shown.
try {
  const { classList, dataset } = document.documentElement;
  const theme = classList.contains('fixed-theme') ? null : localStorage.getItem('theme');
  if (theme === 'light' || theme === 'dark') {
    dataset.theme = theme;
  }
} catch {
  // Storage is not available: the theme of the site or the system applies.
}
