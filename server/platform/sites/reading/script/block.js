// Enhances the block of an integration in its frame: it also works without this script.

/** Reports the height of the block to the page. */
function reportHeight() {
  const { height } = document.body.getBoundingClientRect();
  parent.postMessage({ type: 'colophon-block', height }, location.origin);
}
new ResizeObserver(reportHeight).observe(document.body);
addEventListener('message', ({ origin, data }) => {
  if (origin === location.origin && data?.type === 'colophon-page') {
    reportHeight();
  }
});

// The theme that the reader chooses on the page.
addEventListener('storage', ({ key, newValue }) => {
  const { classList, dataset } = document.documentElement;
  if (key === 'theme' && newValue !== null && !classList.contains('fixed-theme')) {
    dataset.theme = newValue;
  }
});

// Changes trigger their actions without a button.
for (const button of document.querySelectorAll('button.block-apply')) {
  const input = button.previousElementSibling;
  if (button instanceof HTMLButtonElement && input) {
    button.hidden = true;
    input.addEventListener('change', () => button.click());
  }
}

/**
 * Returns the height that an embedded page requests, directly or by its aspect ratio.
 *
 * @param {{ height?: number, aspectRatio?: number, maxHeight?: number } | undefined} size
 * @param {HTMLIFrameElement} frame
 */
function heightOf(size, frame) {
  const { height, aspectRatio = Number.NaN, maxHeight = MAX_FRAME_HEIGHT } = size ?? {};
  return Math.min(height ?? frame.clientWidth / aspectRatio, maxHeight, MAX_FRAME_HEIGHT);
}

const MAX_FRAME_HEIGHT = 10_000;

/**
 * Returns the action in a message of an embedded page. A text is a message of the protocol of oEmbed providers, which only
 * requests a height.
 *
 * @param {unknown} data
 * @returns {{ action?: unknown, size?: { height?: number, aspectRatio?: number, maxHeight?: number } }}
 */
function actionIn(data) {
  if (typeof data !== 'string') {
    return Object(Object(data).action);
  }
  try {
    const { context, height } = Object(JSON.parse(data));
    return context === 'iframe.resize' ? { action: '@webframe.resize', size: { height } } : {};
  } catch {
    return {};
  }
}

/**
 * Sends an action of an embedded page to the component, which is drawn again.
 *
 * @param {unknown} action
 */
function submitAction(action) {
  const form = document.querySelector('form');
  const input = document.createElement('input');
  input.type = 'hidden';
  input.name = 'frame-action';
  input.value = JSON.stringify(action);
  form?.append(input);
  form?.requestSubmit();
}

/** Gives embedded pages their proportions, then the height that they request, and the values bound to them. */
function serveFrames() {
  const frames = document.querySelectorAll('iframe');
  for (const frame of frames) {
    frame.style.aspectRatio = `${frame.width} / ${frame.height}`;
    frame.style.height = 'auto';
  }
  addEventListener('message', ({ source, data }) => {
    const { action, size } = actionIn(data);
    const frame = [...frames].find(({ contentWindow }) => contentWindow === source);
    if (frame && typeof action === 'string' && !action.startsWith('@')) {
      submitAction(data.action);
    }
    if (frame && action === '@webframe.ready') {
      // The page has an opaque origin, which no other address names.
      frame.contentWindow?.postMessage({ state: JSON.parse(frame.dataset.state ?? '{}') }, '*');
    }
    if (frame && action === '@webframe.resize') {
      const height = heightOf(size, frame);
      if (Number.isFinite(height) && height >= 0) {
        frame.style.height = `${Math.ceil(height)}px`;
      }
    }
  });
}
serveFrames();
