import { conform, type Mutation, test } from '../mutation.ts';
import { access, badInput, title } from './tests.ts';

/** Servers that compile and answer otherwise than the contract says, in form. */
export const responses: Mutation[] = [
  {
    name: 'answer another status than the contract declares',
    file: 'server/contract/router.ts',
    from: '  res.statusCode = status;',
    to: "  res.statusCode = id === 'createTeam' ? 200 : status;",
    failures: [access('createTeam'), conform('createTeam', 'declared-body')],
  },
  {
    name: 'answer a field that the contract does not declare, past the compiler',
    file: 'server/models/teams/present.ts',
    from: "    object: 'team',",
    to: "    ...({ slug: 'writers' } as object),\n    object: 'team',",
    failures: [
      test('test/service/organizations/teams', 'is owned by its creator'),
      conform('createTeam', 'undeclared-fields'),
    ],
  },
  {
    name: 'leave out a field that the contract promises, past the compiler',
    file: 'server/models/collections/present.ts',
    from: '    title: row.title,',
    to: '    title: undefined as unknown as string,',
    failures: [
      test('test/service/spaces/collections', 'is created at the end of its parent'),
      conform('createCollection', 'declared-body'),
    ],
  },
  {
    name: 'answer text that is no date where the contract promises one',
    file: 'server/models/teams/present.ts',
    from: '    createdAt: row.createdAt,',
    to: '    createdAt: new Date(row.createdAt).toDateString(),',
    failures: [
      test('test/service/organizations/teams', 'is owned by its creator'),
      conform('createTeam', 'declared-body'),
    ],
  },
  {
    name: 'answer JSON as plain text',
    file: 'server/contract/router.ts',
    from: "res.setHeader('Content-Type', 'application/json; charset=utf-8')",
    to: "res.setHeader('Content-Type', 'text/plain; charset=utf-8')",
    failures: [
      test('test/contract/responses', 'sends the declared success with its body'),
      conform('getCurrentUser', 'declared-media-type'),
    ],
  },
  {
    name: 'leave out the address of what was created',
    file: 'server/resources/kit/location.ts',
    from: "  return typeof location === 'string' ? location : undefined;",
    to: "  return typeof location === 'string' ? undefined : undefined;",
    failures: [
      test('test/service/spaces/spaces', 'is created empty'),
      conform('createCollection', 'declared-headers'),
    ],
  },
  {
    name: 'refuse a token without saying which one is wanted',
    file: 'server/contract/errors.ts',
    from: "  new ContractError(401, 'unauthenticated', message, { headers: { 'WWW-Authenticate': 'Bearer' } });",
    to: "  new ContractError(401, 'unauthenticated', message);",
    failures: [
      test('test/contract/targets', 'returns 401 for an unknown token'),
      conform('getCurrentUser', 'declared-headers'),
    ],
  },
  {
    name: 'refuse a method without saying which are allowed',
    file: 'server/contract/errors.ts',
    from: "    { headers: { Allow: allowed.join(', ') } },",
    to: '',
    failures: [
      test('test/contract/targets', 'returns 405 for the method PUT'),
      conform('getCurrentUser', 'allow'),
    ],
  },
  {
    name: 'answer failures in another shape',
    file: 'server/contract/error-handler.ts',
    from: '        requestId,\n        ...(failure.details',
    to: '        requestId: 7 as unknown as string,\n        ...(failure.details',
    failures: [
      badInput('of getTeam is rejected with the invalid field'),
      conform('getTeam', 'declared-body'),
    ],
  },
  {
    name: 'fail on a picture in a title',
    file: 'server/resources/teams/rules.ts',
    from: "  const id = ctx.makeId('team');",
    to: "  if (/\\p{Extended_Pictographic}|\\p{Script=Han}/u.test(title)) throw new Error('Nobody can spell that.');\n  const id = ctx.makeId('team');",
    failures: [title('sent'), conform('createTeam', 'no-server-error')],
  },
  {
    name: 'fail on half of a character',
    file: 'server/contract/body.ts',
    from: "    return !value.isWellFormed() && report('must not contain an unpaired surrogate');",
    to: "    if (!value.isWellFormed()) throw new TypeError('What is that?');\n    return false;",
    failures: [test('test/contract/bodies', 'rejects text with a lone surrogate')],
  },
];

/** Servers that do not hold requests against the contract. */
export const requests: Mutation[] = [
  {
    name: 'serve requests whatever is wrong with them',
    file: 'server/contract/router.ts',
    from: '  if (faults.length > 0) {',
    to: '  if (faults.length > 1000) {',
    failures: [
      badInput('of createTeam is rejected with the invalid field'),
      conform('createTeam', 'bad-input-refused'),
    ],
  },
  {
    name: 'lose the length limits on the way to the validator',
    file: 'server/contract/lean.ts',
    from: "const OMITTED_KEYWORDS = new Set(['discriminator',",
    to: "const OMITTED_KEYWORDS = new Set(['maxLength', 'discriminator',",
    failures: [badInput('of createTeam is rejected with the invalid field')],
  },
  {
    name: 'take fields that the contract does not have',
    file: 'server/contract/lean.ts',
    from: "const OMITTED_KEYWORDS = new Set(['discriminator',",
    to: "const OMITTED_KEYWORDS = new Set(['additionalProperties', 'discriminator',",
    failures: [
      badInput('of createTeam is rejected with the invalid field'),
      conform('createTeam', 'bad-input-refused'),
    ],
  },
  {
    name: 'take parameters that the contract does not have',
    file: 'server/contract/target.ts',
    from: "      fault('is not a known parameter');\n",
    to: '      continue;\n',
    failures: [badInput('of listTeams is rejected with the invalid field')],
  },
  {
    name: 'take bodies of any media type',
    file: 'server/contract/body.ts',
    from: "type?.trim() !== 'application/json'",
    to: 'type === undefined',
    failures: [
      test('test/contract/bodies', 'rejects a body without a media type with 415'),
      conform('createTeam', 'bad-input-refused'),
    ],
  },
  {
    name: 'serve an operation without the body that it needs',
    file: 'server/contract/body.ts',
    from: '  const isRequired = requestBody.required === true;',
    to: '  const isRequired = requestBody.required === true && operation.tags === undefined;',
    failures: [test('test/contract/bodies', 'requires a required body even if')],
  },
  {
    name: 'refuse the longest title that the contract allows',
    file: 'server/resources/teams/rules.ts',
    from: "  const id = ctx.makeId('team');",
    to: "  if (title.length > 63) throw fieldInvalid('title', 'is too long');\n  const id = ctx.makeId('team');",
    also: [
      {
        file: 'server/resources/teams/rules.ts',
        from: 'import { requireMembers }',
        to: "import { fieldInvalid } from '../../errors.ts';\nimport { requireMembers }",
      },
    ],
    failures: [title('sent'), conform('createTeam', 'good-input-accepted')],
  },
];
