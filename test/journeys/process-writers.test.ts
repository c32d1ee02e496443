import { expect, test } from 'vitest';
import { type Client, createClient, ok } from '../../client/platform/index.ts';
import { branch, edit, pageInsertion, pagesByTitle, requestMerge } from '../support/branches.ts';
import { testEngine } from '../support/engines.ts';
import { useTestPrograms } from '../support/program.ts';

const { serve } = useTestPrograms();
const LIMIT = 240_000;

// Only PostgreSQL allows several servers on one database.
test.skipIf(testEngine() === 'sqlite')(
  'writers in three processes take turns, and none fails',
  { timeout: LIMIT },
  async () => {
    const first = await serve();
    const servers = [first, ...(await Promise.all([serve(), serve()]))];
    const clients = servers.map(({ url }) =>
      createClient({ baseUrl: url, token: first.token, retries: 0, timeout: LIMIT }),
    );
    /** Sends `count` concurrent requests, spread over the processes. */
    const atOnce = <T>(count: number, send: (client: Client, number: number) => Promise<T>): Promise<T[]> =>
      Promise.all(
        Array.from({ length: count }, (_, number) =>
          send(clients[number % clients.length] as Client, number),
        ),
      );
    const client = clients[0] as Client;
    const organizationId = (await ok(client.GET('/v1/orgs'))).items[0]?.id ?? '';
    const params = { path: { organizationId } };
    const { id: spaceId } = await ok(client.POST('/v1/orgs/{organizationId}/spaces', { params, body: {} }));

    const creations = [
      (via: Client) => via.POST('/v1/orgs/{organizationId}/spaces', { params, body: {} }),
      (via: Client) => via.POST('/v1/orgs/{organizationId}/collections', { params, body: {} }),
      (via: Client) => via.PUT('/v1/orgs/{organizationId}/teams', { params, body: { title: 'Team' } }),
      (via: Client) =>
        via.POST('/v1/spaces/{spaceId}/change-requests', { params: { path: { spaceId } }, body: {} }),
    ] as const;
    const created = await atOnce(72, async (via, number) => {
      const create = creations[Math.floor(number / clients.length) % creations.length];
      return (await create?.(via))?.response.status;
    });
    expect(created).toEqual(created.map(() => 201));

    const changes = await atOnce(24, async (via, number) => {
      const { id } = await branch(via, spaceId);
      await edit(via, spaceId, id, pageInsertion(`Page ${number}`));
      return id;
    });
    const merged = await atOnce(24, (via, number) => requestMerge(via, spaceId, changes[number] ?? ''));
    expect(merged.map(({ data, response }) => data?.result ?? response.status)).toEqual(
      changes.map(() => 'merge'),
    );
    expect((await pagesByTitle(client, spaceId)).size).toBe(24);

    const written = await atOnce(24, (via) =>
      via.POST('/v1/spaces/{spaceId}/content/template', {
        params: { path: { spaceId } },
        body: { id: 'tpl_release_notes' },
      }),
    );
    expect(written.map(({ response }) => response.status)).toEqual(written.map(() => 204));
  },
);
