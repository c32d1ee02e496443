// Runs before the page is shown, so that it does not flash in the other color scheme.
const THEME_KEY = 'colophon-docs:theme';
const root = document.documentElement;

/** @returns {boolean} */
function isDark() {
  return root.dataset.theme === undefined
    ? matchMedia('(prefers-color-scheme: dark)').matches
    : root.dataset.theme === 'dark';
}

const chosen = localStorage.getItem(THEME_KEY);
if (chosen !== null) {
  root.dataset.theme = chosen;
}

document.addEventListener('DOMContentLoaded', () => {
  const button = document.querySelector('button.theme');
  if (!(button instanceof HTMLButtonElement)) {
    return;
  }
  const update = () => button.setAttribute('aria-pressed', String(isDark()));
  button.hidden = false;
  button.addEventListener('click', () => {
    root.dataset.theme = isDark() ? 'light' : 'dark';
    localStorage.setItem(THEME_KEY, root.dataset.theme);
    update();
  });
  update();
});
