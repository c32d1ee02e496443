import { expect, test } from 'vitest';
import { slowPatterns } from '../../../spec/toolchain/check/slow-patterns.ts';

/** Messages about a schema of a contract. */
async function messages(schema: object): Promise<string[]> {
  const document = {
    openapi: '3.1.0',
    info: { title: 'Patterns', version: '1' },
    paths: {},
    components: { schemas: { 'a/b': schema } },
  };
  const problems = await slowPatterns(document as never, 'openapi.yaml');
  expect(problems.every(({ severity, file }) => severity === 'warning' && file === 'openapi.yaml')).toBe(
    true,
  );
  return problems.map(({ message }) => message);
}

test('reports an exponential pattern with its place and a text that takes long', async () => {
  const [message, ...others] = await messages({
    type: 'object',
    properties: { code: { pattern: '^(a|a)*$', maxLength: 50 } },
  });
  expect(message).toMatch(
    /^#\/components\/schemas\/a~1b\/properties\/code\/pattern: the pattern \^\(a\|a\)\*\$ takes exponential time for some texts, such as 'a'\.repeat\(\d+\) \+ \S+, so/,
  );
  expect(others).toEqual([]);
  const attack = /such as '(.)'\.repeat\((\d+)\) \+ '\\x00'/.exec(message ?? '');
  // Half of its length already takes RegExp thousands of steps.
  expect(Number(attack?.[2])).toBeGreaterThan(20);
});

test.each<[string, object, RegExp | undefined]>([
  [
    'names of properties',
    { patternProperties: { '(x+x+)+y': {} } },
    /b\/patternProperties\/\(x\+x\+\)\+y: .*exponential/,
  ],
  ['propertyNames', { propertyNames: { pattern: '^(a+)+$' } }, /b\/propertyNames\/pattern: .*exponential/],
  [
    'a part of a schema',
    { anyOf: [{}, { allOf: [{ not: { pattern: '^(a+)+$' } }] }] },
    /anyOf\/1\/allOf\/0\/not\/pattern/,
  ],
  [
    'a polynomial pattern for long texts',
    { pattern: '\\s+$' },
    /polynomial time.*declare a smaller maxLength/,
  ],
  ['a polynomial pattern for texts that are too long', { pattern: '\\s+$', maxLength: 5000 }, /polynomial/],
  ['a polynomial pattern for short texts', { pattern: '\\s+$', maxLength: 200 }, undefined],
  ['a linear pattern', { pattern: '^([\\w-]+\\.)*[\\w-]+$' }, undefined],
  ['an example', { example: { pattern: '^(a+)+$' } }, undefined],
  ['a property with this name', { properties: { pattern: { const: 1 } } }, undefined],
])('finds %s', async (_name, schema, expected) => {
  const found = await messages(schema);
  expect(found).toEqual(expected ? [expect.stringMatching(expected)] : []);
});
