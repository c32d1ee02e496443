import { beforeAll, describe, expect, test } from 'vitest';
import { type Client, createClient, ok, paginate } from '../../../client/platform/index.ts';
import {
  branch,
  edit,
  editSpace,
  merge,
  pageInsertion,
  pagesByTitle,
  pageText,
  pageTitled,
  requestMerge,
  textUpdate,
} from '../../support/content/branches.ts';
import { testEngine } from '../../support/database/engines.ts';
import { finish, type ServerProgram, useTestPrograms } from '../../support/processes/program.ts';

const LIMIT = 240_000;

// SQLite allows one server.
describe.skipIf(testEngine() === 'sqlite')('three servers of one database', { timeout: LIMIT }, () => {
  const programs = useTestPrograms({ blank: true, shared: true });
  const { serve } = programs;
  let servers: ServerProgram[];
  let clients: Client[];
  let organizations: string[][];
  /** Parameters and empty body of creations in the organization. */
  let inOrganization: { params: { path: { organizationId: string } }; body: Record<string, never> };

  beforeAll(async () => {
    // They find an empty database at the same time.
    servers = await Promise.all([serve(), serve(), serve()]);
    const token = servers.find((server) => server.token !== undefined)?.token ?? '';
    clients = servers.map(({ url }) => connect(url, token));
    organizations = await Promise.all(
      clients.map((client) => Array.fromAsync(paginate(client, '/v1/orgs', {}), ({ id }) => id)),
    );
    inOrganization = { params: { path: { organizationId: organizations[0]?.[0] ?? '' } }, body: {} };
  });

  const connect = (baseUrl: string, token: string) =>
    createClient({ baseUrl, token, retries: 0, timeout: LIMIT });

  /** Returns a client of one of the servers, which take turns. */
  const via = (number: number) => clients[number % clients.length] as Client;

  /** Sends `count` concurrent requests, spread over the servers. */
  const atOnce = <T>(count: number, send: (client: Client, number: number) => Promise<T>): Promise<T[]> =>
    Promise.all(Array.from({ length: count }, (_, number) => send(via(number), number)));

  const createSpace = async () =>
    (await ok(via(0).POST('/v1/orgs/{organizationId}/spaces', inOrganization))).id;

  test('create one organization if they start with a new database at once', () => {
    expect(servers.filter(({ token }) => token !== undefined)).toHaveLength(1);
    expect(organizations).toEqual(servers.map(() => [expect.stringMatching(/^org_/)]));
    expect(new Set(organizations.flat()).size).toBe(1);
  });

  test('share cursors', async () => {
    const create = via(0).POST('/v1/orgs/{organizationId}/collections', inOrganization);
    const { id: collectionId } = await ok(create);
    const path = '/v1/collections/{collectionId}/spaces';
    const params = { path: { collectionId } };
    for (const [number, title] of ['a', 'b', 'c', 'd'].entries()) {
      const body = { title, parent: collectionId };
      await ok(via(number).POST('/v1/orgs/{organizationId}/spaces', { ...inOrganization, body }));
    }
    const page = await ok(via(0).GET(path, { params: { ...params, query: { limit: 2 } } }));
    expect(page.items.map(({ title }) => title)).toEqual(['a', 'b']);
    const rest = paginate(via(1), path, {
      params: { ...params, query: { limit: 2, page: page.next?.page } },
    });
    expect(await Array.fromAsync(rest, ({ title }) => title)).toEqual(['c', 'd']);
  });

  test('reject a token that one of them revoked', async () => {
    const { id, token } = await ok(via(0).POST('/v1/user/tokens', { body: { label: 'Shared' } }));
    const elsewhere = connect(servers[1]?.url ?? '', token);
    expect((await elsewhere.GET('/v1/user')).response.status).toBe(200);
    await ok(via(0).DELETE('/v1/user/tokens/{tokenId}', { params: { path: { tokenId: id } } }));
    expect((await elsewhere.GET('/v1/user')).response.status).toBe(401);
  });

  test('apply at once what one of them changed of roles and grants', async () => {
    const email = 'reader@example.com';
    const { path } = inOrganization.params;
    const body = { emails: [email], role: 'read' as const };
    await ok(via(0).POST('/v1/orgs/{organizationId}/invites', { params: { path }, body }));
    const created = await finish(
      process.execPath,
      ['server/commands/token.ts', 'create', '--email', email],
      programs.location.environment,
    );
    const reader = connect(servers[1]?.url ?? '', created.stdout.trim());
    const { id: userId } = await ok(reader.GET('/v1/user'));
    const params = { path: { spaceId: await createSpace() } };
    const status = async () => (await reader.GET('/v1/spaces/{spaceId}', { params })).response.status;
    expect(await status()).toBe(200);
    await ok(
      via(0).PATCH('/v1/orgs/{organizationId}/members/{userId}', {
        params: { path: { ...path, userId } },
        body: { role: null },
      }),
    );
    expect(await status()).toBe(404);
    const grants = { role: 'read' as const, users: [userId] };
    await ok(via(0).POST('/v1/spaces/{spaceId}/permissions', { params, body: grants }));
    expect(await status()).toBe(200);
    await ok(
      via(0).DELETE('/v1/spaces/{spaceId}/permissions/users/{userId}', {
        params: { path: { ...params.path, userId } },
      }),
    );
    expect(await status()).toBe(404);
  });

  test('take turns to write, and no request fails', async () => {
    const spaceId = await createSpace();
    const params = { path: { spaceId } };
    const creations = [
      (client: Client) => client.POST('/v1/orgs/{organizationId}/spaces', inOrganization),
      (client: Client) => client.POST('/v1/orgs/{organizationId}/collections', inOrganization),
      (client: Client) =>
        client.PUT('/v1/orgs/{organizationId}/teams', { ...inOrganization, body: { title: 'Team' } }),
      (client: Client) => client.POST('/v1/spaces/{spaceId}/change-requests', { params, body: {} }),
    ] as const;
    const created = await atOnce(72, async (client, number) => {
      const create = creations[Math.floor(number / clients.length) % creations.length];
      return (await create?.(client))?.response.status;
    });
    expect(created).toEqual(created.map(() => 201));

    const changes = await atOnce(24, async (client, number) => {
      const { id } = await branch(client, spaceId);
      await edit(client, spaceId, id, pageInsertion(`Page ${number}`));
      return id;
    });
    const merged = await atOnce(24, (client, number) => requestMerge(client, spaceId, changes[number] ?? ''));
    expect(merged.map(({ data, response }) => data?.result ?? response.status)).toEqual(
      changes.map(() => 'merge'),
    );
    expect((await pagesByTitle(via(0), spaceId)).size).toBe(24);

    const written = await atOnce(24, (client) =>
      client.POST('/v1/spaces/{spaceId}/content/template', { params, body: { id: 'tpl_release_notes' } }),
    );
    expect(written.map(({ response }) => response.status)).toEqual(written.map(() => 204));
  });

  test('lose no update in concurrent merges into one space', async () => {
    const space = await createSpace();
    const client = via(0);
    await editSpace(client, space, pageInsertion('Guide', 'one\n'));
    const guide = await pageTitled(client, 'Guide', space);
    const changes: string[] = [];
    for (let number = 0; number < 8; number++) {
      const { id } = await branch(client, space);
      // Half of them edit the same line.
      const change =
        number < 4 ? pageInsertion(`Page ${number}`) : textUpdate(guide, `one, changed by ${number}\n`);
      await edit(client, space, id, change);
      changes.push(id);
    }
    const merged = await atOnce(8, (other, number) => merge(other, space, changes[number] ?? ''));
    const results = merged.map(({ result }) => result);

    expect(results.slice(0, 4)).toEqual(['merge', 'merge', 'merge', 'merge']);
    expect(results.slice(4).sort()).toEqual(['conflicts', 'conflicts', 'conflicts', 'merge']);
    const titles = [...(await pagesByTitle(client, space)).keys()].sort();
    expect(titles).toEqual(['Guide', 'Page 0', 'Page 1', 'Page 2', 'Page 3']);
    const winner = results.indexOf('merge', 4);
    expect(await pageText(client, guide, space)).toBe(`one, changed by ${winner}\n`);
  });

  test('keep every entry of a site in one order when they move and add entries', async () => {
    const spaces: string[] = [];
    for (let count = 0; count < 12; count += 1) {
      spaces.push(await createSpace());
    }
    const { organizationId } = inOrganization.params.path;
    const { id: siteId } = await ok(
      via(0).POST('/v1/orgs/{organizationId}/sites', {
        ...inOrganization,
        body: { title: 'Docs', spaces: spaces.slice(0, 6) },
      }),
    );
    const path = { organizationId, siteId };
    const read = async (client: Client) =>
      (await ok(client.GET('/v1/orgs/{organizationId}/sites/{siteId}/structure', { params: { path } })))
        .structure;
    const before = await read(via(0));
    const ids = before.map(({ id }) => id);

    const moves = atOnce(36, async (client, number) => {
      const [entry = '', sibling = ''] = [
        ids[number % 6],
        ids[(number * 5 + 1 + Math.floor(number / 6)) % 6],
      ];
      const isToEnd = entry === sibling;
      return await client.POST('/v1/orgs/{organizationId}/sites/{siteId}/site-spaces/{siteSpaceId}/move', {
        params: { path: { ...path, siteSpaceId: entry } },
        body: { position: isToEnd ? {} : { before: { type: 'site-space', siteSpace: sibling } } },
      });
    });
    const additions = atOnce(6, async (client, number) =>
      client.POST('/v1/orgs/{organizationId}/sites/{siteId}/site-spaces', {
        params: { path },
        body: { spaceId: spaces[6 + number] ?? '' },
      }),
    );
    const changed = (await Promise.all([moves, additions])).flat();
    const unexpected = changed.filter(({ response }) => !response.ok);
    expect(unexpected.map(({ response, error }) => [response.status, error])).toEqual([]);

    const [after = [], ...others] = await Promise.all(clients.map(read));
    for (const other of others) {
      expect(other.map(({ id }) => id)).toEqual(after.map(({ id }) => id));
    }
    const added = after.filter(({ id }) => !ids.includes(id));
    expect(added).toHaveLength(6);
    expect(after.map(({ id }) => id).sort()).toEqual([...ids, ...added.map(({ id }) => id)].sort());
    expect(after.filter((entry) => 'default' in entry && entry.default)).toMatchObject([{ id: ids[0] }]);
    expect(new Set(after.map((entry) => ('path' in entry ? entry.path : ''))).size).toBe(12);
  });
});
