import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { textReport } from '../../../../spec/toolchain/conform/report/text.ts';
import { coveringChoices, pairCount, pairsIn } from '../../../../spec/toolchain/conform/requests/covering.ts';
import { readContract } from '../../../../spec/toolchain/model/contract/read.ts';
import { documentOf } from '../../../../spec/toolchain/source.ts';
import { runOnce } from '../run/run-once.ts';

test('choices contain every pair of classes, with few choices', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 2, max: 5 }), { maxLength: 6 }), (counts) => {
      const choices = coveringChoices(counts);
      expect(new Set(choices.flatMap(pairsIn)).size).toBe(pairCount(counts));
    }),
  );
  // All combinations would be 10,000.
  expect(coveringChoices([10, 10, 10, 10]).length).toBeLessThan(180);
});

describe('a run', () => {
  const parameter = (name: string, schema: object) => ({ name, in: 'query', schema });
  const document = {
    openapi: '3.1.0',
    info: { title: 'Search', version: '1' },
    paths: {
      '/search': {
        get: {
          operationId: 'search',
          parameters: [
            parameter('sort', { enum: ['name', 'age'] }),
            parameter('limit', { type: 'integer', minimum: 1, maximum: 50 }),
            parameter('deep', { type: 'boolean' }),
          ],
          responses: { '200': { description: '' }, '400': { description: '' } },
        },
      },
    },
  };
  const contract = readContract(documentOf('search', document));
  const requests: URLSearchParams[] = [];
  // Fails only for a combination of two parameters.
  const server = createServer((request, response) => {
    const query = new URL(request.url ?? '/', 'http://server/').searchParams;
    requests.push(query);
    response.writeHead(query.get('sort') === 'age' && query.get('limit') === '50' ? 500 : 200).end();
  });
  beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)));
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  const search = async (maxRequests: number) => {
    // The address of a listening TCP server is never a string or null.
    const { port } = server.address() as AddressInfo;
    const url = new URL(`http://127.0.0.1:${port}`);
    const excludedChecks = ['undeclared-method', 'invalid-input-rejected', 'undeclared-fields'];
    const outcome = await runOnce({ url, tokens: {}, limits: { maxRequests } }, { contract, excludedChecks });
    return {
      outcome,
      text: textReport(outcome, { contract, url: url.href, curlArguments: [], command: '' }),
    };
  };

  test('tries every pair of values, and reports the share', async () => {
    const { outcome, text } = await search(150);
    const { pairs } = outcome.coverage[0] ?? {};
    expect(pairs?.total).toBeGreaterThan(20);
    expect(pairs?.tried).toBe(pairs?.total);
    expect(text).toContain(`100 % of the pairs of values of two parameters tried (${pairs?.total} of`);
    for (const [sort, limit, deep] of [
      ['age', '50', null],
      ['name', '1', null],
      ['name', null, 'true'],
      [null, '50', 'false'],
    ]) {
      const isPair = (query: URLSearchParams) =>
        (sort === null || query.get('sort') === sort) &&
        (limit === null || query.get('limit') === limit) &&
        (deep === null || query.get('deep') === deep);
      expect(requests.some(isPair), `${sort} ${limit} ${deep}`).toBe(true);
    }
    expect(outcome.findings.map(({ check }) => check)).toContain('no-server-error');
  });

  test('reports a smaller share within a smaller budget', async () => {
    const { outcome, text } = await search(10);
    expect(outcome.coverage[0]?.pairs.tried).toBe(0);
    expect(text).toContain(' 0 % of the pairs of values of two parameters tried (0 of');
  });
});
