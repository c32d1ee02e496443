import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ok } from '../../../client/platform/index.ts';
import {
  MAX_PENDING_VIEW_EVENTS,
  recipientFinder,
} from '../../../server/platform/integrations/events/jobs/recipients.ts';
import { type ContentEvent, storeEvents } from '../../../server/platform/kit/events/raise.ts';
import { createSpace } from '../../support/content/edited-spaces.ts';
import { statementsOf } from '../../support/database/statements.ts';
import { install, installed, publish } from '../../support/integrations/integrations.ts';
import { untilEventsSettle } from '../../support/jobs.ts';
import { fill, idOf, TIME } from '../../support/large/fill-table.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

const INSTALLATION = '/v1/integrations/{integrationName}/installations/{installationId}';
const SPACES = `${INSTALLATION}/spaces` as const;

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

async function installedWithScopes(name: string) {
  const { organization, admin } = server;
  await ok(publish(admin, name, { organization, scopes: ['space:content:read', 'space:views:read'] }));
  const { id } = await install(admin, name, organization);
  return { name, id, path: installed(name, id) };
}

/** Returns the recipients of each event, and the statements that found them. */
async function recipientsOf(events: ContentEvent[]) {
  const { database, organization } = server;
  const clock = () => new Date();
  const services = { secretKey: 'unused', log: pino({ level: 'silent' }) };
  return await database.transaction(async (trx) => {
    await storeEvents(trx, { clock, queue: { wakeLoopsAfter: () => undefined } }, events);
    const stored = trx
      .selectFrom('raisedEvents')
      .selectAll()
      .where('organization', '=', organization)
      .where('installation', 'is', null);
    const raised = await stored.orderBy('sequence').execute();
    const recipients: string[][] = [];
    const { sql } = await statementsOf(async () => {
      const findRecipients = recipientFinder(trx, services, raised);
      for (const event of raised) {
        const found = await findRecipients(event);
        recipients.push(found.map(({ installation }) => installation).toSorted());
      }
    });
    // Events of this transaction only: they are assigned after it.
    await trx
      .deleteFrom('raisedEvents')
      .where('organization', '=', organization)
      .where('installation', 'is', null)
      .execute();
    return { recipients, statements: sql.filter((text) => /from "(?:contentI|i)nstallations"/.test(text)) };
  });
}

test('the installations that receive several events are read once', async () => {
  const { database, organization, admin } = server;
  const everywhere = await installedWithScopes('on-all-spaces');
  const selective = await installedWithScopes('on-the-first-space');
  const pausedOnOne = await installedWithScopes('paused-on-the-second-space');
  const full = await installedWithScopes('with-many-pending-events');
  const spaces: string[] = [];
  for (let created = 0; created < 3; created++) {
    spaces.push(await createSpace(admin.client, organization));
  }
  const [first = '', second = ''] = spaces;
  await ok(admin.client.PATCH(INSTALLATION, { ...selective.path, body: { space_selection: 'selected' } }));
  await ok(admin.client.POST(SPACES, { ...selective.path, body: { space: first } }));
  await ok(admin.client.POST(SPACES, { ...pausedOnOne.path, body: { space: second } }));
  await database.query
    .updateTable('contentInstallations')
    .set({ paused: 1 })
    .where('installation', '=', pausedOnOne.id)
    .execute();
  // Deliveries read installations, too.
  await untilEventsSettle(database);
  await fill(database, 'integrationEvents', MAX_PENDING_VIEW_EVENTS + 1, {
    id: idOf('evt'),
    integration: full.name,
    installation: full.id,
    organization,
    type: 'space_content_updated',
    fields: '{}',
    configuration: null,
    state: 'pending',
    attempted: 0,
    attempts: 0,
    logs: '[]',
    createdAt: TIME,
    expiresAt: null,
  });
  const view = {
    pageId: 'pag_1',
    visitor: { anonymousId: 'visitor', cookies: {} },
    url: 'https://docs.example/',
    referrer: '',
  };
  const { recipients, statements } = await recipientsOf(
    spaces.flatMap((spaceId): ContentEvent[] => [
      {
        organization,
        type: 'space_content_updated',
        fields: { spaceId, revisionId: 'rev_1', updatedBy: [] },
      },
      { organization, type: 'space_view', fields: { spaceId, ...view } },
    ]),
  );
  const ids = (...installations: { id: string }[]) => installations.map(({ id }) => id).toSorted();
  expect(recipients).toEqual([
    ids(everywhere, selective, pausedOnOne, full),
    ids(everywhere, selective, pausedOnOne),
    ids(everywhere, full),
    ids(everywhere),
    ids(everywhere, pausedOnOne, full),
    ids(everywhere, pausedOnOne),
  ]);
  // The installations, those on the spaces, and for each view those with many pending events.
  expect(statements).toHaveLength(2 + spaces.length);
});
