import { breaks, type Mutation, test, types } from '../mutation.ts';

/** Failing row of the expected table of operations. */
const operationsTest = (name: string) =>
  test('test/toolchain/contract/operations', name.replaceAll(/[{}]/g, '\\$&'));

/** Changes of the contract with generated files, without changes of the rest. */
export const contractGenerated: Mutation[] = [
  {
    name: 'rename a field of a response and generate',
    file: 'spec/resources/accounts/teams.tsp',
    from: '  spaces: int32;',
    to: '  reach: int32;',
    generate: true,
    failures: [
      ...breaks('The property "spaces" was removed'),
      types('test/service/organizations/teams.test.ts', "Property 'spaces' does not exist"),
    ],
  },
  {
    name: 'give a field of a response another type',
    file: 'spec/resources/accounts/teams.tsp',
    from: '  createdAt: utcDateTime;',
    to: '  createdAt: int64;',
    generate: true,
    failures: [
      ...breaks('The type changed from string to integer'),
      types('server/platform/accounts/teams/present.ts', "'string' is not assignable to type 'number'"),
    ],
  },
  {
    name: 'require a field that the server may omit',
    file: 'spec/resources/spaces/collections.tsp',
    from: '  description?: string;\n\n  /** Identifier of the organization that owns the collection. */',
    to: '  description: string;\n\n  /** Identifier of the organization that owns the collection. */',
    generate: true,
    failures: [types('server/platform/spaces/collections/present.ts')],
  },
  {
    name: 'make a field of a response optional',
    file: 'spec/resources/accounts/organizations.tsp',
    from: '  createdAt: utcDateTime;',
    to: '  createdAt?: utcDateTime;',
    generate: true,
    failures: [
      ...breaks('The property "createdAt" became optional'),
      types('server/platform/integrations/integrations/present.ts'),
    ],
  },
  {
    name: 'make a field of a response nullable',
    file: 'spec/resources/accounts/users.tsp',
    from: '  displayName: string;',
    to: '  displayName: string | null;',
    generate: true,
    failures: [
      ...breaks(/displayName.*: null is sent now/),
      types('test/service/organizations/teams.test.ts', "'null' cannot be used as an index"),
    ],
  },
  {
    name: 'require a new field of a request',
    file: 'spec/resources/accounts/saml.tsp',
    from: 'model SamlProviderCreate {',
    to: 'model SamlProviderCreate {\n  /** Color. */\n  colour: ShortText;\n',
    also: [
      {
        file: 'spec/resources/accounts/saml.tsp',
        from: '  label: "Acme accounts",',
        to: '  label: "Acme accounts",\n  colour: "red",',
      },
    ],
    generate: true,
    failures: [
      ...breaks('The required property "colour" was added'),
      types('test/service/organizations/saml.test.ts'),
    ],
  },
  {
    name: 'tighten the length of a text in requests',
    file: 'spec/resources/accounts/teams.tsp',
    from: '@minLength(1)\n@maxLength(64)',
    to: '@minLength(1)\n@maxLength(32)',
    generate: true,
    failures: breaks('maxLength changed from 64 to 32'),
  },
  {
    name: 'tighten the limit of a number in the query',
    file: 'spec/common/lists.tsp',
    from: '@maxValue(1000)',
    to: '@maxValue(100)',
    generate: true,
    failures: breaks('maximum changed from 1000 to 100'),
  },
  {
    name: 'change the default of a parameter',
    file: 'spec/common/lists.tsp',
    from: 'limit?: int32 = 50;',
    to: 'limit?: int32 = 20;',
    generate: true,
    failures: [test('test/toolchain/contract/defaults', 'defaults')],
  },
  {
    name: 'remove a value of an enumeration of requests',
    file: 'spec/common/roles.tsp',
    from: ',\n\n  /** The role that the parent grants. */\n  inherit,',
    to: ',',
    generate: true,
    failures: [
      ...breaks('The value "inherit" is no longer accepted'),
      types('server/platform/spaces/collections/rules.ts'),
    ],
  },
  {
    name: 'remove a value of an enumeration of responses',
    file: 'spec/resources/spaces/spaces.tsp',
    from: '  /** Everyone who can read the parent collection. */\n  `in-collection`,\n\n',
    to: '',
    generate: true,
    failures: [types('server/platform/spaces/publications/publications.ts')],
  },
  {
    name: 'remove an operation',
    file: 'spec/resources/spaces/spaces.tsp',
    from: `  /**
   * Creates a copy of a space in the same parent, with the same content but without the history.
   * Quotas: spaces, pages.
   */
  @operationId("duplicateSpace")
  @summary("Duplicate a space")
  @post
  @route("/duplicate")
  duplicate(...SpacePath, ...IdempotencyKeyHeader):
    | Created<Space>
    | ResourceErrors
    | Conflict;

`,
    to: '',
    generate: true,
    failures: [
      ...breaks('POST /v1/spaces/{spaceId}/duplicate was removed'),
      types('server/platform/spaces/spaces/handlers.ts', 'duplicateSpace'),
      operationsTest('POST /v1/spaces/{spaceId}/duplicate'),
    ],
  },
  {
    name: 'add an operation without a handler',
    file: 'spec/resources/accounts/users.tsp',
    from: '  current(): User | CommonErrors;',
    to: `  current(): User | CommonErrors;

  /** Retrieves a user. */
  @operationId("getUser")
  @summary("Get a user")
  @get
  @route("/v1/users/{userId}")
  read(
    /** Identifier of the user. */
    @path userId: Identifier,
  ): User | ResourceErrors;`,
    generate: true,
    failures: [
      {
        part: 'types',
        report: /^error: getUser has no handler: add it to server\/platform\/accounts\/users\/handlers\.ts$/m,
      },
      operationsTest('has no operation that is in neither table'),
    ],
  },
  {
    name: 'rename an operation',
    file: 'spec/resources/accounts/teams.tsp',
    from: '@operationId("getTeam")',
    to: '@operationId("getWriters")',
    generate: true,
    failures: [types('server/platform/accounts/teams/handlers.ts', 'getTeam')],
  },
  {
    name: 'move an operation to another path',
    file: 'spec/resources/spaces/collections.tsp',
    from: '@route("/move")',
    to: '@route("/relocate")',
    generate: true,
    failures: [
      ...breaks('to POST /v1/collections/{collectionId}/relocate'),
      types('test/service/spaces/collections.test.ts', '/move'),
      operationsTest('POST /v1/collections/{collectionId}/move'),
    ],
  },
  {
    name: 'give an operation another method',
    file: 'spec/resources/accounts/invitations.tsp',
    from: '@operationId("updateLinkInvite")\n  @summary("Update an invite link")\n  @patch',
    to: '@operationId("updateLinkInvite")\n  @summary("Update an invite link")\n  @put',
    generate: true,
    failures: [
      ...breaks('to PUT /v1/orgs/{organizationId}/link-invites/{inviteId}'),
      types('test/service/organizations/invitations.test.ts'),
    ],
  },
  {
    name: 'remove a parameter that the server reads',
    file: 'spec/resources/accounts/teams.tsp',
    from: `
    /** Return only teams whose title contains this text (case-insensitive). */
    @query title?: ShortText,
`,
    to: '',
    generate: true,
    failures: [
      ...breaks('listTeams, query parameter title: It was removed'),
      types('server/platform/accounts/teams/handlers.ts', "Property 'title' does not exist"),
      operationsTest('GET /v1/orgs/{organizationId}/teams '),
    ],
  },
  {
    name: 'require a parameter that was optional',
    file: 'spec/resources/accounts/teams.tsp',
    from: '@query owner?: Identifier,',
    to: '@query owner: Identifier,',
    generate: true,
    failures: [
      ...breaks('query parameter owner: It became required'),
      types('test/service/organizations/teams.test.ts', 'No overload matches this call'),
    ],
  },
  {
    name: 'declare another success status',
    file: 'spec/resources/accounts/teams.tsp',
    from: `  create(...OrganizationPath, ...IdempotencyKeyHeader, @body body: TeamCreate):
    | CreatedWithoutLocation<Team>
    | ResourceErrors
    | Conflict;`,
    to: `  create(...OrganizationPath, ...IdempotencyKeyHeader, @body body: TeamCreate):
    | Team
    | ResourceErrors
    | Conflict;`,
    generate: true,
    failures: [
      ...breaks('createTeam, response 201: The status 201 was removed'),
      operationsTest('PUT /v1/orgs/{organizationId}/teams '),
    ],
  },
  {
    name: 'drop a header of a response',
    file: 'spec/common/parameters.tsp',
    from: `  @statusCode _: 201;

  @doc("Absolute URL of the \${target} (RFC 9110, section 10.2.2).")
  @header
  location: string;

  @body body: Resource;`,
    to: '  @statusCode _: 201;\n  @body body: Resource;',
    generate: true,
    failures: breaks('header location of response 201: The header was removed'),
  },
  {
    name: 'remove authentication from the contract',
    file: 'spec/main.tsp',
    from: '@useAuth(AccessToken)\n',
    to: '',
    generate: true,
    failures: [test('test/toolchain/contract/defaults', 'token')],
  },
  {
    name: 'add a permission that the server does not decide on',
    file: 'spec/resources/spaces/collections.tsp',
    from: '  /** Whether the caller can create spaces and collections in the collection. */\n  create: boolean;',
    to: '  /** Whether the caller can create spaces and collections in the collection. */\n  create: boolean;\n\n  /** Whether the caller can paint the collection. */\n  paint: boolean;',
    generate: true,
    failures: [types('server/identity/permissions.ts')],
  },
];
