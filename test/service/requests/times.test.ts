// Runs on one engine: times are normalized before they are stored.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { operationsOf, parametersOf, schemaOf } from '../../../server/contract/document.ts';
import { isObject } from '../../../server/contract/json-values.ts';
import { readContract } from '../../../server/platform/kit/contract-document.ts';
import { createSpace } from '../../support/content/imports.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

let server: TestServer;
let space: string;
beforeAll(async () => {
  server = await startTestServer();
  space = (await createSpace(server)).id;
});
afterAll(() => server.stop());

/** Text of a time and the time that it denotes; undefined if it is invalid. */
const TIMES: readonly (readonly [text: string, time: string | undefined])[] = [
  ['2092-06-30T23:59:60Z', undefined],
  ['2092-06-30T18:59:60-05:00', undefined],
  ['2092-06-30T23:59:61Z', undefined],
  ['2092-06-30T24:00:00Z', undefined],
  ['2091-02-29T00:00:00Z', undefined],
  ['2092-06-30T00:00:00+24:00', undefined],
  ['2092-06-30T00:00:00-12:60', undefined],
  ['2092-06-30T00:00:00+05', undefined],
  ['2092-06-30T00:00:00', undefined],
  ['0000-01-01T00:00:00+01:00', undefined],
  ['9999-12-31T23:59:59-01:00', undefined],
  ['12092-06-30T00:00:00Z', undefined],
  ['-002092-06-30T00:00:00Z', undefined],
  ['9999-12-31T23:59:59Z', '9999-12-31T23:59:59.000Z'],
  ['2092-06-30t00:00:00z', '2092-06-30T00:00:00.000Z'],
  ['2092-06-30 00:00:00Z', '2092-06-30T00:00:00.000Z'],
  ['2092-06-30T00:00:00+23:59', '2092-06-29T00:01:00.000Z'],
  ['2092-06-30T00:00:00.123456789Z', '2092-06-30T00:00:00.123Z'],
];
/** Times that only past times can be. */
const ANCIENT: typeof TIMES = [
  ['0000-01-01T00:00:00Z', '0000-01-01T00:00:00.000Z'],
  ['0001-01-01 00:00:00Z', '0001-01-01T00:00:00.000Z'],
];

interface TimeResult {
  status: number;
  /** Field that the error names. */
  field: string | undefined;
  /** Returned time, if there is one. */
  time?: string | null | undefined;
}

/** Sends a time in each operation and field of the contract that accepts one. */
const fields: Record<string, (time: string) => Promise<TimeResult>> = {
  'createAccessToken body.expiresAt': async (expiresAt) => {
    const { client } = await server.person(`Holder${crypto.randomUUID()}`);
    const { response, data, error } = await client.POST('/v1/user/tokens', {
      body: { label: 'CI', expiresAt },
    });
    return { ...resultOf(response, error), time: data?.expiresAt };
  },
  'importGitRepository body.timestamp': (timestamp) => transfer('import', { timestamp }),
  'exportGitRepository body.timestamp': (timestamp) =>
    transfer('export', { timestamp, commitMessage: 'Update' }),
  'listAuditEvents query.from': (from) => audited({ from }),
  'listAuditEvents query.until': (until) => audited({ until }),
};

describe.each(Object.entries(fields))('%s', (name, send) => {
  const cases = name.startsWith('createAccessToken') ? TIMES : [...TIMES, ...ANCIENT];

  test.each(cases)('accepts %s for %s', async (text, time) => {
    const response = await send(text);
    if (time === undefined) {
      expect(response).toMatchObject({ status: 400, field: name.split('.')[1] });
    } else {
      expect(response.status).toBeLessThan(300);
      if ('time' in response) {
        expect(response.time).toBe(time);
      }
    }
  });
});

test('covers each time that a request of the contract can contain', () => {
  const document = readContract();
  const found = Object.values(document.paths)
    .flatMap(operationsOf)
    .flatMap(([, operation]) => {
      const query = parametersOf(document, operation).flatMap(({ in: location, name, schema }) =>
        timesIn(schema, `${location}.${name}`),
      );
      const body = operation.requestBody?.content['application/json']?.schema;
      return [...query, ...timesIn(body, 'body')].map((field) => `${operation.operationId} ${field}`);
    });
  function timesIn(named: unknown, path: string, within: readonly unknown[] = []): string[] {
    const schema = isObject(named) ? schemaOf(document, named) : undefined;
    if (!schema || within.includes(schema)) {
      return [];
    }
    if (schema.format === 'date-time') {
      return [path];
    }
    const below = [...within, schema];
    const {
      properties = {},
      items,
      additionalProperties,
      oneOf,
      anyOf,
      allOf,
    } = schema as Record<string, unknown>;
    return [
      ...Object.entries(properties as object).flatMap(([name, inner]) =>
        timesIn(inner, `${path}.${name}`, below),
      ),
      ...[items, additionalProperties].flatMap((inner) => timesIn(inner, `${path}.*`, below)),
      ...[oneOf, anyOf, allOf].flat().flatMap((inner) => timesIn(inner, path, below)),
    ];
  }
  expect(new Set(found)).toEqual(new Set(Object.keys(fields)));
});

async function transfer(kind: 'import' | 'export', body: { timestamp: string; commitMessage?: string }) {
  const response = await fetch(`${server.url}/v1/spaces/${space}/git/${kind}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${server.admin.token}`, 'content-type': 'application/json' },
    // No server listens there.
    body: JSON.stringify({ url: 'http://127.0.0.1:1/docs.git', ref: 'refs/heads/main', ...body }),
  });
  const { orderKey } = (await server.database.query
    .selectFrom('jobs')
    .select('orderKey')
    .where('kind', '=', `git-${kind}`)
    .orderBy('sequence', 'desc')
    .limit(1)
    .executeTakeFirst()) ?? { orderKey: undefined };
  return { ...resultOf(response, response.ok ? undefined : (await response.json()).error), time: orderKey };
}

async function audited(query: { from: string } | { until: string }): Promise<TimeResult> {
  const { response, error } = await server.admin.client.GET('/v1/orgs/{organizationId}/audit-events', {
    params: { path: { organizationId: server.organization }, query },
  });
  return resultOf(response, error);
}

function resultOf(
  { status }: Response,
  error: { details?: readonly { path: string }[] } | undefined,
): TimeResult {
  return { status, field: error?.details?.[0]?.path };
}
