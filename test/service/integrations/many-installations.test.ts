import { afterAll, beforeAll, expect, test } from 'vitest';
import { ok } from '../../../client/platform/index.ts';
import { raiseContentRemovals } from '../../../server/platform/kit/events/content-installations.ts';
import { createResourceUrls } from '../../../server/platform/kit/resource-urls.ts';
import {
  findSiteIntegrations,
  listShownInstallations,
  MAX_SITE_INSTALLATIONS,
} from '../../../server/platform/sites/site-integrations/find.ts';
import { selectSites } from '../../../server/platform/spaces/publications/rows.ts';
import { isFirstEngine } from '../../support/database/engines.ts';
import { SECRET_KEY } from '../../support/environment.ts';
import { install, publish } from '../../support/integrations/integrations.ts';
import { FIRST_NUMBER, fill, idOf } from '../../support/large/fill-table.ts';
import { spaceInstallationRow, spaceRow } from '../../support/large/large-rows.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';
import { createSpace } from '../../support/sites/site-structure.ts';
import { VisitedSite } from '../../support/sites/visited-sites.ts';

/** Spaces of an installation: more than one statement reads. */
const SPACES = 1100;

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

test('the removal of an installation on many spaces raises an event for each', async () => {
  const { database, organization } = server;
  await ok(publish(server.admin, 'on-many', { organization }));
  const { id } = await install(server.admin, 'on-many', organization);
  await fill(database, 'spaces', SPACES, { ...spaceRow(organization), id: idOf('spc') });
  const ids = { installation: id, integration: 'on-many', organization };
  await fill(database, 'contentInstallations', SPACES, spaceInstallationRow(ids));
  const services = { clock: () => new Date(), queue: { wakeLoopsAfter: () => undefined } };
  const raised = await database.transaction(async (trx) => {
    await raiseContentRemovals(trx, services, { column: 'installation', id });
    const rows = await trx
      .selectFrom('raisedEvents')
      .select('fields')
      .where('installation', '=', id)
      .execute();
    // Events of this transaction only: they are assigned after it.
    await trx.deleteFrom('raisedEvents').where('installation', '=', id).execute();
    return rows.map(({ fields }) => JSON.parse(fields).spaceId);
  });
  const spaces = Array.from({ length: SPACES }, (_, index) => `spc_${FIRST_NUMBER + index}`);
  expect(raised.filter((space) => space !== undefined).sort()).toEqual(spaces);
});

test.runIf(isFirstEngine)('a site shows a limited number of installations', async () => {
  const { database, organization } = server;
  const site = await VisitedSite.create(server, { spaces: [await createSpace(server, 'Shown')] });
  for (let created = 0; created <= MAX_SITE_INSTALLATIONS; created++) {
    const block = { id: 'block', title: 'Block' };
    await ok(publish(server.admin, `shown-${created}`, { organization, blocks: [block] }));
    const { id } = await install(server.admin, `shown-${created}`, organization);
    await database.query
      .updateTable('installations')
      .set({ siteSelection: 'all' })
      .where('id', '=', id)
      .execute();
  }
  const installations = await listShownInstallations(database.query, organization);
  const row = await selectSites(database.query).where('sites.id', '=', site.id).executeTakeFirstOrThrow();
  const { blocks } = await findSiteIntegrations(database.query, row, installations, {
    secretKey: SECRET_KEY,
    resourceUrls: createResourceUrls(server.url),
  });
  expect(blocks.map(({ integration }) => integration)).toEqual(
    Array.from({ length: MAX_SITE_INSTALLATIONS }, (_, at) => `shown-${at}`),
  );
});
