import { expect, test, vi } from 'vitest';
import { MAX_REPORTED_FAULTS } from '../../../server/contract/validation/faults.ts';
import { compileSchema } from '../../../server/contract/validation/schema-check.ts';
import { createSchemas } from '../../../server/contract/validation/schemas.ts';
import { document } from '../small-contract.ts';

const check = createSchemas(document);

test('reports no errors for a valid value', () => {
  expect(check('Widget', { id: 'a', title: 'A', createdAt: '2026-01-01T00:00:00Z' })).toEqual([]);
  expect(check('Order', 'asc')).toEqual([]);
});

test('reports all errors of a value with their paths', () => {
  expect(check('Widget', { id: 7, createdAt: '2026-13-01T00:00:00Z', urls: {} })).toEqual(
    expect.arrayContaining([
      { in: 'body', path: 'id', message: 'must be string' },
      { in: 'body', path: 'title', message: 'is required' },
      { in: 'body', path: 'urls.location', message: 'is required' },
      { in: 'body', path: 'createdAt', message: 'must match format "date-time"' },
    ]),
  );
  expect(check('WidgetCreate', { title: 'a', more: 1 })).toEqual([
    { in: 'body', path: 'more', message: 'is not a known field' },
  ]);
  expect(check('Order', undefined)).toHaveLength(1);
});

test('does not modify the value', () => {
  const value = { title: 'a', size: '7' };
  expect(check('WidgetCreate', value).map(({ path }) => path)).toEqual(['size']);
  expect(value).toEqual({ title: 'a', size: '7' });
});

test('selects variants by their tag', () => {
  expect(check('Shape', { type: 'circle' })).toEqual([
    { in: 'body', path: 'radius', message: 'is required' },
  ]);
});

test('compiles a variant when a value first has its tag', () => {
  const contract = structuredClone(document);
  const schemas = contract.components?.schemas ?? {};
  schemas.Square = {
    ...(schemas.Square as object),
    properties: { type: { const: 'square' }, side: { type: 'string', pattern: '(' } },
  };
  const checkShape = createSchemas(contract);
  expect(checkShape('Shape', { type: 'circle', radius: 1 })).toEqual([]);
  expect(checkShape('WidgetCreate', { title: 'a', shape: { type: 'circle' } })).toEqual([
    { in: 'body', path: 'shape.radius', message: 'is required' },
  ]);
  expect(() => checkShape('Shape', { type: 'square', side: 'a' })).toThrow(SyntaxError);
});

test('knows the properties of the variants of a tagged union in a schema with unevaluatedProperties', () => {
  const contract = structuredClone(document);
  const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
  const variant = (kind: string) => ({
    properties: { kind: { const: kind }, [kind]: {} },
    required: ['kind'],
  });
  const union = { oneOf: [ref('Disc'), ref('Cube')] };
  const named = { type: 'object', properties: { name: { type: 'string' } }, unevaluatedProperties: false };
  Object.assign(contract.components?.schemas ?? {}, {
    Disc: { type: 'object', ...variant('disc') },
    Cube: { type: 'object', ...variant('cube') },
    Solid: union,
    NamedSolid: { ...named, allOf: [ref('Solid')] },
    NamedVariant: { ...named, ...union },
  });
  for (const schema of [ref('NamedSolid'), ref('NamedVariant'), { ...named, ...union }]) {
    const checkSolid = compileSchema(contract, schema);
    expect(checkSolid({ kind: 'disc', disc: 1, name: 'a' })).toEqual([]);
    expect(checkSolid({ kind: 'disc', cube: 1 })).toEqual([
      { in: 'body', path: 'cube', message: 'is not a known field' },
    ]);
  }
});

test('counts lengths in characters', () => {
  const contract = structuredClone(document);
  Object.assign(contract.components?.schemas ?? {}, { Name: { type: 'string', minLength: 2, maxLength: 3 } });
  const checkName = createSchemas(contract);
  for (const name of ['ab', 'abc', '😀😀', '😀😀😀', 'a😀b', '\uD83Da']) {
    expect(checkName('Name', name)).toEqual([]);
  }
  for (const name of ['abcd', '😀😀😀😀', 'abcdefgh']) {
    expect(checkName('Name', name)).toEqual([
      { in: 'body', path: '', message: 'must NOT have more than 3 characters' },
    ]);
  }
  for (const name of ['', 'a', '😀']) {
    expect(checkName('Name', name)).toEqual([
      { in: 'body', path: '', message: 'must NOT have fewer than 2 characters' },
    ]);
  }
});

test('skips counting the characters of a large text if its limit is larger', () => {
  const contract = structuredClone(document);
  const text = { type: 'string', minLength: 1, maxLength: 1_000_000 };
  Object.assign(contract.components?.schemas ?? {}, { Text: text });
  const checkText = createSchemas(contract);
  const walk = vi.spyOn(String.prototype, Symbol.iterator);
  const read = vi.spyOn(String.prototype, 'charCodeAt');
  try {
    expect(checkText('Text', 'a'.repeat(500_000))).toEqual([]);
    expect(walk.mock.contexts.filter((walked) => String(walked).length === 500_000)).toEqual([]);
    expect(read.mock.calls.length).toBeLessThan(100_000);
  } finally {
    walk.mockRestore();
    read.mockRestore();
  }
});

test('limits the number of errors, and reports only the first of a large value', () => {
  const marks = (count: number) => ({ title: 'a', marks: Array(count).fill(0) });
  expect(check('WidgetCreate', marks(1000))).toHaveLength(MAX_REPORTED_FAULTS);
  expect(check('WidgetCreate', marks(100_000))).toHaveLength(1);
});

test('throws for a name that the contract lacks', () => {
  for (const name of ['Nothing', 'toString', '__proto__']) {
    expect(() => check(name, {})).toThrow(`The contract has no schema ${name}.`);
  }
});

test('rejects undeclared properties of responses only if it is sealed', () => {
  const widget = { id: 'a', title: 'A', createdAt: '2026-01-01T00:00:00Z', more: 1 };
  const schema = { $ref: '#/components/schemas/Widget' };
  expect(compileSchema(document, schema)(widget)).toEqual([]);
  expect(compileSchema(document, schema, undefined, true)(widget)).toEqual([
    { in: 'body', path: 'more', message: 'is not a known field' },
  ]);
});
