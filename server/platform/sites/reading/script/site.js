// Enhances pages: everything also works without this script, except what it makes visible.

const root = document.documentElement;
/** Maximum height of the frame of a block in pixels. */
const MAX_FRAME_HEIGHT = 10_000;

/** Switches the theme, and remembers it for this site. */
function enableTheme() {
  const button = document.querySelector('.theme-button');
  if (!(button instanceof HTMLButtonElement)) {
    return;
  }
  const prefersDark = matchMedia('(prefers-color-scheme: dark)');
  button.hidden = false;
  button.addEventListener('click', () => {
    const current = root.dataset.theme ?? (prefersDark.matches ? 'dark' : 'light');
    const theme = current === 'dark' ? 'light' : 'dark';
    root.dataset.theme = theme;
    try {
      localStorage.setItem('theme', theme);
    } catch {
      // The theme applies to this page only.
    }
  });
}

/** Copies code. */
function enableCopying() {
  const { copied = '' } = document.body.dataset;
  for (const button of document.querySelectorAll('.code-copy')) {
    if (!(button instanceof HTMLButtonElement) || !navigator.clipboard) {
      continue;
    }
    const label = button.textContent;
    button.hidden = false;
    button.addEventListener('click', async () => {
      const code = button.closest('figure, .prompt')?.querySelector('pre code, .prompt-body, pre');
      await navigator.clipboard.writeText(code?.textContent ?? '');
      button.textContent = copied;
      setTimeout(() => {
        button.textContent = label;
      }, 2000);
    });
  }
}

/** Keeps the scroll position of the page tree from page to page, with the current page visible. */
function keepPlaceInTree() {
  const sidebar = document.querySelector('.sidebar');
  if (!(sidebar instanceof HTMLElement)) {
    return;
  }
  const key = 'tree';
  try {
    const [path, top] = JSON.parse(sessionStorage.getItem(key) ?? '[]');
    if (path === document.body.dataset.search) {
      sidebar.scrollTop = Number(top);
    }
    addEventListener('pagehide', () => {
      sessionStorage.setItem(key, JSON.stringify([document.body.dataset.search, sidebar.scrollTop]));
    });
  } catch {
    // Storage is not available.
  }
  const current = sidebar.querySelector('[aria-current="page"]');
  if (!(current instanceof HTMLElement)) {
    return;
  }
  const [box, frame] = [current.getBoundingClientRect(), sidebar.getBoundingClientRect()];
  if (box.top < frame.top || box.bottom > frame.bottom) {
    sidebar.scrollTop += box.top - frame.top - frame.height / 3;
  }
}

/** Scrolls the sections so that the current one is visible. */
function showCurrentSection() {
  const tabs = document.querySelector('.section-tabs > ul');
  const current = tabs?.querySelector('.section-tab:is([aria-current], .current)');
  if (tabs && current) {
    const [box, frame] = [current.getBoundingClientRect(), tabs.getBoundingClientRect()];
    if (box.left < frame.left || box.right > frame.right) {
      tabs.scrollLeft += (box.left + box.right - frame.left - frame.right) / 2;
    }
  }
}

/** Marks the section that is read in the outline. */
function followOutline() {
  const links = [...document.querySelectorAll('.outline a')];
  const targets = links.map((link) =>
    document.getElementById(decodeURIComponent(link.getAttribute('href')?.slice(1) ?? '')),
  );
  if (links.length === 0) {
    return;
  }
  let isPlanned = false;
  const update = () => {
    isPlanned = false;
    const top = (
      document.querySelector('.tab-bar') ?? document.querySelector('.site-header')
    )?.getBoundingClientRect().bottom;
    const limit = (top ?? 0) + 48;
    const isAtEnd = innerHeight + scrollY >= root.scrollHeight - 4 && scrollY > 0;
    let at = isAtEnd
      ? targets.length - 1
      : targets.findLastIndex((target) => target && target.getBoundingClientRect().top <= limit);
    at = Math.max(0, at);
    for (const [index, link] of links.entries()) {
      link.toggleAttribute('aria-current', index === at);
    }
  };
  addEventListener(
    'scroll',
    () => {
      if (!isPlanned) {
        isPlanned = true;
        requestAnimationFrame(update);
      }
    },
    { passive: true },
  );
  update();
}

