import chromium from '@sparticuz/chromium';
import { type Browser, chromium as driver, type Page } from 'playwright-core';

/** A page under test, and what came of it. */
export interface Visit {
  page: Page;
  /** The address of every request that the page made. */
  requests: string[];
  /** What it wrote to the console as a warning or an error, and what it threw. */
  complaints: string[];
}

/** A headless Chromium out of an npm package: unpacked once into the system's temporary folder. */
export async function launchBrowser(): Promise<Browser> {
  chromium.setGraphicsMode = false;
  return await driver.launch({
    executablePath: await chromium.executablePath(),
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
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
  });
  await page.goto(url);
  return { page, requests, complaints };
}
