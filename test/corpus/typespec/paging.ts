import { createClient, paginate } from '../../../client/index.ts';
import { CALL_TIMEOUT_MS, type Call, type PageFormat } from './client-side.ts';
import type { MockServer } from './mock-server.ts';
import { difference } from './values.ts';

/** Iterates over all pages of a list, and returns how its items differ from the expected ones. */
export async function pagingProblems(
  mock: MockServer,
  base: string,
  { one, input }: Call,
  expected: readonly unknown[],
): Promise<string[]> {
  const client = createClient({ baseUrl: mock.baseUrl + base, timeout: CALL_TIMEOUT_MS, retries: 0 });
  const items: unknown[] = [];
  for await (const item of paginate(client, one.call, input)) {
    items.push(item);
  }
  const problems = [mock.problem(), await difference('items', expected, items)];
  return problems.filter((problem) => problem !== undefined);
}

/** Whether the pages of a list state where the next one is. */
export const isFollowed = (pages: PageFormat | undefined): pages is PageFormat =>
  pages !== undefined && (pages.cursor ?? pages.cursorHeader ?? pages.link) !== undefined;

/** Returns the items of a page. */
export function itemsOf({ items }: PageFormat, page: unknown): unknown[] {
  const found = items.reduce((parent, name) => Object(parent)[name], page);
  return Array.isArray(found) ? found : [];
}
