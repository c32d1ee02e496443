import { isGrant } from '../../models/grant/queries.ts';
import { accessToThing, type Thing } from '../../models/placement/thing.ts';
import { teamPresenter } from '../../models/team/present.ts';
import { teamsFor } from '../../models/team/queries.ts';
import { presentUser } from '../../models/user/present.ts';
import { answerList, type ListQuery } from '../list.ts';
import type { Services, Slice } from '../slice.ts';
import { createGrants, deleteGrant, updateGrant } from './rules.ts';

/** Grants: what users and teams may do on a space or a collection, beyond its default level (additions). */
export function grantHandlers(
  services: Services,
): Slice<
  | 'createSpaceGrants'
  | 'listSpaceUserGrants'
  | 'updateSpaceUserGrant'
  | 'deleteSpaceUserGrant'
  | 'listSpaceTeamGrants'
  | 'updateSpaceTeamGrant'
  | 'deleteSpaceTeamGrant'
  | 'createCollectionGrants'
  | 'listCollectionUserGrants'
  | 'updateCollectionUserGrant'
  | 'deleteCollectionUserGrant'
  | 'listCollectionTeamGrants'
  | 'updateCollectionTeamGrant'
  | 'deleteCollectionTeamGrant'
> {
  const { database, addresses } = services;
  const space = (path: { spaceId: string }): Thing => ({ kind: 'space', id: path.spaceId });
  const collection = (path: { collectionId: string }): Thing => ({
    kind: 'collection',
    id: path.collectionId,
  });
  const user = (path: { userId: string }) => ({ kind: 'user', id: path.userId }) as const;
  const team = (path: { teamId: string }) => ({ kind: 'team', id: path.teamId }) as const;

  const oldestFirst = [
    { column: 'grants.createdAt', direction: 'asc' },
    { column: 'grants.subject', direction: 'asc' },
  ] as const;

  const listUsers = async (list: string, caller: string, thing: Thing, query: ListQuery) => {
    await accessToThing(database.query, caller, thing, 'admin');
    return await answerList(
      services,
      database.query
        .selectFrom('grants')
        .where(isGrant(thing, { kind: 'user' }))
        .innerJoin('users', 'users.id', 'grants.subject')
        .selectAll('users')
        .select('grants.role'),
      query,
      {
        list,
        filters: { ...thing },
        order: oldestFirst,
        present: ({ role, ...row }) => ({ permission: role, user: presentUser(row, addresses) }),
      },
    );
  };

  const listTeams = async (list: string, caller: string, thing: Thing, query: ListQuery) => {
    const access = await accessToThing(database.query, caller, thing, 'admin');
    const presentTeam = teamPresenter(database.query, access);
    return await answerList(
      services,
      teamsFor(database.query, access)
        .innerJoin('grants', 'grants.subject', 'teams.id')
        .where(isGrant(thing, { kind: 'team' }))
        .select('grants.role'),
      query,
      {
        list,
        filters: { ...thing },
        order: oldestFirst,
        present: async ({ role, ...row }) => ({ permission: role, team: await presentTeam(row) }),
      },
    );
  };

  const create = async (caller: string, thing: Thing, body: Parameters<typeof createGrants>[4]) =>
    await database.transaction((trx) => createGrants(trx, services, caller, thing, body));
  const update = async (...[caller, thing, subject, role]: Tail<typeof updateGrant>) =>
    await database.transaction((trx) => updateGrant(trx, caller, thing, subject, role));
  const remove = async (...[caller, thing, subject]: Tail<typeof deleteGrant>) =>
    await database.transaction((trx) => deleteGrant(trx, caller, thing, subject));

  return {
    async createSpaceGrants({ path, body }, { caller }) {
      await create(caller.user.id, space(path), body);
    },
    async listSpaceUserGrants({ path, query }, { caller }) {
      return await listUsers('listSpaceUserGrants', caller.user.id, space(path), query);
    },
    async updateSpaceUserGrant({ path, body }, { caller }) {
      await update(caller.user.id, space(path), user(path), body.role);
    },
    async deleteSpaceUserGrant({ path }, { caller }) {
      await remove(caller.user.id, space(path), user(path));
    },
    async listSpaceTeamGrants({ path, query }, { caller }) {
      return await listTeams('listSpaceTeamGrants', caller.user.id, space(path), query);
    },
    async updateSpaceTeamGrant({ path, body }, { caller }) {
      await update(caller.user.id, space(path), team(path), body.role);
    },
    async deleteSpaceTeamGrant({ path }, { caller }) {
      await remove(caller.user.id, space(path), team(path));
    },
    async createCollectionGrants({ path, body }, { caller }) {
      await create(caller.user.id, collection(path), body);
    },
    async listCollectionUserGrants({ path, query }, { caller }) {
      return await listUsers('listCollectionUserGrants', caller.user.id, collection(path), query);
    },
    async updateCollectionUserGrant({ path, body }, { caller }) {
      await update(caller.user.id, collection(path), user(path), body.role);
    },
    async deleteCollectionUserGrant({ path }, { caller }) {
      await remove(caller.user.id, collection(path), user(path));
    },
    async listCollectionTeamGrants({ path, query }, { caller }) {
      return await listTeams('listCollectionTeamGrants', caller.user.id, collection(path), query);
    },
    async updateCollectionTeamGrant({ path, body }, { caller }) {
      await update(caller.user.id, collection(path), team(path), body.role);
    },
    async deleteCollectionTeamGrant({ path }, { caller }) {
      await remove(caller.user.id, collection(path), team(path));
    },
  };
}

/** The parameters of a rule behind its transaction. */
type Tail<Rule> = Rule extends (trx: never, ...rest: infer Rest) => unknown ? Rest : never;
