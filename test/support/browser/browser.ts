import chromium from '@sparticuz/chromium';
import { type Browser, type BrowserContextOptions, chromium as driver, type Page } from 'playwright-core';
import { expect } from 'vitest';
import { findBrowser } from './find-browser.ts';

/** Sizes of windows. */
export const DESKTOP = { width: 1280, height: 900 };
export const PHONE = { width: 390, height: 844 };

/** A page under test and what it requested and reported. */
export interface Visit {
  page: Page;
  /** URL of every request of the page. */
  requests: string[];
  /** Warnings and errors of the console, and uncaught exceptions. */
  problems: string[];
}

/**
 * Launches a headless Chromium: the packaged one, which `unpack-browser.ts` unpacks into the system's temporary folder,
 * or an installed one.
 *
 * @throws Error if there is none
 */
export async function launchBrowser(): Promise<Browser> {
  const browser = findBrowser();
  if (browser === undefined) {
    throw new Error(
      'The tests in a browser must run here (CI or COLOPHON_REQUIRE_BROWSER is set), and there is none. ' +
        'Install Chrome or Chromium, or name one in COLOPHON_BROWSER.',
    );
  }
  chromium.setGraphicsMode = false;
  return await driver.launch({
    executablePath: 'path' in browser ? browser.path : await chromium.executablePath(),
    // Its sandbox does not run as root; the pages are our own.
    args: ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu'],
  });
}

/** Opens a URL in a new page and records its requests and problems from the first byte. */
export async function visit(browser: Browser, url: string): Promise<Visit> {
  const page = await browser.newPage({ viewport: DESKTOP });
  const [requests, problems]: [string[], string[]] = [[], []];
  page.on('request', (request) => requests.push(request.url()));
  page.on('pageerror', (error) => problems.push(String(error)));
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) {
      problems.push(message.text());
    }
  });
  await page.goto(url);
  return { page, requests, problems };
}

/**
 * Opens an address of a site in a new context, which is closed after the work. Problems of the page, such as violations
 * of its policy, fail the test; pages with the status 401 or 404 are none.
 */
export async function withPage(
  browser: Browser,
  address: string,
  options: BrowserContextOptions,
  work: (page: Page) => Promise<void>,
): Promise<void> {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(String(error)));
  page.on('console', (message) => {
    const isStatus = /the server responded with a status of 40[14]/.test(message.text());
    if (['error', 'warning'].includes(message.type()) && !isStatus) {
      problems.push(message.text());
    }
  });
  await page.goto(address);
  await work(page);
  expect(problems).toEqual([]);
  await context.close();
}

/** Expects that a page requested nothing from other servers and that nothing failed in it. */
export function expectNoProblems({ requests, problems, page }: Visit): void {
  const { origin } = new URL(page.url());
  expect(requests.filter((url) => !url.startsWith(`${origin}/`) && !url.startsWith('data:'))).toEqual([]);
  expect(problems).toEqual([]);
}
