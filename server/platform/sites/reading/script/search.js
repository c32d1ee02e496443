// Searches as one types. Without this script, the form leads to the page of results.

/** @typedef {{ text: string, isMatch: boolean }} Part */
/** @typedef {{ title: string, href: string, excerpt: Part[] }} Section */
/** @typedef {{ title: string, href: string, trail: string[], sections: Section[] }} Result */

const MIN_DELAY_MS = 120;

const form = document.querySelector('.site-header .search');
const input = form?.querySelector('input[type="search"]');
const panel = form?.querySelector('.search-panel');
const status = form?.querySelector('[role="status"]');

if (
  form instanceof HTMLFormElement &&
  input instanceof HTMLInputElement &&
  panel instanceof HTMLElement &&
  status instanceof HTMLElement
) {
  enable(form, input, panel, status);
}

/**
 * @param {HTMLFormElement} form
 * @param {HTMLInputElement} input
 * @param {HTMLElement} panel
 * @param {HTMLElement} status
 */
function enable(form, input, panel, status) {
  const { search: endpoint = '' } = document.body.dataset;
  let selected = -1;
  let latest = '';
  /** @type {AbortController | undefined} */
  let running;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;

  const options = () => [...panel.querySelectorAll('a')];
  const isOpen = () => !panel.hidden;

  input.setAttribute('role', 'combobox');
  input.setAttribute('aria-autocomplete', 'list');
  input.setAttribute('aria-controls', panel.id);
  input.setAttribute('aria-expanded', 'false');
  panel.setAttribute('role', 'listbox');
  panel.setAttribute('aria-label', input.placeholder);
  form.querySelector('.search-key')?.removeAttribute('hidden');

  const close = () => {
    panel.hidden = true;
    selected = -1;
    input.setAttribute('aria-expanded', 'false');
    input.removeAttribute('aria-activedescendant');
  };

  /** @param {number} at */
  const select = (at) => {
    const all = options();
    selected = all.length === 0 ? -1 : (at + all.length) % all.length;
    for (const [index, option] of all.entries()) {
      option.setAttribute('aria-selected', String(index === selected));
    }
    const option = all[selected];
    if (option) {
      input.setAttribute('aria-activedescendant', option.id);
      option.scrollIntoView({ block: 'nearest' });
    }
  };

  /** @type {(text: string | undefined, query: string, count: number) => string} */
  const fill = (text, query, count) =>
    (text ?? '').replace('{query}', query).replace('{count}', String(count));

  /** @type {(query: string, text: string) => HTMLAnchorElement} */
  const allResults = (query, text) => {
    const url = new URL(form.action);
    const fields = Object.fromEntries([...new FormData(form)].map(([name, value]) => [name, String(value)]));
    url.search = String(new URLSearchParams({ ...fields, q: query }));
    const link = option(url.href, text, [], '');
    link.classList.add('all-results');
    return link;
  };

  /** @type {(query: string, found: { count: number, results: Result[] }) => void} */
  const show = (query, { count, results }) => {
    const { results: found, none } = status.dataset;
    const message = fill(count === 0 ? none : found, query, count);
    panel.replaceChildren(...results.flatMap(resultElements));
    if (count > results.length) {
      panel.append(allResults(query, message));
    }
    for (const [index, option] of options().entries()) {
      option.id = `site:search-option-${index}`;
      option.setAttribute('role', 'option');
      option.setAttribute('aria-selected', 'false');
      option.tabIndex = -1;
    }
    status.textContent = message;
    if (count === 0) {
      const text = document.createElement('p');
      text.textContent = message;
      panel.replaceChildren(text);
      panel.setAttribute('role', 'presentation');
    } else {
      panel.setAttribute('role', 'listbox');
    }
    panel.hidden = false;
    input.setAttribute('aria-expanded', String(count > 0));
    select(0);
  };

  const search = async () => {
    const query = input.value.trim();
    if (query === latest && isOpen()) {
      return;
    }
    latest = query;
    running?.abort();
    if (query === '') {
      close();
      return;
    }
    running = new AbortController();
    try {
      const response = await fetch(`${endpoint}&q=${encodeURIComponent(query)}`, { signal: running.signal });
      if (response.ok) {
        show(query, await response.json());
      }
    } catch {
      // A newer search replaced this one, or the network failed: the form still works.
    }
  };

  input.addEventListener('input', () => {
    clearTimeout(timer);
    timer = setTimeout(search, MIN_DELAY_MS);
  });
  input.addEventListener('focus', () => {
    if (input.value.trim() !== '' && document.body.className !== 'search-page') {
      void search();
    }
  });
  input.addEventListener('keydown', (event) => {
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault();
      if (isOpen()) {
        select(selected + (event.key === 'ArrowDown' ? 1 : -1));
      } else {
        void search();
      }
    } else if (event.key === 'Enter') {
      const option = isOpen() && latest === input.value.trim() ? options()[selected] : undefined;
      if (option) {
        event.preventDefault();
        option.click();
        close();
      }
    } else if (event.key === 'Escape' && isOpen()) {
      event.preventDefault();
      close();
    }
  });
  addEventListener('click', (event) => {
    if (event.target instanceof Node && !form.contains(event.target)) {
      close();
    }
  });
  form.addEventListener('focusout', (event) => {
    if (event.relatedTarget instanceof Node && !form.contains(event.relatedTarget)) {
      close();
    }
  });
  addEventListener('keydown', (event) => {
    const isShortcut = event.key === '/' || (event.key === 'k' && (event.metaKey || event.ctrlKey));
    const isTyping =
      event.target instanceof Element && event.target.closest('input, textarea, select, [contenteditable]');
    if (isShortcut && !isTyping && !event.altKey) {
      event.preventDefault();
      input.focus();
      input.select();
    }
  });
}

/**
 * Creates the elements of a page that was found, and of its sections.
 *
 * @param {Result} result
 */
function resultElements({ title, href, trail, sections }) {
  const [start] = sections;
  const page = option(href, title, start && start.title === '' ? start.excerpt : [], trail.join(' › '));
  const nested = sections.filter((section) => section.title !== '').slice(0, 3);
  return [
    page,
    ...nested.map((section) => {
      const element = option(section.href, section.title, section.excerpt, '');
      element.classList.add('section-result');
      return element;
    }),
  ];
}

/**
 * @param {string} href
 * @param {string} title
 * @param {Part[]} excerpt
 * @param {string} trail
 */
function option(href, title, excerpt, trail) {
  const link = document.createElement('a');
  link.href = href;
  if (trail !== '') {
    link.append(withClass('span', 'trail', trail));
  }
  link.append(withClass('strong', '', title));
  if (excerpt.length > 0) {
    const text = withClass('span', 'excerpt', '');
    text.append(...excerpt.map((part) => (part.isMatch ? withClass('mark', '', part.text) : part.text)));
    link.append(text);
  }
  return link;
}

/**
 * @param {string} name
 * @param {string} className
 * @param {string} text
 */
function withClass(name, className, text) {
  const element = document.createElement(name);
  if (className !== '') {
    element.className = className;
  }
  element.textContent = text;
  return element;
}
