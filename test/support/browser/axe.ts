import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults, RunOptions } from 'axe-core';
import type { Page } from 'playwright-core';
import { DESKTOP, PHONE } from './browser.ts';

/** What the script of axe defines. */
interface Axe {
  axe: { run(context: Document | string, options: RunOptions): Promise<AxeResults> };
}

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Rules with results that depend on colors. */
const COLOR_RULES = ['color-contrast', 'link-in-text-block'];

/**
 * Returns the serious and critical problems of accessibility of a page.
 * @param rules rules to check; all by default
 * @param within selector of the element to check; the whole page by default
 */
export async function inaccessible(
  page: Page,
  rules?: readonly string[],
  within?: string,
): Promise<string[]> {
  const isLoaded = await page.evaluate(() => 'axe' in globalThis);
  if (!isLoaded) {
    const session = await page.context().newCDPSession(page);
    // The policy of the page does not apply to the debugger.
    await session.send('Runtime.evaluate', { expression: axe });
    await session.detach();
  }
  const { violations } = await page.evaluate(
    async ([values, selector]) =>
      // The script defines it.
      await (globalThis as unknown as Axe).axe.run(selector ?? window.document, {
        resultTypes: ['violations'],
        ...(values && { runOnly: values }),
      }),
    [rules && [...rules], within] as const,
  );
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target.join(' ')}`));
}

/** Returns the problems of the colors of a page, or of an element of it. */
export async function unreadable(page: Page, within?: string): Promise<string[]> {
  return await inaccessible(page, COLOR_RULES, within);
}

/**
 * Returns the problems of a loaded page in the window of a desktop and of a phone, in light and in dark mode: those of
 * accessibility, and content that is wider than the window. A phone in dark mode adds colors only, because what it shows
 * was checked in one of the other views.
 *
 * @param options.onPhone called once the window is that of a phone, for example to open a menu
 * @param options.within selector of the element to check; the whole page by default
 */
export async function problemsInAllViews(
  page: Page,
  { onPhone, within }: { onPhone?: () => Promise<void>; within?: string } = {},
): Promise<string[]> {
  const problems: string[] = [];
  for (const [name, size] of Object.entries({ desktop: DESKTOP, phone: PHONE })) {
    await page.setViewportSize(size);
    if (size === PHONE) {
      await onPhone?.();
    }
    for (const colorScheme of ['light', 'dark'] as const) {
      // Colors in transition are those of neither mode.
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      const onlyColorsDiffer = size === PHONE && colorScheme === 'dark';
      const found = await (onlyColorsDiffer
        ? unreadable(page, within)
        : inaccessible(page, undefined, within));
      if (await page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth)) {
        found.push('wider than the window');
      }
      problems.push(...found.map((problem) => `on a ${name} in ${colorScheme} mode: ${problem}`));
    }
  }
  return problems;
}

/** Opens the folded parts of a page, so that they are checked too. */
export async function unfold(page: Page, parts = 'details'): Promise<void> {
  await page.locator(parts).evaluateAll((all) => {
    for (const details of all) {
      details.setAttribute('open', '');
    }
  });
}
