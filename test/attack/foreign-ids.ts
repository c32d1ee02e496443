import { expect } from 'vitest';
import { operations } from '../../generated/operations.ts';
import type { Database } from '../../server/database/database.ts';
import { readContract as readDocument } from '../../server/platform/kit/contract-document.ts';
import type { OperationId } from '../../server/platform/kit/slice.ts';
import { readContract } from '../../spec/toolchain/model/contract/read.ts';
import { documentOf } from '../../spec/toolchain/source.ts';
import { queryOf, TABLE } from '../service/access/access-table.ts';
import { untilJobsEnd } from '../support/jobs.ts';
import {
  type Attack,
  type AttackClass,
  fill,
  jsonRequest,
  OPERATION_IDS,
  sendAs,
  type Target,
  victimIds,
} from './target.ts';

/** An invite link makes anyone who has it a member. Subdomains and public integrations are visible to everyone. */
const OPEN: readonly OperationId[] = ['acceptInvite', 'getSubdomain', 'getIntegration', 'listIntegrations'];
const attacked = OPERATION_IDS.filter((id) => !OPEN.includes(id));
const contract = readContract(documentOf('generated/openapi.json', readDocument()));

/** Rows of the victim before the attacks. */
const before = new WeakMap<Target, Record<string, string>>();

const unchanged = async (target: Target) =>
  expect(await rowsOf(target.server.database, target.victim.organization)).toEqual(before.get(target));

const remember = async (target: Target) => {
  if (!before.has(target)) {
    // Indexing of its content changes its rows, too.
    await untilJobsEnd(target.server.database, target.victim.organization);
    before.set(target, await rowsOf(target.server.database, target.victim.organization));
  }
};

/** Whether a path parameter can name the same for the attacker as for the victim. */
const isShared = (parameter: string, id: OperationId): boolean =>
  // Organizations choose slugs, and anyone can look up the domains of addresses. Paths of pages belong to a space.
  ['specSlug', 'emailDomain', 'pagePath'].includes(parameter) ||
  // A public integration is visible to everyone, but not its installations.
  (parameter === 'integrationName' && !operations[id].path.includes('{installationId}'));

/**
 * Ids of the victim in paths of the attacker's own resources: every combination of the path parameters. The resources do
 * not exist for the attacker; what does not exist is deleted already.
 */
export const foreignPaths: AttackClass = {
  name: 'foreign ids in paths',
  async attacks(target) {
    const attacks: Attack[] = [];
    for (const id of attacked) {
      const { method, path } = operations[id];
      const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
      const [own, foreign] = [await target.own.pathValues(path), await target.victim.pathValues(path)];
      const row = TABLE[id];
      for (let mask = 1; mask < 2 ** names.length; mask++) {
        const selected = names.filter((_, at) => mask & (1 << at));
        const values = { ...own, ...Object.fromEntries(selected.map((name) => [name, foreign[name] ?? ''])) };
        const body = row?.body && (await row.body(target.own, target.attacker));
        const request = jsonRequest(method, fill(path, values) + (await queryOf(row, target.own)), body);
        const isForeign = !selected.some((name) => isShared(name, id));
        attacks.push({
          name: `${id} with the victim's ${selected.join(' and ')}`,
          send: async () => ({
            ...(await sendAs(target, request, target.attacker.token)),
            sent: Object.values(values),
            ...(isForeign && { expectedStatus: method === 'delete' ? 204 : 404 }),
          }),
        });
      }
    }
    await remember(target);
    // Deletions run last: the attacker's own resources are needed until then.
    return attacks.toSorted((item, other) => deletes(item) - deletes(other));
  },
  after: unchanged,
};

/** Operations that make a resource unusable for another attack. */
const USES_UP = /^(?:accept|apply|delete|export|import|merge|move|restore|revoke|sync|transfer)/;

