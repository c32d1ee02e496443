import { expect, test } from 'vitest';
import { exampleValue } from '../../../server/contract/docs/example-value.ts';
import { createFieldView } from '../../../server/contract/docs/fields.ts';
import { contractOf } from '../bodies/serve-bodies.ts';

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const field = (name: string) => ({
  type: 'object',
  properties: { [name]: { type: 'string', description: `${name}-text` } },
});

const contract = contractOf(
  {},
  {
    Id: { type: 'string', description: 'Id-text' },
    User: { type: 'object', properties: { first: ref('Id'), second: ref('Id'), friend: ref('User') } },
    Amount: field('amount'),
    Pair: field('pair'),
    Base: {
      ...field('kind'),
      required: ['kind'],
      discriminator: { propertyName: 'kind', mapping: { a: 'A' } },
    },
    A: { allOf: [ref('Base'), field('onlyA')] },
    B: { allOf: [ref('Base'), field('onlyB')] },
  },
);
const shown = (schema: unknown) => createFieldView(contract, (name) => `models/${name}`).fields(schema).text;

test('all variants of the unions in a composition are shown', () => {
  const schema = {
    allOf: [
      field('own'),
      { oneOf: [{ allOf: [{ title: 'Quoted', ...field('quote') }, ref('Amount')] }, ref('Pair')] },
      { anyOf: [field('left'), { allOf: [{ oneOf: [field('inner'), ref('User')] }] }] },
    ],
  };
  const text = shown(schema);
  for (const name of ['own', 'quote', 'amount', 'pair', 'left', 'inner']) {
    expect(text, name).toContain(`${name}-text`);
  }
  expect(text.match(/One of:/g)).toHaveLength(3);
  expect(text).not.toContain('>any<');
});

test('a repeated reference is shown each time, and a recursive one by its name', () => {
  const text = shown(ref('User'));
  expect(text.match(/Id-text/g)).toHaveLength(2);
  expect(text).toContain('<a href="models/User">User</a>');
});

test('the schemas that inherit from a schema are its variants, and an example is one of them', () => {
  const text = shown(ref('Base'));
  expect(text).toContain('onlyA-text');
  expect(text).toContain('onlyB-text');
  expect(exampleValue(contract, ref('Base'), 'response')).toEqual({ kind: 'a', onlyA: 'text' });
  expect(exampleValue(contract, ref('B'), 'response')).toEqual({ kind: 'B', onlyB: 'text' });
});
