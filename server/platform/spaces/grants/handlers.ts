import { teamPresenter } from '../../accounts/teams/present.ts';
import { teamFinder } from '../../accounts/teams/queries.ts';
import { presentUser } from '../../accounts/users/present.ts';
import { answerList, type ListQuery } from '../../kit/list.ts';
import type { Context, Slice } from '../../kit/slice.ts';
import { accessFor, type SpaceOrCollection } from '../placements/target.ts';
import { type Subject, teamGrantsOn, userGrantsOn } from './queries.ts';
import { createGrants, deleteGrant, updateGrant } from './rules.ts';

const OLDEST_FIRST = [
  { column: 'grants.createdAt', direction: 'asc' },
  { column: 'grants.subject', direction: 'asc' },
] as const;

/** Handlers of grants, which give users and teams a level on a space or a collection. */
export const grantHandlers = {
  async createSpaceGrants({ path, body }, ctx) {
    await ctx.database.transaction((trx) => createGrants(trx, ctx, { ...onSpace(path), ...body }));
  },

  async listSpaceUserGrants({ path, query }, ctx) {
    return await listUserGrants(ctx, query, { list: 'listSpaceUserGrants', ...onSpace(path) });
  },

  async updateSpaceUserGrant({ path, body }, ctx) {
    const change = { ...onSpace(path), ...toUser(path), role: body.role };
    await ctx.database.transaction((trx) => updateGrant(trx, ctx, change));
  },

  async deleteSpaceUserGrant({ path }, ctx) {
    const grant = { ...onSpace(path), ...toUser(path) };
    await ctx.database.transaction((trx) => deleteGrant(trx, ctx, grant));
  },

  async listSpaceTeamGrants({ path, query }, ctx) {
    return await listTeamGrants(ctx, query, { list: 'listSpaceTeamGrants', ...onSpace(path) });
  },

  async updateSpaceTeamGrant({ path, body }, ctx) {
    const change = { ...onSpace(path), ...toTeam(path), role: body.role };
    await ctx.database.transaction((trx) => updateGrant(trx, ctx, change));
  },

  async deleteSpaceTeamGrant({ path }, ctx) {
    const grant = { ...onSpace(path), ...toTeam(path) };
    await ctx.database.transaction((trx) => deleteGrant(trx, ctx, grant));
  },

  async createCollectionGrants({ path, body }, ctx) {
    await ctx.database.transaction((trx) => createGrants(trx, ctx, { ...onCollection(path), ...body }));
  },

  async listCollectionUserGrants({ path, query }, ctx) {
    return await listUserGrants(ctx, query, { list: 'listCollectionUserGrants', ...onCollection(path) });
  },

  async updateCollectionUserGrant({ path, body }, ctx) {
    const change = { ...onCollection(path), ...toUser(path), role: body.role };
    await ctx.database.transaction((trx) => updateGrant(trx, ctx, change));
  },

  async deleteCollectionUserGrant({ path }, ctx) {
    const grant = { ...onCollection(path), ...toUser(path) };
    await ctx.database.transaction((trx) => deleteGrant(trx, ctx, grant));
  },

  async listCollectionTeamGrants({ path, query }, ctx) {
    return await listTeamGrants(ctx, query, { list: 'listCollectionTeamGrants', ...onCollection(path) });
  },

  async updateCollectionTeamGrant({ path, body }, ctx) {
    const change = { ...onCollection(path), ...toTeam(path), role: body.role };
    await ctx.database.transaction((trx) => updateGrant(trx, ctx, change));
  },

  async deleteCollectionTeamGrant({ path }, ctx) {
    const grant = { ...onCollection(path), ...toTeam(path) };
    await ctx.database.transaction((trx) => deleteGrant(trx, ctx, grant));
  },
} satisfies Slice;

/** The operation of a list of grants, and the space or collection that they are on. */
interface GrantList {
  list: string;
  target: SpaceOrCollection;
}

async function listUserGrants(ctx: Context, query: ListQuery, { list, target }: GrantList) {
  const { query: queries } = ctx.database;
  const { organization } = await accessFor(queries, ctx.caller.id, target, 'admin');
  return await answerList(ctx, userGrantsOn(queries, target), query, {
    list,
    filters: { ...target },
    order: OLDEST_FIRST,
    count: { organization, kind: 'grants user', owner: target.id },
    present: ({ role, ...row }) => ({ permission: role, user: presentUser(row, ctx.resourceUrls) }),
  });
}

async function listTeamGrants(ctx: Context, query: ListQuery, { list, target }: GrantList) {
  const { query: queries } = ctx.database;
  const access = await accessFor(queries, ctx.caller.id, target, 'admin');
  const present = teamPresenter(queries, access);
  const findTeam = teamFinder(queries, access);
  return await answerList(ctx, teamGrantsOn(queries, target), query, {
    list,
    filters: { ...target },
    order: OLDEST_FIRST,
    count: { organization: access.organization, kind: 'grants team', owner: target.id },
    present: async ({ subject, role }) => {
      const row = await findTeam(subject);
      return row && { permission: role, team: await present(row) };
    },
  });
}

function onSpace(path: { spaceId: string }): { target: SpaceOrCollection } {
  return { target: { kind: 'space', id: path.spaceId } };
}

function onCollection(path: { collectionId: string }): { target: SpaceOrCollection } {
  return { target: { kind: 'collection', id: path.collectionId } };
}

function toUser(path: { userId: string }): { subject: Subject } {
  return { subject: { kind: 'user', id: path.userId } };
}

function toTeam(path: { teamId: string }): { subject: Subject } {
  return { subject: { kind: 'team', id: path.teamId } };
}
