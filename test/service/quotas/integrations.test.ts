import { afterAll, beforeAll, expect, test } from 'vitest';
import { ok } from '../../../client/platform/index.ts';
import { named, publish } from '../../support/integrations/integrations.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';
import { createLimited, expectExceeded, statusesOf } from './organizations.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

test('a quota of integrations limits those that an organization publishes, of any visibility', async () => {
  const organization = await createLimited(server, { integrations: 2 });
  const { organizationId, client } = organization;
  const publication = { organization: organizationId, script: 'export default {};' };
  const add = (name: string, visibility: 'public' | 'private' | 'unlisted' = 'private') =>
    publish(server.admin, name, { ...publication, visibility });
  await ok(add('one', 'unlisted'));
  await ok(add('two', 'public'));
  const full = { name: 'integrations', limit: 2, used: 2 } as const;
  await expectExceeded(add('three'), full);
  // Another version needs no place.
  await ok(add('one', 'private'));
  expect((await organization.read()).integrations).toEqual({ used: 2, limit: 2 });
  await ok(client.DELETE('/v1/integrations/{integrationName}', named('two')));
  expect(await statusesOf([add('three'), add('four')])).toEqual([200, 403]);
  expect(await organization.used('integrations')).toBe(2);
});
