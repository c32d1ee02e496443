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

test.skipIf(testEngine() === 'sqlite')(
  'moves on one site in two processes keep every entry in one order',
  { timeout: LIMIT },
  async () => {
    const first = await serve();
    const servers = [first, await serve()];
    const clients = servers.map(({ url }) =>
      createClient({ baseUrl: url, token: first.token, retries: 0, timeout: LIMIT }),
    );
    const client = clients[0] as Client;
    const organizationId = (await ok(client.GET('/v1/orgs'))).items[0]?.id ?? '';
    const inOrganization = { params: { path: { organizationId } } };
    const spaces: string[] = [];
    for (let count = 0; count < 12; count += 1) {
      const body = { title: 'Guide' };
      const space = await ok(client.POST('/v1/orgs/{organizationId}/spaces', { ...inOrganization, body }));
      spaces.push(space.id);
    }
    const { id: siteId } = await ok(
      client.POST('/v1/orgs/{organizationId}/sites', {
        ...inOrganization,
        body: { title: 'Docs', spaces: spaces.slice(0, 6) },
      }),
    );
    const path = { organizationId, siteId };
    const read = async (via: Client) =>
      (await ok(via.GET('/v1/orgs/{organizationId}/sites/{siteId}/structure', { params: { path } })))
        .structure;
    const before = await read(client);
    const ids = before.map(({ id }) => id);

    const moved = await Promise.all(
      Array.from({ length: 36 }, async (_, number) => {
        const [entry = '', sibling = ''] = [
          ids[number % 6],
          ids[(number * 5 + 1 + Math.floor(number / 6)) % 6],
        ];
        const isToEnd = entry === sibling;
        return await clients[number % 2]?.POST(
          '/v1/orgs/{organizationId}/sites/{siteId}/site-spaces/{siteSpaceId}/move',
          {
            params: { path: { ...path, siteSpaceId: entry } },
            body: { position: isToEnd ? {} : { before: { type: 'site-space', siteSpace: sibling } } },
          },
        );
      }).concat(
        spaces.slice(6).map(async (spaceId, number) =>
          clients[number % 2]?.POST('/v1/orgs/{organizationId}/sites/{siteId}/site-spaces', {
            params: { path },
            body: { spaceId },
          }),
        ),
      ),
    );
    const unexpected = moved.filter(
      (result) => !result?.response.ok && result?.error?.reason !== 'already_in_position',
    );
    expect(unexpected.map((result) => [result?.response.status, result?.error])).toEqual([]);

    const [after = [], other] = await Promise.all(clients.map(read));
    expect(other?.map(({ id }) => id)).toEqual(after.map(({ id }) => id));
    const added = after.filter(({ id }) => !ids.includes(id));
    expect(added).toHaveLength(6);
    expect(after.map(({ id }) => id).sort()).toEqual([...ids, ...added.map(({ id }) => id)].sort());
    expect(after.filter((entry) => 'default' in entry && entry.default)).toMatchObject([{ id: ids[0] }]);
    expect(new Set(after.map((entry) => ('path' in entry ? entry.path : ''))).size).toBe(12);
  },
);
