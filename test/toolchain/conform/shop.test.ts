import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { handlers, type ShopHandlers } from '../../fixtures/shop/handlers.ts';
import { startShop, tokens } from '../../fixtures/shop/server.ts';
import { PACKAGE, runCommand } from '../run-command.ts';

// A conformance run against the server of the shop, which has another contract, another envelope of errors and other
// kinds of pagination than the platform.

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'colophon-shop-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

interface Report {
  failures: { operation: string; check: string }[];
}

/** Runs `colophon conform` against a shop with these handlers. */
async function conform(own: ShopHandlers): Promise<{ code: number; text: string; report: Report }> {
  // The run must find errors of a handler, so the server runtime must not turn them into a 500.
  await using shop = await startShop({ handlers: own, validateResponses: false });
  const file = join(folder, 'report.json');
  const args = ['--url', shop.url, '--token', tokens[0], '--second-token', tokens[1]];
  const bounds = ['--seed', '7', '--max-requests', '700', '--max-seconds', '60'];
  const more = ['--json', file, '--save-replay', join(folder, 'replay.json')];
  const { code, out, err } = await runCommand(PACKAGE, folder, ['conform', ...args, ...bounds, ...more]);
  // The documented output of the command.
  return { code, text: out + err, report: JSON.parse(await readFile(file, 'utf8')) as Report };
}

describe('a conformance run against the shop', () => {
  test('reports nothing if the shop conforms to its contract', async () => {
    const { code, text, report } = await conform(handlers);
    expect(report.failures, text).toEqual([]);
    expect(code, text).toBe(0);
    for (const operation of ['listCustomers', 'updateOrder', 'getHealth']) {
      expect(text).toContain(operation);
    }
  });

  const mistakes: [name: string, handlers: Partial<ShopHandlers>, check: RegExp, operation: RegExp][] = [
    [
      'an edit that takes another field away',
      {
        updateArticle: async (request, tenant) => {
          const changed = await handlers.updateArticle(request, tenant);
          const { keywords, ...rest } = changed;
          tenant.articles.set(changed.id, { ...rest, keywords: [] });
          return changed;
        },
      },
      /^(read-after-update|patch-preserves-omitted)$/,
      /Article/,
    ],
    [
      'a list that skips one',
      {
        listCustomers: async (request, tenant) => {
          const list = await handlers.listCustomers(request, tenant);
          return { ...list, customers: list.customers.slice(0, Math.max(1, list.customers.length - 1)) };
        },
      },
      /^(pages-complete|list-contains-created)$/,
      /Customer/,
    ],
    [
      'an order that stays after it was cancelled',
      {
        deleteOrder: async (request, tenant) => {
          await handlers.getOrder(request, tenant);
          return undefined;
        },
      },
      /^read-after-delete$/,
      /Order/,
    ],
  ];

  test(`reports ${mistakes.map(([name]) => name).join(', ')}`, async () => {
    const broken = Object.assign({}, ...mistakes.map(([, wrong]) => wrong)) as Partial<ShopHandlers>;
    const { code, text, report } = await conform({ ...handlers, ...broken });
    expect(code, text).toBe(1);
    for (const [, , check, operation] of mistakes) {
      expect(report.failures, text).toContainEqual(
        expect.objectContaining({
          check: expect.stringMatching(check),
          operation: expect.stringMatching(operation),
        }),
      );
    }
  });
});