/** Closes menus when the reader clicks elsewhere or presses Escape. */
function closeMenus() {
  const menus = [...document.querySelectorAll('details.menu')];
  /** @param {Element | null} except */
  const close = (except) => {
    for (const menu of menus) {
      if (menu instanceof HTMLDetailsElement && menu !== except) {
        menu.open = false;
      }
    }
  };
  addEventListener('click', (event) => {
    close(event.target instanceof Element ? event.target.closest('details.menu') : null);
  });
  addEventListener('keydown', (event) => {
    if (event.key === 'Escape') {
      const open = menus.find((menu) => menu.hasAttribute('open') && menu.contains(document.activeElement));
      close(null);
      open?.querySelector('summary')?.focus();
    }
  });
}

/** Gives each frame of an integration the height of its content, which the script of the frame reports. */
function fitFrames() {
  const frames = document.querySelectorAll('iframe.integration-block');
  if (frames.length === 0) {
    return;
  }
  addEventListener('message', ({ origin, source, data }) => {
    if (origin !== location.origin || data?.type !== 'colophon-block' || !Number.isFinite(data.height)) {
      return;
    }
    for (const frame of frames) {
      if (frame instanceof HTMLIFrameElement && frame.contentWindow === source) {
        frame.height = String(Math.min(MAX_FRAME_HEIGHT, Math.max(0, Math.ceil(data.height))));
      }
    }
  });
  // Frames that were loaded before this script report their height again.
  for (const frame of frames) {
    if (frame instanceof HTMLIFrameElement) {
      frame.contentWindow?.postMessage({ type: 'colophon-page' }, location.origin);
    }
  }
}

/** Sends the opinion of the reader without leaving the page. If that fails, the form is sent as without scripts. */
function sendFeedback() {
  const form = document.querySelector('form.feedback');
  if (!(form instanceof HTMLFormElement)) {
    return;
  }
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    const fields = new URLSearchParams();
    for (const [name, value] of new FormData(form)) {
      fields.append(name, String(value));
    }
    try {
      const { ok } = await fetch(form.action, { method: 'POST', body: fields });
      if (ok) {
        const thanks = document.createElement('p');
        thanks.className = 'feedback';
        thanks.setAttribute('role', 'status');
        thanks.tabIndex = -1;
        thanks.textContent = form.dataset.thanks ?? '';
        form.replaceWith(thanks);
        thanks.focus();
        return;
      }
    } catch {
      // The connection failed.
    }
    form.submit();
  });
}

/** Returns a name without what hosts of documentation write differently in anchors. */
function keyOf(name = '') {
  const lower = name.normalize('NFC').toLowerCase();
  return lower.replace(/[^\p{L}\p{M}\p{N}]/gu, '');
}

function fragment() {
  try {
    return decodeURIComponent(location.hash.slice(1));
  } catch {
    return location.hash.slice(1);
  }
}

/** Shows what the fragment of the address leads to: in other forms, and within expandable blocks and tabs, too. */
function showTarget() {
  const name = fragment();
  if (name === '') {
    return;
  }
  const same = document.getElementById(name);
  const key = keyOf(name.replace(/^user-content-/, ''));
  const target =
    same ?? [...document.querySelectorAll('article [id]')].find(({ id }) => key !== '' && keyOf(id) === key);
  let isMoved = target !== same;
  for (let at = target ?? null; at; at = at.parentElement) {
    if (at instanceof HTMLDetailsElement && !at.open) {
      at.open = true;
      isMoved = true;
    }
    const tab = at.matches('.tab-panel') && at.previousElementSibling?.querySelector('input');
    if (tab && !tab.checked) {
      tab.checked = true;
      isMoved = true;
    }
  }
  if (isMoved) {
    target?.scrollIntoView();
  }
}

enableTheme();
showTarget();
addEventListener('hashchange', showTarget);
sendFeedback();
enableCopying();
keepPlaceInTree();
showCurrentSection();
followOutline();
fitFrames();
closeMenus();
