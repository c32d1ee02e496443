// Runs on one engine: events.test.ts raises events, and runs.test.ts runs imports.
import type { IncomingMessage } from 'node:http';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { ok } from '../../../client/platform/index.ts';
import { readSpace } from '../../support/content/imports.ts';
import { type GitServer, startGitServer } from '../../support/git/git-server.ts';
import {
  develop,
  type EventReceiver,
  startEventReceiver,
} from '../../support/integrations/event-receiver.ts';
import { install, publish } from '../../support/integrations/integrations.ts';
import { untilEventsSettle, untilJobsEnd } from '../../support/jobs.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

let server: TestServer;
let git: GitServer;
let receiver: EventReceiver;
/** Runs after the repository was sent, before the import reads it. */
let onFetched: (() => Promise<unknown>) | undefined;
beforeAll(async () => {
  const after = async ({ method }: IncomingMessage) => {
    await (method === 'POST' ? onFetched?.() : undefined);
  };
  [server, git, receiver] = await Promise.all([
    startTestServer(),
    startGitServer({ after }),
    startEventReceiver(),
  ]);
  const scopes = ['space:git:sync', 'space:content:read'] as const;
  await ok(publish(server.admin, 'sync', { scopes: [...scopes] }));
  await develop(server.admin, 'sync', receiver.url);
  await install(server.admin, 'sync', server.organization);
});
afterAll(async () => {
  await Promise.all([server.stop(), git.close(), receiver.close()]);
});

const createSpace = async () =>
  await ok(
    server.admin.client.POST('/v1/orgs/{organizationId}/spaces', {
      params: { path: { organizationId: server.organization } },
      body: {},
    }),
  );

/** Returns the events of a space that were received, without what every event has. */
async function eventsOf(space: string) {
  await untilJobsEnd(server.database, server.organization);
  await untilEventsSettle(server.database);
  return receiver.received.flatMap(({ payload }) => {
    const { eventId: _, installationId: __, ...fields } = payload;
    return 'spaceId' in fields && fields.spaceId === space ? [fields] : [];
  });
}

test('an import reports its start, the new content and its end', async () => {
  const repository = await git.createRepository({ 'README.md': '# Welcome\n' });
  const { id: spaceId, revision: first } = await createSpace();
  const params = { path: { spaceId } };
  const body = { url: repository.url, ref: 'refs/heads/main' };
  await ok(server.admin.client.POST('/v1/spaces/{spaceId}/git/import', { params, body }));
  const events = await eventsOf(spaceId);
  const { revision, gitSync } = await readSpace(server.admin.client, spaceId);
  const { items } = await ok(server.admin.client.GET('/v1/spaces/{spaceId}/git/runs', { params }));
  const commitId = items[0]?.commit;
  expect(gitSync).toBeDefined();
  expect(commitId).toMatch(/^[\da-f]{40}$/);
  expect(events).toEqual([
    { type: 'space_gitsync_started', spaceId, revisionId: first, commitId },
    {
      type: 'space_content_updated',
      spaceId,
      revisionId: revision,
      updatedBy: [expect.objectContaining({ id: server.admin.id })],
    },
    { type: 'space_gitsync_completed', spaceId, revisionId: revision, commitId, state: 'success' },
  ]);
});

test('an export reports its start and its end', async () => {
  const repository = await git.createRepository({ 'README.md': '# Welcome\n' });
  const { id: spaceId, revision } = await createSpace();
  const params = { path: { spaceId } };
  const body = { url: repository.url, ref: 'refs/heads/docs', commitMessage: 'Export' };
  await ok(server.admin.client.POST('/v1/spaces/{spaceId}/git/export', { params, body }));
  const events = await eventsOf(spaceId);
  const started = events.find(({ type }) => type === 'space_gitsync_started');
  expect(started).toMatchObject({ revisionId: revision, commitId: expect.stringMatching(/^[\da-f]{40}$/) });
  expect(events.at(-1)).toMatchObject({ type: 'space_gitsync_completed', state: 'success' });
  expect(events.at(-1)).toHaveProperty('commitId', started && 'commitId' in started && started.commitId);
});

test('an import that fails before its commit is known reports nothing', async () => {
  const { id: spaceId } = await createSpace();
  const params = { path: { spaceId } };
  const repository = await git.createRepository({ 'README.md': '# Welcome\n' });
  const body = { url: repository.url, ref: 'refs/heads/missing' };
  await ok(server.admin.client.POST('/v1/spaces/{spaceId}/git/import', { params, body }));
  expect(await eventsOf(spaceId)).toEqual([]);
});

test('an import that fails after its commit is known reports its start and its failure', async () => {
  const { id: spaceId, revision: revisionId } = await createSpace();
  const params = { path: { spaceId } };
  onFetched = () =>
    server.admin.client.PATCH('/v1/spaces/{spaceId}', { params, body: { editMode: 'locked' } });
  onTestFinished(() => {
    onFetched = undefined;
  });
  const repository = await git.createRepository({ 'README.md': '# Welcome\n' });
  const body = { url: repository.url, ref: 'refs/heads/main' };
  await ok(server.admin.client.POST('/v1/spaces/{spaceId}/git/import', { params, body }));
  const events = await eventsOf(spaceId);
  const { items } = await ok(server.admin.client.GET('/v1/spaces/{spaceId}/git/runs', { params }));
  expect(items).toMatchObject([{ status: 'failed', failure: { reason: 'space_locked' } }]);
  const commitId = items[0]?.commit;
  expect(events).toEqual([
    { type: 'space_gitsync_started', spaceId, revisionId, commitId },
    { type: 'space_gitsync_completed', spaceId, revisionId, commitId, state: 'failure' },
  ]);
});
