// Filters the navigation by words of summaries and operation ids. Words with a slash are searched in paths.
const navigation = /** @type {HTMLElement} */ (document.getElementById('navigation'));
const input = /** @type {HTMLInputElement} */ (document.getElementById('search'));
const status = /** @type {HTMLElement} */ (document.getElementById('search-hint'));
const hint = status.innerHTML;
const SCROLL_KEY = 'colophon-docs:scroll';

const links = [...navigation.querySelectorAll('a')];
const entries = links.map((link) => {
  const title = link.querySelector('.title')?.textContent ?? '';
  const id = link.querySelector('.id')?.textContent ?? '';
  return {
    link,
    item: /** @type {HTMLElement} */ (link.parentElement),
    names: [id.toLowerCase(), title.toLowerCase()],
    path: (link.dataset.path ?? '').toLowerCase(),
  };
});
const groups = [...navigation.querySelectorAll('.groups > li')].filter((item) => item instanceof HTMLElement);

const visibleLinks = () => links.filter((link) => link.checkVisibility());

function filter() {
  const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
  for (const { item, names, path } of entries) {
    item.hidden = !words.every((word) =>
      word.includes('/') ? path.includes(word) : names.some((name) => name.includes(word)),
    );
  }
  for (const group of groups) {
    group.hidden = group.querySelector('li:not([hidden])') === null;
  }
  navigation.classList.toggle('searching', words.length > 0);
  const count = entries.filter(({ item }) => !item.hidden).length;
  if (words.length === 0) {
    status.innerHTML = hint;
  } else {
    status.textContent =
      count === 0 ? 'No operations found.' : `${count} operation${count === 1 ? '' : 's'} found.`;
  }
}

/** Returns the best result: the one with this name, else one whose name starts with it, else the first one. */
function bestResult() {
  const text = input.value.trim().toLowerCase();
  const visible = entries.filter(({ item }) => !item.hidden);
  const best =
    visible.find(({ names }) => names.includes(text)) ??
    visible.find(({ names }) => names.some((name) => name.startsWith(text))) ??
    visible[0];
  return best?.link;
}

/**
 * Moves the focus among the search field and the visible links.
 * @param {number} step
 */
function move(step) {
  const stops = [input, ...visibleLinks()];
  const { activeElement } = document;
  const current = stops.findIndex((stop) => stop.isSameNode(activeElement));
  stops[Math.min(stops.length - 1, Math.max(0, current + step))]?.focus();
}

/** @param {KeyboardEvent} event */
function isTyping({ target }) {
  return target instanceof HTMLElement && target.matches('input, textarea, select');
}

input.closest('search')?.removeAttribute('hidden');
input.addEventListener('input', filter);
navigation.addEventListener('keydown', (event) => {
  if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
    event.preventDefault();
    move(event.key === 'ArrowDown' ? 1 : -1);
  } else if (event.key === 'Enter' && event.target === input && input.value !== '') {
    bestResult()?.click();
  } else if (event.key === 'Escape' && event.target === input && input.value !== '') {
    event.preventDefault();
    input.value = '';
    filter();
  }
});
document.addEventListener('keydown', (event) => {
  if (event.key === '/' && !isTyping(event) && !event.ctrlKey && !event.metaKey && !event.altKey) {
    event.preventDefault();
    if (!input.checkVisibility()) {
      navigation.showPopover();
    }
    input.focus();
    input.select();
  }
});
navigation.addEventListener('toggle', (event) => {
  if (event instanceof ToggleEvent && event.newState === 'open') {
    input.focus();
  }
});

// The position of the navigation survives the way to another page.
navigation.scrollTop = Number(sessionStorage.getItem(SCROLL_KEY));
addEventListener('pagehide', () => sessionStorage.setItem(SCROLL_KEY, String(navigation.scrollTop)));
const active = navigation.querySelector('[aria-current]');
if (active !== null) {
  const [{ top, bottom }, frame] = [active.getBoundingClientRect(), navigation.getBoundingClientRect()];
  if (top < frame.top || bottom > frame.bottom) {
    // Not `scrollIntoView`, from which the Tab key would continue: it must start with the link to the content.
    navigation.scrollTop += (top + bottom - frame.top - frame.bottom) / 2;
  }
}
