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

/** Posts the values that a component binds to an embedded page, when the page requests them. */
function serveFrames() {
  const frames = document.querySelectorAll('iframe[data-state]');
  addEventListener('message', ({ source, data }) => {
    for (const frame of frames) {
      if (frame instanceof HTMLIFrameElement && frame.contentWindow === source) {
        if (data?.action?.action === '@webframe.ready') {
          // The page has an opaque origin, which no other address names.
          frame.contentWindow?.postMessage({ state: JSON.parse(frame.dataset.state ?? '{}') }, '*');
        }
        const { height } = data?.action?.size ?? {};
        if (data?.action?.action === '@webframe.resize' && Number.isFinite(height)) {
          frame.height = String(Math.min(10_000, Math.max(0, Math.ceil(height))));
        }
      }
    }
  });
}
serveFrames();
