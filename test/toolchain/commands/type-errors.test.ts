import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parseProblems } from '../../../spec/toolchain/check/type-check.ts';
import { shortenTypeErrors } from '../../../spec/toolchain/check/type-errors.ts';
import { formatProblem } from '../../../spec/toolchain/problem.ts';

const OPERATIONS = ['listTeams', 'createTeam', 'updateTeam', 'getTeamDetails', 'listFollowers'];

/** Ids that the recorded output mentions; `getTeam` was renamed to `getTeamDetails`. */
const recordedIds = (output: string) =>
  [...output.matchAll(/"([a-z]\w*[A-Z]\w*)" \|/g)].map(([, id = '']) => id).filter((id) => id !== 'getTeam');

/** Shortens the output of the compiler, and formats it as `dev` and `check` print it. */
async function shorten(output: string, operations = OPERATIONS): Promise<string[]> {
  const problems = await shortenTypeErrors(parseProblems(output), {
    operations: new Set(operations),
    fileOf: async (id, mapFile) => (/Team/.test(id) ? 'server/resources/teams/handlers.ts' : mapFile),
  });
  return problems.map(formatProblem);
}

describe('type errors after edits of the contract', () => {
  // In the platform: a field and an operation renamed, an operation added, a field required, an enum value removed.
  test.each(['typescript-7', 'typescript-5'])('take one line each, with %s', async (compiler) => {
    const output = readFileSync(
      join(import.meta.dirname, `../../fixtures/type-errors/${compiler}.txt`),
      'utf8',
    );
    expect(await shorten(output, [...OPERATIONS, ...recordedIds(output)])).toEqual([
      "server/models/team/present.ts:14:5 error TS2353: Property 'title' does not exist; existing: object, id, name, members, spaces, createdAt, permissions.",
      'server/models/team/present.ts:18:47 error TS2345: Type "member" is not assignable to type "owner".',
      'server/models/team/queries.ts:67:37 error TS2345: Type "member" is not assignable to type "owner".',
      "server/models/user/present.ts:11:3 error TS2375: Property 'email' can be missing, but required.",
      'error: getTeamDetails has no handler: add it to server/resources/teams/handlers.ts',
      'server/resources/handlers.ts:27:3 error TS2739: listFollowers has no handler: add it to server/resources/handlers.ts',
      'server/resources/members/handlers.ts:133:11 error TS2322: items.member.role: Type "member" is not assignable to type "owner".',
      "server/resources/teams/handlers.ts:18:3 error TS2344: The contract has no operation 'getTeam': rename it here, or remove it.",
      'server/resources/teams/handlers.ts:110:11 error TS2322: items.team.role: Type "member" is not assignable to type "owner".',
      "test/types/readme.ts:10:20 error TS2339: Property 'title' does not exist; existing: object, id, name, members, spaces, createdAt, permissions.",
    ]);
  });

  test('count the operations without a handler that the compiler does not name', async () => {
    const ids = ['one', 'two', 'three', 'four', 'five', 'six', 'seven'].map((name) => `${name}Team`);
    const output =
      "server/handlers.ts(5,3): error TS2740: Type '{}' is missing the following properties from type 'AllHandlers': oneTeam, twoTeam, threeTeam, fourTeam, and 3 more.";
    const lines = await shorten(output, ids);
    expect(lines).toHaveLength(5);
    expect(lines[0]).toBe('error: oneTeam has no handler: add it to server/resources/teams/handlers.ts');
    expect(lines[4]).toBe('server/handlers.ts:5:3 error TS2740: 3 more operations have no handler.');
  });

  test('name an operation once, however many objects lack its handler', async () => {
    const line =
      "error TS2741: Property 'listTeams' is missing in type '{}' but required in type 'AllHandlers'.";
    expect(await shorten(`server/a.ts(1,1): ${line}\nserver/b.ts(2,2): ${line}\n`)).toEqual([
      'error: listTeams has no handler: add it to server/resources/teams/handlers.ts',
    ]);
  });
});

describe('other type errors', () => {
  const long = `{ id: string; ${'nested: { name: string; }; '.repeat(9)}}`;
  test.each([
    [
      "Property 'title' is missing in type '{ id: string; }' but required in type 'Titled'.",
      "Property 'title' is missing, but required in type 'Titled'.",
    ],
    [
      `Type '${long}' is missing the following properties from type '${long}': one, two`,
      'Properties are missing, but required: one, two',
    ],
    [
      "Object literal may only specify known properties, but 'tilte' does not exist in type '{ id: string; title?: string; }'. Did you mean to write 'title'?",
      "Property 'tilte' does not exist; existing: id, title. Did you mean to write 'title'?",
    ],
    ["Property 'nme' does not exist on type 'Team'.", "Property 'nme' does not exist in type 'Team'."],
    [
      `Type 'undefined' is not assignable to type '${long}' with 'exactOptionalPropertyTypes: true'. Consider adding 'undefined' to the type of the target.`,
      `Type 'undefined' is not assignable to type '{ ${['id', ...Array(7).fill('nested')].join(', ')}, … }' with 'exactOptionalPropertyTypes: true'. Consider adding 'undefined' to the type of the target.`,
    ],
    [
      `Property 'nme' does not exist on type 'Handlers<${long}, object>'.`,
      "Property 'nme' does not exist in type 'Handlers<…>'.",
    ],
    [
      `Type '"x"' is not assignable to type '"private" | "public" | "share-link" | "unlisted" | "visitor-auth" | "hidden"'.`,
      `Type "x" is not assignable to type '"private" | "public" | "share-link" | "unlisted" | …'.`,
    ],
    [`Cannot find name 'foo'.`, `Cannot find name 'foo'.`],
    [
      'No overload matches this call.\n  The last overload gave the following error.\n    Argument of type \'"a"\' is not assignable to parameter of type \'"b"\'.',
      'No overload matches this call.\n  Argument of type "a" is not assignable to parameter of type "b".',
    ],
    [
      "Type '(a: string) => void' is not assignable to type '(a: number) => void'.\n  Types of parameters 'a' and 'a' are incompatible.\n    Type 'number' is not assignable to type 'string'.",
      "parameter a: Type 'number' is not assignable to type 'string'.",
    ],
  ])('%s', async (message, short) => {
    expect(await shorten(`a.ts(1,2): error TS1: ${message}\n`)).toEqual([`a.ts:1:2 error TS1: ${short}`]);
  });

  test('reports an implicit any unless its file has another error', async () => {
    const implicit = "error TS7031: Binding element 'path' implicitly has an 'any' type.";
    expect(await shorten(`a.ts(1,2): ${implicit}\n`)).toHaveLength(1);
    const lines = await shorten(`a.ts(1,2): ${implicit}\na.ts(1,1): error TS2304: Cannot find name 'foo'.\n`);
    expect(lines).toEqual(["a.ts:1:1 error TS2304: Cannot find name 'foo'."]);
  });
});
