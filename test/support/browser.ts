import chromium from '@sparticuz/chromium';
import { type Browser, chromium as driver, type Page } from 'playwright-core';
import { findBrowser } from './find-browser.ts';

/** A page under test, and what came of it. */
export interface Visit {
  page: Page;
  /** The address of every request that the page made. */
  requests: string[];
  /** What it wrote to the console as a warning or an error, and what it threw. */
  complaints: string[];
}

/**
 * A headless Chromium: the one out of an npm package, which is unpacked once into the system's temporary folder, or
 * an installed one.
 *
 * @throws Error where there is none
 */
export async function launchBrowser(): Promise<Browser> {
  const found = findBrowser();
  if (found === undefined) {
    throw new Error(
      'The tests in a browser must run here (CI or COLOPHON_REQUIRE_BROWSER is set), and there is none. ' +
        'Install Chrome or Chromium, or name one in COLOPHON_BROWSER.',
    );
  }
  chromium.setGraphicsMode = false;
  return await driver.launch({
    executablePath: 'path' in found ? found.path : await chromium.executablePath(),
    // Its sandbox does not run as root; the pages are our own.
    args: ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu'],
  });
}

/** Opens an address in a page of its own, and watches it from the first byte. */
export async function visit(browser: Browser, url: string): Promise<Visit> {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
  const [requests, complaints]: [string[], string[]] = [[], []];
  page.on('request', (request) => requests.push(request.url()));
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) {
      complaints.push(message.text());
    }
  });
  await page.goto(url);
  return { page, requests, complaints };
}
