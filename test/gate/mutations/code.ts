import { type Mutation, step, types } from '../mutation.ts';

/** Mistakes in the server, the client and the tests that the compiler, the formatter or the linter reports. */
export const code: Mutation[] = [
  {
    name: 'remove a handler',
    file: 'server/platform/accounts/users/handlers.ts',
    from: `  async getCurrentUser(_request, { caller, resourceUrls }) {
    return presentUser(caller.user, resourceUrls);
  },
`,
    to: '',
    failures: [types('server/platform/accounts/users/handlers.ts')],
  },
  {
    name: 'serve an undeclared operation',
    file: 'server/platform/spaces/collections/handlers.ts',
    from: '  async deleteCollection({ path }, ctx) {',
    to: '  async paintCollection() {},\n\n  async deleteCollection({ path }, ctx) {',
    failures: [types('server/platform/spaces/collections/handlers.ts')],
  },
  {
    name: 'misspell a field of a response',
    file: 'server/platform/spaces/spaces/present.ts',
    from: "    emoji: row.emoji ?? '',",
    to: "    emojis: row.emoji ?? '',",
    failures: [types('server/platform/spaces/spaces/present.ts')],
  },
  {
    name: 'return an undeclared field',
    file: 'server/platform/accounts/users/present.ts',
    from: "    object: 'user',",
    to: "    object: 'user',\n    createdAt: row.createdAt,",
    failures: [types('server/platform/accounts/users/present.ts')],
  },
  {
    name: 'return null for an optional field',
    file: 'server/platform/spaces/collections/present.ts',
    from: '    ...(row.description !== null && { description: row.description }),',
    to: '    description: row.description,',
    failures: [types('server/platform/spaces/collections/present.ts')],
  },
  {
    name: 'return a value that is not in the enumeration',
    file: 'server/platform/accounts/organizations/present.ts',
    from: "trial: { status: 'notapplicable', count: 0 }",
    to: "trial: { status: 'never', count: 0 }",
    failures: [types('server/platform/accounts/organizations/present.ts')],
  },
  {
    name: 'return a body where none is declared',
    file: 'server/platform/accounts/members/handlers.ts',
    from: `deleteMember(trx, ctx, memberNameOf(path)));`,
    to: `deleteMember(trx, ctx, memberNameOf(path)));
      return { id: path.userId };`,
    failures: [types('server/platform/accounts/members/handlers.ts')],
  },
  {
    name: 'specify the status of an operation with a single one',
    file: 'server/platform/accounts/saml-providers/handlers.ts',
    from: '    return await providerPresenter(database.query, access, resourceUrls)(row);',
    to: `    const body = await providerPresenter(database.query, access, resourceUrls)(row);
    return { status: 203, body };`,
    failures: [types('server/platform/accounts/saml-providers/handlers.ts')],
  },
  {
    name: 'read an undeclared parameter',
    file: 'server/platform/spaces/spaces/handlers.ts',
    from: 'filters: { organization: path.organizationId },',
    to: 'filters: { organization: path.organizationId, title: query.title },',
    failures: [types('server/platform/spaces/spaces/handlers.ts')],
  },
  {
    name: 'store a field that requests lack',
    file: 'server/platform/accounts/teams/rules.ts',
    from: "  { organization, team, title }: TeamName & Schemas['TeamPatch'],",
    to: "  { organization, team, title, colour }: TeamName & Schemas['TeamPatch'],",
    failures: [types('server/platform/accounts/teams/rules.ts')],
  },
  {
    name: 'do not decide on a permission of the contract',
    file: 'server/identity/permissions.ts',
    from: "  merge: 'review',\n",
    to: '',
    failures: [types('server/identity/permissions.ts')],
  },
  {
    name: 'call an unknown path',
    file: 'test/service/spaces/collections.test.ts',
    from: "await server.admin.client.POST('/v1/collections/{collectionId}/move'",
    to: "await server.admin.client.POST('/v1/collections/{collectionId}/shift'",
    failures: [types('test/service/spaces/collections.test.ts')],
  },
  {
    name: 'let the client paginate every path',
    file: 'client/types.ts',
    from: `  [P in PathWith<Paths, 'get'>]: Data<Paths, P, 'get'> extends ListBody
    ? 'next' extends keyof Data<Paths, P, 'get'>
      ? P
      : never
    : never;
}[PathWith<Paths, 'get'>];`,
    to: `  [P in PathWith<Paths, 'get'>]: P;
}[PathWith<Paths, 'get'>];`,
    failures: [types('test/types/client.ts')],
  },
  {
    name: 'let handlers return any status',
    file: 'server/contract/response/reply-types.ts',
    from: 'type StatusOf<Key> = Key extends number ? Key : number;',
    to: 'type StatusOf<Key> = Key extends number ? number : number;',
    failures: [types('test/types/handlers.ts')],
  },
  {
    name: 'bypass the types with any',
    file: 'server/platform/content/revisions/view.ts',
    from: '  { metadata, site }: { metadata: boolean; site?: string | undefined },',
    to: '  // biome-ignore format: one mistake at a time\n  { metadata, site }: any,',
    failures: [step('lint', 'noExplicitAny')],
  },
  {
    name: 'format a file differently',
    file: 'server/contract/errors.ts',
    from: 'this.reason = reason;',
    to: 'this.reason=reason;',
    failures: [step('format', 'server/contract/errors.ts is not formatted')],
  },
];
