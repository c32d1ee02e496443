import { conform, type Mutation, test } from '../mutation.ts';
import { access, badInput, title } from './tests.ts';

/** Servers that compile, with responses that do not conform to the contract. */
export const responses: Mutation[] = [
  {
    name: 'return an undeclared status',
    file: 'server/contract/response/responder.ts',
    from: '      return { status, headers,',
    to: "      return { status: id === 'createTeam' ? 200 : status, headers,",
    failures: [access('createTeam'), conform('createTeam', 'declared-body')],
  },
  {
    name: 'return an undeclared field despite the compiler',
    file: 'server/platform/accounts/teams/present.ts',
    from: "    object: 'team',",
    to: "    ...({ slug: 'writers' } as object),\n    object: 'team',",
    failures: [
      test('test/service/organizations/teams', 'is owned by its creator'),
      conform('createTeam', 'undeclared-fields'),
    ],
  },
  {
    name: 'omit a required field despite the compiler',
    file: 'server/platform/spaces/collections/present.ts',
    from: '    title: row.title,',
    to: '    title: undefined as unknown as string,',
    failures: [
      test('test/service/spaces/collections', 'can be created without a body'),
      conform('createCollection', 'declared-body'),
    ],
  },
  {
    name: 'return text that is not a date for a date',
    file: 'server/platform/accounts/teams/present.ts',
    from: '    createdAt: row.createdAt,',
    to: '    createdAt: new Date(row.createdAt).toDateString(),',
    failures: [
      test('test/service/organizations/teams', 'is owned by its creator'),
      conform('createTeam', 'declared-body'),
    ],
  },
  {
    name: 'return JSON as plain text',
    file: 'server/contract/response/send.ts',
    from: 'typeHeader(kind, contentType));\n    await body.send',
    to: "'text/plain; charset=utf-8');\n    await body.send",
    failures: [
      test('test/contract/responses', 'sends the declared success with its body'),
      conform('getCurrentUser', 'declared-media-type'),
    ],
  },
  {
    name: 'omit the Location of a created resource',
    file: 'server/platform/kit/location.ts',
    from: "  return typeof location === 'string' ? location : undefined;",
    to: "  return typeof location === 'string' ? undefined : undefined;",
    failures: [
      test('test/service/spaces/spaces', 'is created empty'),
      conform('createCollection', 'declared-headers'),
    ],
  },
  {
    name: 'reject a token without naming the scheme',
    file: 'server/contract/request/security.ts',
    from: "    headers: { 'WWW-Authenticate': challenge, ...headers },",
    to: '    headers,',
    also: [
      {
        file: 'server/contract/request/security.ts',
        from: 'function challenged(error: ContractError, challenge: string)',
        to: 'function challenged(error: ContractError, _challenge: string)',
      },
    ],
    failures: [
      test('test/contract/targets', 'returns 401 for an unknown token'),
      conform('getCurrentUser', 'declared-headers'),
    ],
  },
  {
    name: 'reject a method without listing the allowed ones',
    file: 'server/contract/errors.ts',
    from: "    { headers: { Allow: allowed.join(', ') } },",
    to: '',
    failures: [
      test('test/contract/targets', 'returns 405 for the method PUT'),
      conform('getCurrentUser', 'allow-header'),
    ],
  },
  {
    name: 'return errors in another shape',
    file: 'server/contract/response/error-formats.ts',
    from: '      requestId,\n      ...(failure.details',
    to: '      requestId: requestId.length as unknown as string,\n      ...(failure.details',
    failures: [
      badInput('of getTeam is rejected with the invalid field'),
      conform('getTeam', 'declared-body'),
    ],
  },
  {
    name: 'fail on an emoji in a title',
    file: 'server/platform/accounts/teams/rules.ts',
    from: "  const id = ctx.createId('team');",
    to: "  if (/\\p{Extended_Pictographic}|\\p{Script=Han}/u.test(title)) throw new Error('Unsupported characters.');\n  const id = ctx.createId('team');",
    failures: [title('sent'), conform('createTeam', 'no-server-error')],
  },
  {
    name: 'fail on a lone surrogate',
    file: 'server/contract/request/bodies/json.ts',
    from: '    const reason = unsafeText(value);',
    to: "    if (!value.isWellFormed()) throw new TypeError('Malformed text.');\n    const reason = unsafeText(value);",
    failures: [test('test/contract/bodies/bodies', 'rejects text with a lone surrogate')],
  },
];

/** Servers that do not validate requests against the contract. */
export const requests: Mutation[] = [
  {
    name: 'serve invalid requests',
    file: 'server/contract/router.ts',
    from: `  if (faults.length > 0) {
    stream?.destroy();`,
    to: `  if (faults.length > 1000) {
    stream?.destroy();`,
    failures: [
      badInput('of createTeam is rejected with the invalid field'),
      conform('createTeam', 'invalid-input-rejected'),
    ],
  },
  {
    name: 'lose the length limits in the validator',
    file: 'server/contract/validation/normalized.ts',
    from: "  ...['minLength', 'maxLength', 'pattern'],",
    to: "  ...['minLength', 'pattern'],",
    failures: [badInput('of createTeam is rejected with the invalid field')],
  },
  {
    name: 'accept undeclared fields',
    file: 'server/contract/validation/normalized.ts',
    from: "&& keyword !== '$defs') {",
    to: "&& keyword !== '$defs' && keyword !== 'additionalProperties') {",
    failures: [
      badInput('of createTeam is rejected with the invalid field'),
      conform('createTeam', 'invalid-input-rejected'),
    ],
  },
  {
    name: 'accept undeclared parameters',
    file: 'server/contract/request/values/parameters.ts',
    from: '    const found = inQuery.find(name);\n',
    to: '    const found = inQuery.find(name);\n    if (!found) {\n      return undefined;\n    }\n',
    failures: [badInput('of listTeams is rejected with the invalid field')],
  },
  {
    name: 'accept bodies of any media type',
    file: 'server/contract/request/bodies/body.ts',
    from: '    const format = matchMediaType(formats, mediaType.essence);',
    to: '    const format = matchMediaType(formats, mediaType.essence) ?? [...formats.values()][0];',
    failures: [
      test('test/contract/bodies/bodies', 'rejects a body without a media type with 415'),
      conform('createTeam', 'invalid-input-rejected'),
    ],
  },
  {
    name: 'serve an operation without its required body',
    file: 'server/contract/request/bodies/body.ts',
    from: '  const isRequired = requestBody.required === true;',
    to: '  const isRequired = requestBody.required === true && operation.tags === undefined;',
    failures: [test('test/contract/bodies/bodies', 'requires a required body even if')],
  },
  {
    name: 'reject the longest valid title',
    file: 'server/platform/accounts/teams/rules.ts',
    from: "  const id = ctx.createId('team');",
    to: "  if (title.length > 63) throw fieldInvalid('title', 'is too long');\n  const id = ctx.createId('team');",
    also: [
      {
        file: 'server/platform/accounts/teams/rules.ts',
        from: 'import { requireMembers }',
        to: "import { fieldInvalid } from '../../../errors/errors.ts';\nimport { requireMembers }",
      },
    ],
    failures: [title('sent'), conform('createTeam', 'valid-input-accepted')],
  },
];
