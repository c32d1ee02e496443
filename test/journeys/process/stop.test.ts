// Runs on one engine: jobs-processes.test.ts executes the statements of jobs that end with a process.
import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createClient, ok } from '../../../client/platform/index.ts';
import { type Database, openDatabase } from '../../../server/database/database.ts';
import { startGitServer } from '../../support/git/git-server.ts';
import {
  createDataLocation,
  type DataLocation,
  runServer,
  type ServerProgram,
} from '../../support/processes/program.ts';

const ENDED_WELL = { code: 0, signal: null };

let location: DataLocation;
let server: ServerProgram;
let organizationId: string;
const closing: (() => unknown)[] = [];

beforeEach(async () => {
  location = await createDataLocation();
  server = await runServer(location.environment);
  const { items } = await ok(client().GET('/v1/orgs'));
  organizationId = items[0]?.id ?? '';
});

afterEach(async () => {
  await server.stop('SIGKILL');
  for (const close of closing.splice(0)) {
    await close();
  }
  await location.remove();
});

const client = (url = server.url, token = server.token) => createClient({ baseUrl: url, token, retries: 0 });

/** Sends a request that creates a collection up to the middle of its body; `complete` sends the rest. */
async function halfSent(title: string): Promise<{ complete(): Promise<IncomingMessage> }> {
  const body = JSON.stringify({ title });
  const sending = request(`${server.url}/v1/orgs/${organizationId}/collections`, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${server.token}`,
      'Content-Type': 'application/json',
      'Content-Length': body.length,
      Expect: '100-continue',
    },
  });
  sending.flushHeaders();
  // The server asks for the body: the request has reached it.
  await once(sending, 'continue');
  sending.write(body.slice(0, 5));
  return {
    complete: async () => {
      sending.end(body.slice(5));
      const [response] = (await once(sending, 'response')) as [IncomingMessage];
      return response;
    },
  };
}

/** Opens the database of the server until the end of the test. */
async function openedDatabase(): Promise<Database> {
  const { DATABASE_URL: url, COLOPHON_DATA: folder = '' } = location.environment;
  const database = await openDatabase(url === undefined ? { folder } : { url });
  closing.unshift(() => database.close());
  return database;
}

const isStopping = () => server.until('stderr', /"msg":"stopping/);

describe('a server that stops', () => {
  test('completes requests in flight, accepts no new connections, closes idle ones, and ignores the further SIGINTs that npm forwards', async () => {
    const agent = new Agent({ keepAlive: true });
    closing.push(() => agent.destroy());
    const [idle] = (await once(request(`${server.url}/healthz`, { agent }).end(), 'response')) as [
      IncomingMessage,
    ];
    await text(idle);
    const { complete } = await halfSent('In flight');
    server.child.kill('SIGINT');
    await isStopping();
    server.child.kill('SIGINT');
    server.child.kill('SIGINT');
    await expect
      .poll(() =>
        fetch(`${server.url}/healthz`).then(
          () => 'accepted',
          () => 'refused',
        ),
      )
      .toBe('refused');
    const response = await complete();
    expect(response.statusCode).toBe(201);
    const { id } = JSON.parse(await text(response)) as { id: string };
    expect(await server.ended).toEqual(ENDED_WELL);

    const stored = (await openedDatabase()).query.selectFrom('collections').select('title');
    expect(await stored.where('id', '=', id).execute()).toEqual([{ title: 'In flight' }]);
  });

  test('returns its running job to the queue for the next process', async () => {
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    const git = await startGitServer({ before: () => released });
    closing.push(() => git.close());
    const repository = await git.createRepository({ 'README.md': '# Guide\n' });
    const space = await ok(
      client().POST('/v1/orgs/{organizationId}/spaces', { params: { path: { organizationId } }, body: {} }),
    );
    const params = { path: { spaceId: space.id } };
    await ok(
      client().POST('/v1/spaces/{spaceId}/git/import', {
        params,
        body: { url: repository.url, ref: 'refs/heads/main' },
      }),
    );
    await expect.poll(() => git.requests.length).toBeGreaterThan(0);
    expect(await server.stop()).toEqual(ENDED_WELL);

    release();
    const { token } = server;
    server = await runServer(location.environment);
    const next = client(server.url, token);
    const info = async () => (await next.GET('/v1/spaces/{spaceId}/git/info', { params })).response.status;
    await expect.poll(info, { interval: 100 }).toBe(200);
    // It was requeued: nobody had to wait until it counts as abandoned.
    const jobs = await (await openedDatabase()).query
      .selectFrom('jobs')
      .select(['kind', 'abandoned'])
      .execute();
    expect(jobs).toContainEqual(expect.objectContaining({ kind: expect.stringMatching(/git/i) }));
    expect(jobs.filter(({ abandoned }) => abandoned > 0)).toEqual([]);
  });
});
