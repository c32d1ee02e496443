import type { CallerId } from '../../identity/caller.ts';
import { isGrant } from '../../models/grants/queries.ts';
import { accessToThing, type Thing } from '../../models/placements/target.ts';
import { teamPresenter } from '../../models/teams/present.ts';
import { teamFinder } from '../../models/teams/queries.ts';
import { presentUser } from '../../models/users/present.ts';
import { answerList, type ListQuery } from '../kit/list.ts';
import type { Context, HandlersOf, Services } from '../kit/slice.ts';
import { createGrants, deleteGrant, updateGrant } from './rules.ts';

/** Creates the handlers of grants, which give users and teams a level on a space or a collection. */
export function grantHandlers(
  services: Services,
): HandlersOf<
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

  const listUsers = async (list: string, caller: CallerId, thing: Thing, query: ListQuery) => {
    const { organization } = await accessToThing(database.query, caller, thing, 'admin');
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
        count: { organization, kind: 'grants user', owner: thing.id },
        present: ({ role, ...row }) => ({ permission: role, user: presentUser(row, addresses) }),
      },
    );
  };

  const listTeams = async (list: string, caller: CallerId, thing: Thing, query: ListQuery) => {
    const access = await accessToThing(database.query, caller, thing, 'admin');
    const present = teamPresenter(database.query, access);
    const teamNamed = teamFinder(database.query, access);
    return await answerList(
      services,
      database.query
        .selectFrom('grants')
        .where(isGrant(thing, { kind: 'team' }))
        .select(['grants.subject', 'grants.role']),
      query,
      {
        list,
        filters: { ...thing },
        order: oldestFirst,
        count: { organization: access.organization, kind: 'grants team', owner: thing.id },
        present: async ({ subject, role }) => {
          const row = await teamNamed(subject);
          return row && { permission: role, team: await present(row) };
        },
      },
    );
  };

  const create = async (context: Context, thing: Thing, body: Parameters<typeof createGrants>[4]) =>
    await database.transaction((trx) => createGrants(trx, services, context, thing, body));
  const update = async (...[context, thing, subject, role]: Tail<typeof updateGrant>) =>
    await database.transaction((trx) => updateGrant(trx, context, thing, subject, role));
  const remove = async (...[context, thing, subject]: Tail<typeof deleteGrant>) =>
    await database.transaction((trx) => deleteGrant(trx, context, thing, subject));

  return {
    async createSpaceGrants({ path, body }, context) {
      await create(context, space(path), body);
    },
    async listSpaceUserGrants({ path, query }, { caller }) {
      return await listUsers('listSpaceUserGrants', caller.id, space(path), query);
    },
    async updateSpaceUserGrant({ path, body }, context) {
      await update(context, space(path), user(path), body.role);
    },
    async deleteSpaceUserGrant({ path }, context) {
      await remove(context, space(path), user(path));
    },
    async listSpaceTeamGrants({ path, query }, { caller }) {
      return await listTeams('listSpaceTeamGrants', caller.id, space(path), query);
    },
    async updateSpaceTeamGrant({ path, body }, context) {
      await update(context, space(path), team(path), body.role);
    },
    async deleteSpaceTeamGrant({ path }, context) {
      await remove(context, space(path), team(path));
    },
    async createCollectionGrants({ path, body }, context) {
      await create(context, collection(path), body);
    },
    async listCollectionUserGrants({ path, query }, { caller }) {
      return await listUsers('listCollectionUserGrants', caller.id, collection(path), query);
    },
    async updateCollectionUserGrant({ path, body }, context) {
      await update(context, collection(path), user(path), body.role);
    },
    async deleteCollectionUserGrant({ path }, context) {
      await remove(context, collection(path), user(path));
    },
    async listCollectionTeamGrants({ path, query }, { caller }) {
      return await listTeams('listCollectionTeamGrants', caller.id, collection(path), query);
    },
    async updateCollectionTeamGrant({ path, body }, context) {
      await update(context, collection(path), team(path), body.role);
    },
    async deleteCollectionTeamGrant({ path }, context) {
      await remove(context, collection(path), team(path));
    },
  };
}

/** The parameters of a rule after its transaction. */
type Tail<Rule> = Rule extends (trx: never, ...rest: infer Rest) => unknown ? Rest : never;
