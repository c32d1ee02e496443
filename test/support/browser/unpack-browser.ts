import chromium from '@sparticuz/chromium';
import { findBrowser } from './find-browser.ts';

/**
 * Vitest's global setup of all projects: unpacks the packaged browser before the first test. The package unpacks it without a
 * lock, so that workers would launch the incomplete program of another one.
 */
export default async function setup(): Promise<void> {
  const browser = findBrowser();
  if (browser !== undefined && 'packaged' in browser) {
    await chromium.executablePath();
  }
}
