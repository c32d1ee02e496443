import { breaks, type Mutation, step } from '../mutation.ts';

const documentDiffers = step('drift', /^generated\/openapi\.json:\d+ does not match/m);

/** Changes of the contract without generated files. */
export const contractAlone: Mutation[] = [
  {
    name: 'rename a field of a response in the contract only',
    file: 'spec/resources/spaces/spaces.tsp',
    from: '  emoji: string;\n\n  /** Visibility. */',
    to: '  emoticon: string;\n\n  /** Visibility. */',
    failures: [documentDiffers, step('released', 'The property "emoji" was removed')],
  },
  {
    name: 'drop the pattern of ids in the contract only',
    file: 'spec/common/scalars.tsp',
    from: '@pattern("^[a-zA-Z0-9_-]+$")\n@maxLength(128)',
    to: '@maxLength(128)',
    failures: [documentDiffers, step('released', 'The pattern changed from ^[a-zA-Z0-9_-]+$ to none')],
  },
  {
    name: 'loosen the limit of a number in the contract only',
    file: 'spec/common/lists.tsp',
    from: '@maxValue(1000)',
    to: '@maxValue(5000)',
    failures: [documentDiffers],
  },
  {
    name: 'add an optional field to a request in the contract only',
    file: 'spec/resources/spaces/collections.tsp',
    from: '  title?: ContentTitle;\n\n  /** Identifier of the parent collection. Default: the root of the organization. */',
    to: '  title?: ContentTitle;\n\n  /** Icon. */\n  icon?: IconName;\n\n  /** Identifier of the parent collection. Default: the root of the organization. */',
    failures: [documentDiffers],
  },
  {
    name: 'unseal the objects of the contract',
    file: 'tspconfig.yaml',
    from: 'seal-object-schemas: true',
    to: 'seal-object-schemas: false',
    failures: [documentDiffers],
  },
];

/** Failures of every step that requires a contract without errors. */
const faulty = (report: string | RegExp) => [
  step('contract', report),
  ...(['features', 'drift', 'released'] as const).map((part) => step(part, 'There is no document to check.')),
];

/** Errors that the compiler or the rules of the contract report. */
export const contractFaults: Mutation[] = [
  {
    name: 'drop the length limit of a text in requests',
    file: 'spec/resources/spaces/collections.tsp',
    from: '@maxLength(50)\nscalar ContentTitle',
    to: 'scalar ContentTitle',
    failures: faulty(/contract\/string-unbounded: String "title"/),
  },
  {
    name: 'declare a list without pages',
    file: 'spec/resources/spaces/spaces.tsp',
    from: 'list(...OrganizationPath, ...ListQuery): ListOf<Space>',
    to: 'list(...OrganizationPath): ListOf<Space>',
    failures: faulty('contract/list-unpaged'),
  },
  {
    name: 'omit the 401 of every operation',
    file: 'spec/common/errors.tsp',
    from: '  | BadRequest\n  | Unauthorized\n  | Forbidden\n  | TooManyRequests',
    to: '  | BadRequest\n  | Forbidden\n  | Conflict\n  | TooManyRequests',
    failures: faulty(/contract\/errors-missing: .*401/),
  },
  {
    name: 'omit the 404 of an operation on a resource',
    file: 'spec/resources/accounts/teams.tsp',
    from: 'read(...TeamPath): Team | ResourceErrors;',
    to: 'read(...TeamPath): Team | CommonErrors;',
    failures: faulty(/contract\/errors-missing: .*404/),
  },
  {
    name: 'declare a body for a deletion',
    file: 'spec/resources/accounts/teams.tsp',
    from: 'delete(...TeamPath): NoContent | ResourceErrors;',
    to: 'delete(...TeamPath): Team | ResourceErrors;',
    failures: faulty('contract/delete-status'),
  },
  {
    name: 'give two operations the same id',
    file: 'spec/resources/accounts/users.tsp',
    from: '@operationId("getCurrentUser")',
    to: '@operationId("getMember")',
    failures: faulty('contract/operation-id-duplicate'),
  },
  {
    name: 'leave a field without documentation',
    file: 'spec/resources/accounts/teams.tsp',
    from: '  /** Number of members. */\n',
    to: '',
    failures: faulty('contract/doc-missing: Property "Team.members"'),
  },
  {
    name: 'emit another version of OpenAPI',
    file: 'tspconfig.yaml',
    from: 'openapi-versions: [3.1.0]',
    to: 'openapi-versions: [3.0.0]',
    failures: faulty('version 3.1 is required'),
  },
];

/** Changes of the contract that compile, and are reported for reasons other than their meaning. */
export const contractConventions: Mutation[] = [
  {
    name: 'indent a line of the contract differently',
    file: 'spec/resources/accounts/users.tsp',
    from: '  current(): User | CommonErrors;',
    to: '    current(): User | CommonErrors;',
    failures: [step('contract format', 'spec/resources/accounts/users.tsp is not formatted')],
  },
  {
    name: 'use an unknown format',
    file: 'spec/resources/accounts/teams.tsp',
    from: '@minLength(1)\n@maxLength(64)',
    to: '@minLength(1)\n@maxLength(64)\n@format("iso-7")',
    generate: true,
    failures: [
      step('features', 'has the format "iso-7"'),
      ...breaks('The format changed from none to iso-7'),
    ],
  },
];
