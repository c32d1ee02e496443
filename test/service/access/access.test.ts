import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ok } from '../../../client/platform/index.ts';
import { operations } from '../../../generated/operations.ts';
import type { Role } from '../../../server/identity/levels.ts';
import type { OperationId } from '../../../server/platform/kit/slice.ts';
import { isFirstEngine } from '../../support/database/engines.ts';
import { type GitServer, startGitServer } from '../../support/git/git-server.ts';
import { fillPath, type PathValues } from '../../support/http/requests.ts';
import { TestResources } from '../../support/resources.ts';
import { type Person, startTestServer, type TestServer } from '../../support/server.ts';
import { CALLERS, type CallerName, type Outcome, queryOf, type Row, TABLE } from './access-table.ts';

let server: TestServer;
let git: GitServer;
let resources: TestResources;
/** Organization of the outsider. */
let otherOrganization: string;
let revoked: string;

beforeAll(async () => {
  [server, git] = await Promise.all([startTestServer(), startGitServer()]);
  resources = await TestResources.ofServer(server, git);
  otherOrganization = (await ok(server.admin.client.POST('/v1/orgs', { body: { title: 'Elsewhere' } }))).id;
  const person = await server.member('Revoked', 'admin');
  await server.database.query
    .updateTable('tokens')
    .set({ revokedAt: new Date().toISOString() })
    .where('user', '=', person.id)
    .execute();
  revoked = person.token;
});
afterAll(() => Promise.all([server.stop(), git.close()]));

const ROLES: Record<Exclude<CallerName, 'outsider'>, Role | null> = {
  admin: 'admin',
  creator: 'create',
  editor: 'edit',
  reader: 'read',
  guest: null,
};

const people = new Map<string, Promise<Person>>();

/** Returns a caller of each kind for all operations except the one that makes its caller a member. */
const callerOf = (caller: CallerName, id: OperationId): Promise<Person> => {
  const name = id === 'acceptInvite' ? `${caller}.${id}` : caller;
  const person =
    people.get(name) ??
    (caller === 'outsider'
      ? server.member(name, 'admin', otherOrganization)
      : server.member(name, ROLES[caller]));
  people.set(name, person);
  return person;
};

/** Operations that find other resources when they are repeated. */
const USES_UP = /^(?:accept|apply|delete|export|import|merge|move|restore|revoke|sync|transfer)/;

/**
 * Resources of a request: shared ones if nothing changes, those of the operation if it can be repeated, and new ones
 * for each caller otherwise.
 */
const resourcesFor = (
  id: OperationId,
  row: Row,
  outcome: Outcome | undefined,
  own: TestResources,
): TestResources => {
  const isRefused = typeof outcome === 'string' || (outcome ?? 0) >= 400;
  if (operations[id].method === 'get' || (isRefused && !row.prepare)) {
    return resources;
  }
  return isRefused || !USES_UP.test(id) ? own : resources.fresh();
};

/** Sends the request of a row for resources. */
const send = async (id: OperationId, row: Row, named: TestResources, caller: Person, token?: string) => {
  const { method, path } = operations[id];
  const values = await named.pathValues(path);
  await row.prepare?.(named);
  const address = addressOf(path, values) + (await queryOf(row, named));
  const before = method === 'delete' ? await readPath(path, values) : undefined;
  const body = row.body && JSON.stringify(await row.body(named, caller));
  const { status } = await fetch(address, {
    method: method.toUpperCase(),
    headers: {
      ...(token !== undefined && { Authorization: `Bearer ${token}` }),
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
    },
    ...(body !== undefined && { body }),
  });
  const same = method === 'delete' && before === (await readPath(path, values));
  return status === 204 && same ? 'retained' : status;
};

const addressOf = (path: string, values: PathValues) => server.url + fillPath(path, values);

/** Reads a resource or its parent as the admin. */
const readPath = async (path: string, values: Record<string, string>) => {
  const parts = path.split('/');
  const above = parts.map((_, at) => parts.slice(0, parts.length - at).join('/'));
  const readable = above.find((item) =>
    Object.values(operations).some(({ method, path: other }) => method === 'get' && other === item),
  );
  if (readable === undefined) {
    throw new Error(`Nothing can be read of what DELETE ${path} deletes.`);
  }
  const response = await fetch(addressOf(readable, values), {
    headers: { Authorization: `Bearer ${server.admin.token}` },
  });
  // The read itself updates the last use of the admin's token.
  return response.ok ? (await response.text()).replaceAll(/"lastUsedAt":"[^"]*"/g, '') : 'gone';
};

// The keys of the table of operations are operation ids.
const operationIds = Object.keys(operations) as OperationId[];

/**
 * The callers that a row is tested with, and their indexes: all of them on the first engine, and on the second engine
 * the callers where the status changes, from the caller with the most rights to the outsider.
 */
const callersOf = ({ outcomes }: Row): [index: number, name: CallerName][] =>
  [...CALLERS.entries()].filter(
    ([index]) =>
      isFirstEngine ||
      index === CALLERS.length - 1 ||
      outcomes[index] !== outcomes[index - 1] ||
      outcomes[index] !== outcomes[index + 1],
  );

const rows = operationIds.flatMap((id) => (TABLE[id] ? [{ id, row: TABLE[id] }] : []));

/**
 * The tested rows: all of them on the first engine. On the second engine, each list, which has its own statement, and
 * one of the other operations of a group with the same outcomes, since the same statements find their resources.
 */
const tested = isFirstEngine
  ? rows
  : [
      ...Map.groupBy(rows, ({ id, row }) => {
        const { tag, list } = operations[id];
        return list ? id : [tag, ...row.outcomes].join();
      }).values(),
    ].flatMap(([first]) => first ?? []);

describe('permissions', () => {
  test('are listed for each operation', () => {
    expect(Object.keys(TABLE).toSorted()).toEqual(operationIds.toSorted());
  });

  describe.each(tested)('$id', ({ id, row }) => {
    test('returns what the role of each caller allows, and 404 to outsiders', async () => {
      const responses: Partial<Record<CallerName, Outcome>> = {};
      const own = resources.fresh();
      const requested = callersOf(row);
      for (const [index, name] of requested) {
        const caller = await callerOf(name, id);
        const named = resourcesFor(id, row, row.outcomes[index], own);
        responses[name] = await send(id, row, named, caller, caller.token);
      }
      expect(responses).toEqual(
        Object.fromEntries(requested.map(([index, caller]) => [caller, row.outcomes[index]])),
      );
    });

    test.runIf(isFirstEngine)('returns 401 without a valid token', async () => {
      const { prepare: _unneeded, ...asked } = row;
      expect(await send(id, asked, resources, server.admin, undefined)).toBe(row.anonymous ?? 401);
      for (const token of ['colophon_unknown', revoked]) {
        expect(await send(id, asked, resources, server.admin, token)).toBe(401);
      }
    });
  });
});
