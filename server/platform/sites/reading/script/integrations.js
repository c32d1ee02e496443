// What scripts of integrations rely on, under the name that they use: events of the page, and the consent of the visitor
// to cookies. It runs before them. Without it, the banner is not shown, and no cookie is set.
(() => {
  /** Name of the cookie with the decision of the visitor, which these scripts read. */
  const Cookie = '__gitbook_cookie_granted';
  /** Time for which the decision is remembered, in seconds. */
  const Lifetime = 365 * 24 * 60 * 60;
  const cookiePath = document.currentScript?.dataset.cookiePath ?? '/';

  /** @returns {string | undefined} */
  const decision = () => {
    try {
      const pairs = document.cookie.split(';').map((pair) => pair.trim());
      return pairs.find((pair) => pair.startsWith(`${Cookie}=`))?.slice(Cookie.length + 1);
    } catch {
      // Cookies are blocked.
      return undefined;
    }
  };

  /** @param {boolean} isGranted */
  const decide = (isGranted) => {
    // Embedded pages receive only cookies of this kind, which browsers accept in secure pages.
    const scope = location.protocol === 'https:' ? 'SameSite=None; Secure' : 'SameSite=Lax';
    try {
      // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API does not exist in all browsers.
      document.cookie = `${Cookie}=${isGranted ? 'yes' : 'no'}; Path=${cookiePath}; Max-Age=${Lifetime}; ${scope}`;
    } catch {
      // The decision applies to nothing, as no script can set cookies.
    }
  };

  // Scripts read the decision when they run.
  const approve = () => {
    decide(true);
    location.reload();
  };
  const reject = () => {
    decide(false);
    location.reload();
  };

  const isCookiesTrackingDisabled = () => {
    const value = decision();
    if (value === 'yes') {
      return false;
    }
    return value === 'no' ? true : undefined;
  };
  const isGlobalPrivacyControlEnabled = () =>
    'globalPrivacyControl' in navigator && Boolean(navigator.globalPrivacyControl);

  // Who objects to tracking on all sites is not asked on this one.
  if (isGlobalPrivacyControlEnabled() && decision() !== 'no') {
    decide(false);
  }

  /** @type {Map<unknown, Set<(...values: unknown[]) => void>>} */
  const listeners = new Map([
    ['load', new Set()],
    ['unload', new Set()],
  ]);
  let isLoaded = false;

  /** @param {(...values: unknown[]) => void} listener */
  const call = (listener) => {
    try {
      listener();
    } catch (error) {
      // One script does not prevent the others from running.
      reportError(error);
    }
  };

  /** @param {string} type */
  const dispatch = (type) => {
    for (const listener of [...(listeners.get(type) ?? [])]) {
      call(listener);
    }
  };

  const banner = () => document.getElementById('site:cookie-banner');
  let hasOwnBanner = false;

  const hideBanner = () => {
    const element = banner();
    if (element) {
      element.hidden = true;
    }
  };

  const showBanner = () => {
    const element = banner();
    if (!element || hasOwnBanner || decision() !== undefined) {
      return;
    }
    element.hidden = false;
    element.querySelector('.cookie-accept')?.addEventListener('click', approve);
    element.querySelector('.cookie-reject')?.addEventListener('click', reject);
    element.querySelector('.cookie-close')?.addEventListener('click', hideBanner);
    element.addEventListener('keydown', ({ key }) => {
      if (key === 'Escape') {
        hideBanner();
      }
    });
  };

  const api = {
    /**
     * @param {string} type
     * @param {(...values: unknown[]) => void} listener
     */
    addEventListener(type, listener) {
      listeners.get(type)?.add(listener);
      // Scripts are asynchronous: some run later than the page is loaded.
      if (type === 'load' && isLoaded) {
        queueMicrotask(() => call(listener));
      }
    },
    /**
     * @param {string} type
     * @param {(...values: unknown[]) => void} listener
     */
    removeEventListener(type, listener) {
      listeners.get(type)?.delete(listener);
    },
    // Sites have no assistant of their own, so that nothing shows tools and assistants.
    registerTool() {},
    registerAssistant: () => () => {},
    /** @param {(options: { onApprove: () => void, onReject: () => void }) => void} handler */
    registerCookieBanner(handler) {
      hasOwnBanner = true;
      hideBanner();
      handler({ onApprove: approve, onReject: reject });
    },
    isCookiesTrackingDisabled,
    isGlobalPrivacyControlEnabled,
  };
  Object.defineProperty(window, 'GitBook', { value: api, configurable: true, writable: true });

  // Scripts may register a banner of their own when the page is loaded, and then this one is not shown.
  addEventListener('load', () => {
    setTimeout(() => {
      isLoaded = true;
      dispatch('load');
      showBanner();
    });
  });
  addEventListener('pagehide', ({ persisted }) => {
    if (!persisted) {
      dispatch('unload');
    }
  });
})();
