import { afterAll, beforeAll, expect, test } from 'vitest';
import { ok } from '../../../client/platform/index.ts';
import { quotaGauges } from '../../../server/process/metrics.ts';
import { Quotas } from '../../../server/quotas/quotas.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';
import { createLimited } from './organizations.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

test('the organizations near a quota are counted by quota, at most once a minute', async () => {
  let now = new Date('2030-01-01T00:00:00.000Z');
  const quotas = new Quotas({ spaces: 2, members: 1 }, server.database.query);
  const { read } = quotaGauges({ database: server.database, clock: () => now, quotas });
  const valuesOf = async () =>
    Object.fromEntries(
      (await read()).map(({ name, labels, value }) => [
        `${name.replace('colophon_organizations_', '')} ${labels?.quota}`,
        value,
      ]),
    );
  const [one, two] = [await createLimited(server), await createLimited(server, { spaces: 10, pages: 1 })];
  for (let count = 0; count < 2; count++) {
    for (const { client, params } of [one, two]) {
      await ok(client.POST('/v1/orgs/{organizationId}/spaces', { params, body: {} }));
    }
  }
  await quotas.refresh();
  // Each organization has one member, and that of the first start, too.
  const expected = {
    'near_quota spaces': 1,
    'at_quota spaces': 1,
    'near_quota pages': 0,
    'at_quota pages': 0,
    'near_quota members': 3,
    'at_quota members': 3,
  };
  expect(await valuesOf()).toEqual(expected);
  await two.limit({ spaces: 2, members: 'off', jobs: 3 });
  await quotas.refresh();
  expect(await valuesOf()).toEqual(expected);
  now = new Date(now.getTime() + 60_000);
  expect(await valuesOf()).toEqual({
    ...expected,
    'near_quota spaces': 2,
    'at_quota spaces': 2,
    'near_quota members': 2,
    'at_quota members': 2,
    'near_quota jobs': 0,
    'at_quota jobs': 0,
  });
});

test('without quotas, no gauge has a value', async () => {
  const quotas = new Quotas({}, server.database.query);
  const { read } = quotaGauges({ database: server.database, clock: () => new Date(), quotas });
  expect(await read()).toEqual([]);
});