/** Bodies that name the victim's resources, sent to the attacker's own. */
export const foreignBodies: AttackClass = {
  name: 'foreign ids in bodies',
  async attacks(target) {
    const attacks: Attack[] = [];
    const shared = target.own.fresh();
    for (const id of attacked) {
      const { method, path } = operations[id];
      const row = TABLE[id];
      if (!row?.body) {
        continue;
      }
      const own = USES_UP.test(id) ? target.own.fresh() : shared;
      const request = jsonRequest(
        method,
        fill(path, await own.pathValues(path)) + (await queryOf(row, own)),
        await row.body(target.victim, target.attacker),
      );
      const sent = await victimIds(target);
      attacks.push({
        name: `${id} with a body for the victim's resource`,
        send: async () => ({ ...(await sendAs(target, request, target.attacker.token)), sent }),
      });
    }
    before.delete(target);
    await remember(target);
    return attacks;
  },
  after: unchanged,
};

/** Number of IDs that each parameter receives in a round. */
const IDS_PER_ROUND = 5;

/** Filters and cursors of the victim's resources. */
export const foreignQueries: AttackClass = {
  name: 'foreign ids and cursors in queries',
  async attacks(target, rounds) {
    // Each ID in some parameters, and some IDs in each parameter; all combinations after enough rounds.
    const attacks: Attack[] = [];
    const ids = await victimIds(target);
    let next = 0;
    for (const id of attacked) {
      const { method, path, list } = operations[id];
      if (method !== 'get') {
        continue;
      }
      const address = fill(path, await target.own.pathValues(path));
      const query = await queryOf(TABLE[id], target.own);
      const operation = contract.operations.find((item) => item.id === id);
      for (const { in: location, name, schema } of operation?.parameters ?? []) {
        if (location !== 'query' || !isFreeText(schema)) {
          continue;
        }
        for (let sent = 0; sent < Math.min(ids.length, rounds * IDS_PER_ROUND); sent++) {
          const value = ids[next++ % ids.length] ?? '';
          attacks.push({
            name: `${id}?${name} of the victim`,
            send: async () => ({
              ...(await sendAs(
                target,
                jsonRequest('get', `${address}?${withParameter(query, name, value)}`),
                target.attacker.token,
              )),
              sent: ids,
            }),
          });
        }
      }
      if (list) {
        attacks.push(...(await cursorAttacks(target, id, address)));
      }
    }
    await remember(target);
    return attacks;
  },
  after: unchanged,
};

/** Uses the cursor of the victim's list on the attacker's list. */
async function cursorAttacks(target: Target, id: OperationId, address: string): Promise<Attack[]> {
  const { path } = operations[id];
  const query = withParameter(await queryOf(TABLE[id], target.victim), 'limit', '1');
  const victims = fill(path, await target.victim.pathValues(path));
  const first = await sendAs(target, jsonRequest('get', `${victims}?${query}`), target.victim.owner.token);
  const next = (first.json as { next?: { page: string } } | undefined)?.next?.page;
  if (next === undefined) {
    return [];
  }
  const request = (list: string) =>
    jsonRequest('get', `${list}?${withParameter(String(query), 'page', next)}`);
  return [address, victims].map((list) => ({
    name: `${id} with a cursor of the victim`,
    send: async () => ({ ...(await sendAs(target, request(list), target.attacker.token)), mustFail: true }),
  }));
}

/** Sets a parameter of a query. */
function withParameter(query: string, name: string, value: string): URLSearchParams {
  const parameters = new URLSearchParams(query);
  parameters.set(name, value);
  return parameters;
}

const deletes = ({ name }: Attack) => Number(name.startsWith('delete'));

/** Whether a parameter may contain an id: it is neither a number, nor a flag, nor an enum. */
const isFreeText = (schema: unknown): boolean =>
  !/"(?:enum|const)"|"type":"(?:integer|number|boolean)"/.test(JSON.stringify(schema));

/** Returns a short digest of the rows of an organization in each table. */
async function rowsOf(database: Database, organization: string): Promise<Record<string, string>> {
  const tables = await database.query.introspection.getTables();
  const rows: Record<string, string> = {};
  for (const { name, columns } of tables) {
    if (!columns.some((column) => column.name === 'organization') || name.startsWith('searchWords')) {
      continue;
    }
    // Names come from the database itself, so they are tables; this type represents all with the column.
    const found = await database.query
      .selectFrom(name as 'teams')
      .selectAll()
      .where('organization', '=', organization)
      .execute();
    rows[name] = found
      .map((row) => JSON.stringify(row))
      .sort()
      .join('\n');
  }
  return rows;
}
