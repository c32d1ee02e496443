import { conform, type Mutation, test } from '../mutation.ts';
import { access, title } from './tests.ts';

/** Servers that allow forbidden requests. */
export const permissions: Mutation[] = [
  {
    name: 'let every reader of a collection change it',
    file: 'server/platform/spaces/collections/rules.ts',
    from: "  const { row: before, access } = await collectionFor(trx, caller.id, id, 'admin');",
    to: "  const { row: before, access } = await collectionFor(trx, caller.id, id, 'view');",
    failures: [access('updateCollection')],
  },
  {
    name: 'let every member create teams',
    file: 'server/platform/accounts/teams/rules.ts',
    from: "await requireInOrganization(trx, caller.id, organization, 'ownTeam');",
    to: "await requireInOrganization(trx, caller.id, organization, 'view');",
    failures: [access('createTeam')],
  },
  {
    name: 'treat every user as a member of every organization',
    file: 'server/identity/membership.ts',
    from: "    .where('members.organization', '=', organization)\n    .where('members.user', '=', user)\n    .where(isActiveMember)",
    to: "    .where('members.organization', '=', organization)\n    .where('members.user', '!=', user.slice(99))\n    .where(isActiveMember)",
    failures: [access('getOrganization'), conform('getCollection', 'isolation')],
  },
  {
    name: 'list spaces of other organizations',
    file: 'server/identity/visible-spaces.ts',
    from: ".where('spaces.organization', '=', organization)",
    to: ".where('spaces.organization', '!=', organization.slice(99))",
    failures: [test('test/service/spaces/spaces', 'moves it to another organization')],
  },
  {
    name: 'list spaces to guests without a grant',
    file: 'server/identity/visible-spaces.ts',
    from: '.filter(({ role }) => role === undefined)',
    to: '.filter(({ role, user }) => role === undefined && !user)',
    failures: [test('test/service/spaces/spaces', 'lists only spaces with a grant to a guest')],
  },
  {
    name: 'accept a revoked token',
    file: 'server/identity/caller.ts',
    from: 'row.revokedAt === null &&',
    to: '',
    failures: [test('test/service/access/access', 'getCurrentUser\\W+returns 401')],
  },
  {
    name: 'accept any token as that of a user',
    file: 'server/identity/caller.ts',
    from: "    .where('tokens.hash', '=', hash)",
    to: "    .where('tokens.hash', '>=', '').where('tokens.revokedAt', 'is', null).where('tokens.expiresAt', 'is', null).where('tokens.user', 'like', 'usr%')",
    failures: [
      test('test/service/access/access', 'getCurrentUser\\W+returns 401'),
      conform('getCurrentUser', 'authentication'),
    ],
  },
];

/** Servers with operations that do not have their documented effect. */
export const resources: Mutation[] = [
  {
    name: 'skip an item between two pages of a list',
    file: 'server/database/lists/keyset.ts',
    from: '  const shown = rows.slice(0, limit);',
    to: '  const shown = rows.slice(0, limit + 1);',
    also: [
      {
        file: 'server/database/lists/keyset.ts',
        from: '  return more ? { items, next',
        to: '  if (more) items.pop();\n  return more ? { items, next',
      },
    ],
    failures: [
      test('test/service/lists/lists', 'listCollections\\W+yields each item once'),
      conform('listCollections', 'pages-complete'),
    ],
  },
  {
    name: 'repeat an item on the next page of a list',
    file: 'server/database/lists/keyset.ts',
    from: "first?.direction === 'asc' ? sql`>` : sql`<`;\n    return",
    to: "first?.direction === 'asc' ? sql`>=` : sql`<=`;\n    return",
    failures: [
      test('test/service/lists/lists', 'listCollections\\W+yields each item once'),
      conform('listCollections', 'pages-complete'),
    ],
  },
  {
    name: 'omit new collections from their list',
    file: 'server/platform/spaces/collections/queries/visible.ts',
    from: "(nested ? rows : rows.where('collections.parent', 'is', null))",
    to: "(nested ? rows.where('collections.parent', 'is not', null) : rows)",
    failures: [
      test('test/service/spaces/collections', 'lists only the root'),
      conform('listCollections', 'list-contains-created'),
    ],
  },
  {
    name: 'store a different title',
    file: 'server/platform/spaces/collections/rules.ts',
    from: '      parent,\n      title,\n',
    to: '      parent,\n      title: title.toUpperCase(),\n',
    failures: [test('test/service/spaces/collections', 'is created at the end of its parent')],
  },
  {
    name: 'return an update without storing it',
    file: 'server/platform/accounts/teams/handlers.ts',
    from: '    const { row, access } = await ctx.database.transaction((trx) => updateTeam(trx, ctx, changes));',
    to: `    const { row, access } = await ctx.database.transaction(async (trx) => {
      const updated = await updateTeam(trx, ctx, changes);
      await trx.updateTable('teams').set({ title: 'Forgotten' }).where('id', '=', path.teamId).execute();
      return updated;
    });`,
    failures: [title('changed'), conform('updateTeam', 'read-after-update', 'getTeam')],
  },
  {
    name: 'reset a field that an update omits',
    file: 'server/platform/spaces/collections/rules.ts',
    from: '      id,\n      ...changes,',
    to: '      id,\n      description: null,\n      ...changes,',
    failures: [
      test('test/service/spaces/collections', 'keeps fields that an update omits'),
      conform('updateCollection', 'patch-preserves-omitted'),
    ],
  },
  {
    name: 'report a deletion without deleting',
    file: 'server/platform/accounts/teams/rules.ts',
    from: "  await trx.deleteFrom('teams').where('id', '=', existing.row.id).execute();",
    to: "  await trx.deleteFrom('teams').where('id', '=', existing.row.title).execute();",
    failures: [access('deleteTeam'), conform('deleteTeam', 'read-after-delete', 'getTeam')],
  },
  {
    name: 'reject a repeated deletion',
    file: 'server/platform/spaces/collections/rules.ts',
    from: '  if (!collection) {\n    return;\n',
    to: '  if (!collection) {\n    throw collectionCycle();\n',
    failures: [access('deleteCollection'), conform('deleteCollection', 'idempotent-delete')],
  },
  {
    name: 'count items that the list does not contain',
    file: 'server/database/lists/keyset.ts',
    from: '  return (counted as { count: number }).count;',
    to: '  return (counted as { count: number }).count + 1;',
    failures: [test('test/service/lists/lists', 'listOrganizations\\W+returns only the count')],
  },
  {
    name: 'record the Git information of an import after its content',
    file: 'server/platform/content/git/jobs/import.ts',
    from: '      if (!payload.standalone) {\n        await recordSyncedCommit',
    to: '      if (oid === payload.space) {\n        await recordSyncedCommit',
    failures: [
      test('test/service/git/runs', 'the Git information of a space changes together with its content'),
    ],
  },
  {
    name: 'leave the run of a killed import running',
    file: 'server/platform/content/runs/record.ts',
    from: "      status: 'failed',\n      failureReason: run.fn",
    to: "      status: 'running',\n      failureReason: run.fn",
    failures: [test('test/service/git/runs', 'a job that ended its process repeatedly')],
  },
];
