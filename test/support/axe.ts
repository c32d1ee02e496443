import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults, RunOptions } from 'axe-core';
import type { Page } from 'playwright-core';

/** What the script of axe defines. */
interface Axe {
  axe: { run(context: Document, options: RunOptions): Promise<AxeResults> };
}

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Returns the serious and critical problems of accessibility of a page. */
export async function inaccessible(page: Page): Promise<string[]> {
  const session = await page.context().newCDPSession(page);
  // The policy of the page does not apply to the debugger.
  await session.send('Runtime.evaluate', { expression: axe });
  const { violations } = await page.evaluate(
    async () =>
      // The script defines it.
      await (globalThis as unknown as Axe).axe.run(window.document, { resultTypes: ['violations'] }),
  );
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target.join(' ')}`));
}
