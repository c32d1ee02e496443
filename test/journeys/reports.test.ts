import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { handlers } from '../fixtures/shop/handlers.ts';
import { startShop, tokens } from '../fixtures/shop/server.ts';
import { problemsInAllViews } from '../support/browser/axe.ts';
import { launchBrowser, visit } from '../support/browser/browser.ts';
import { runsInBrowser } from '../support/browser/find-browser.ts';

// The reports of `conform` and `diff` as pages: each is one file that a reviewer opens.

const root = join(import.meta.dirname, '../..');

let folder: string;
let browser: Browser;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'colophon-reports-'));
  browser = await launchBrowser();
});
afterAll(async () => {
  await browser?.close();
  await rm(folder, { recursive: true, force: true });
});

/** Runs a command, whatever its exit code, and returns what it prints. */
const colophon = (...args: string[]) =>
  new Promise<string>((resolve) => {
    const command = [join(root, 'spec/toolchain/colophon.ts'), ...args];
    execFile(process.execPath, command, { cwd: folder, maxBuffer: 1e8 }, (_error, out) => resolve(out));
  });

/** Writes a report of a shop that does not conform to its contract. */
async function writeConformReport(): Promise<string> {
  const deleteArticle = async () => undefined;
  await using shop = await startShop({ handlers: { ...handlers, deleteArticle }, validateResponses: false });
  const file = join(folder, 'conform.html');
  const bounds = ['--seed', '7', '--max-requests', '300', '--max-seconds', '60'];
  await colophon('conform', '--url', shop.url, '--token', tokens[0], ...bounds, '--html', file);
  return file;
}

/** Writes a report of breaking, risky and safe changes. */
async function writeDiffReport(): Promise<string> {
  const path = join(root, 'test/fixtures/shop/generated/openapi.json');
  const text = await readFile(path, 'utf8');
  const changed = text
    .replaceAll('"open",', '')
    .replace('"maxLength": 500', '"maxLength": 400')
    .replaceAll('"operationId": "getHealth"', '"operationId": "getState"');
  expect(changed).not.toBe(text);
  await writeFile(join(folder, 'changed.json'), changed);
  const file = join(folder, 'diff.html');
  await writeFile(file, await colophon('diff', path, 'changed.json', '--format', 'html'));
  return file;
}

describe.runIf(runsInBrowser)('a report in a browser', () => {
  test.each([
    ['conform', writeConformReport, /deleteArticle/],
    ['diff', writeDiffReport, /breaking/i],
  ] as const)('is accessible, fits on a phone and loads nothing: %s', async (_command, write, content) => {
    const url = pathToFileURL(await write()).href;
    const { page, requests, problems } = await visit(browser, url);
    expect(await page.locator('body').textContent()).toMatch(content);
    expect(await problemsInAllViews(page)).toEqual([]);
    expect(requests).toEqual([url]);
    expect(problems).toEqual([]);
    await page.close();
  });
});
