/**
 * Globals of the pages that tests open. A file of its own, because an incremental type check repeats everything after a
 * change of what a file with global declarations imports.
 */
interface Window {
  /** What scripts of integrations rely on. */
  GitBook: {
    isGlobalPrivacyControlEnabled(): boolean;
    registerCookieBanner(handler: (options: { onApprove: () => void; onReject: () => void }) => void): void;
  };
  /** What a test of scripts sets. */
  approveCookies(): void;
}
