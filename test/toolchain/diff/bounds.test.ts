import { describe, expect, test } from 'vitest';
import { findDifferences } from '../../../spec/toolchain/diff/diff.ts';
import { limitationEntriesOf } from '../../../spec/toolchain/diff/entries.ts';
import { formats } from '../../../spec/toolchain/diff/report/report.ts';
import type { Json, JsonObject } from '../../../spec/toolchain/document.ts';
import { documentOf } from '../../../spec/toolchain/main.ts';
import { responseOf } from './cases/document.ts';

const ref = (name: string): Json => ({ $ref: `#/components/schemas/${name}` });
const names = (prefix: string, count: number) =>
  Array.from({ length: count }, (_, index) => `${prefix}${index}`);

/** Builds a union of objects, each with one property. */
const union = (prefix: string, count: number, more: JsonObject = {}): JsonObject => ({
  oneOf: names(prefix, count).map((name) => ({
    type: 'object',
    properties: { [name]: { type: 'string', ...more } },
    required: [name],
  })),
});

/** Compares documents with one response. */
function differences(schema: Json, base: JsonObject, head: JsonObject) {
  const { changes, limitations } = findDifferences(
    documentOf('base', responseOf(schema, { schemas: base })),
    documentOf('head', responseOf(schema, { schemas: head })),
  );
  return {
    changes: changes.map(({ location, rule }) => `${location} | ${rule}`),
    limitations: limitationEntriesOf(limitations),
  };
}

const combined = { Both: { allOf: [ref('Left'), ref('Right')] } };

describe('unions with too many combinations', () => {
  const base = { ...combined, Left: union('left', 40), Right: union('right', 40) };

  test('are equal if each union is', () => {
    const { Left, Right } = base;
    expect(
      differences(ref('Both'), base, { Left, Right, Both: { allOf: [ref('Right'), ref('Left')] } }),
    ).toEqual({ changes: [], limitations: [] });
  });

  test('are compared one by one, and the report states where and why', () => {
    const head = { ...combined, Left: union('left', 40, { maxLength: 9 }), Right: union('right', 41) };
    const { changes, limitations } = differences(ref('Both'), base, head);
    expect(new Set(changes)).toEqual(
      new Set([
        ...names('left', 40).map((name) => `response 200: <{${name}}>.${name} | response-limit-narrowed`),
        'response 200 | response-variant-widened',
      ]),
    );
    expect(limitations).toEqual([
      {
        place: 'schema Both',
        message:
          'Its unions within allOf have 1640 combinations, more than 512. Each schema of the allOf is compared on its own.',
        operations: ['useWidget'],
      },
    ]);
  });

  test.each(['text', 'markdown', 'json', 'html'] as const)('are in the report: %s', (format) => {
    const head = { ...combined, Left: union('left', 40), Right: union('right', 41) };
    const [before, after] = [base, head].map((schemas, index) =>
      documentOf(`${index}.json`, responseOf(ref('Both'), { schemas })),
    );
    if (!before || !after) {
      throw new Error('There are two documents.');
    }
    const approvalResult = { approved: new Map(), notices: [] };
    const document = { name: 'a.json', release: '1.0.0' };
    const report = formats[format]({
      base: document,
      head: document,
      ...findDifferences(before, after),
      approvalResult,
      omitted: 0,
    });
    expect(report).toContain('1640 combinations');
    expect(report).toContain('schema Both');
  });

  test('are compared in the same way if only one document has too many', () => {
    const few = { ...combined, Left: union('left', 40), Right: union('right', 12) };
    const many = { ...few, Right: union('right', 13) };
    expect(differences(ref('Both'), few, many).changes).toEqual(['response 200 | response-variant-widened']);
    expect(differences(ref('Both'), many, few).changes).toEqual(['response 200 | response-variant-narrowed']);
  });

  test('report a union that no longer applies', () => {
    const { changes } = differences(ref('Both'), base, { ...base, Both: { allOf: [ref('Left')] } });
    expect(changes).toEqual(['response 200 | response-keyword-changed']);
    const withoutUnions = differences(ref('Both'), base, { ...base, Both: { type: 'object' } });
    expect(withoutUnions.changes).toEqual(['response 200 | response-keyword-changed']);
  });
});

test('compares recursive unions that allOf merges at each level', () => {
  // Merging the items of n variants at each level would have 2^n results.
  const block = (name: string, text: JsonObject): JsonObject => ({
    type: 'object',
    required: ['type', 'nodes'],
    properties: { type: { const: name }, text: { ...text }, nodes: { type: 'array', items: ref('Block') } },
  });
  const schemas = (text: JsonObject): JsonObject => ({
    Block: { oneOf: names('block', 30).map((name) => block(name, text)) },
    Inner: { oneOf: names('block', 14).map((name) => block(name, text)) },
    Page: {
      allOf: [
        { type: 'object', properties: { nodes: { type: 'array', items: ref('Block') } } },
        { type: 'object', properties: { nodes: { type: 'array', items: ref('Inner') } } },
      ],
    },
  });
  const { changes, limitations } = differences(
    ref('Page'),
    schemas({ type: 'string' }),
    schemas({ type: 'integer' }),
  );
  expect(limitations).toEqual([]);
  const located = (at: string, count: number) =>
    names('block', count).map(
      (name) => `response 200: ${at}<{type: "${name}"}>.text | response-type-changed`,
    );
  // The items of the merged items are those of Block, which has more variants.
  expect(new Set(changes)).toEqual(
    new Set([...located('nodes[]', 14), ...located('nodes[]<{type: "block0"}>.nodes[]', 30)]),
  );
});

test('bounds the number of schemas that allOf merges at each level of a recursion', () => {
  // The sets of schemas that are merged are all subsets of these: 2^16.
  const states = (text: string): JsonObject =>
    Object.fromEntries(
      names('State', 16).map((name, index) => {
        const next = index < 15 ? ref(`State${index + 1}`) : { type: 'object' };
        const properties = {
          a: next,
          b: { allOf: [next, ref('State0')] },
          ...(index === 15 && { text: { type: text } }),
        };
        return [name, { type: 'object', properties }];
      }),
    );
  const { changes, limitations } = differences(ref('State0'), states('string'), states('integer'));
  expect(changes).toContain(`response 200: ${'a.'.repeat(15)}text | response-type-changed`);
  const message = 'Its allOf merges more than 2000 schemas. Each schema of the allOf is compared on its own.';
  expect(limitations.map((limitation) => limitation.message)).toEqual(limitations.map(() => message));
  expect(limitations.map(({ place }) => place)).toEqual(expect.arrayContaining(['schema State0']));
  expect(limitations.length).toBeLessThanOrEqual(16);
});

test('bounds the comparisons of removed and added variants with all others', () => {
  const variants = (prefix: string, count: number) =>
    names(prefix, count).map((name) => ({
      type: 'object',
      properties: { [name]: {} },
      required: [name],
    }));
  const document = (...prefixes: string[]) => ({
    Union: { anyOf: [...variants('same', 2), ...prefixes.flatMap((prefix) => variants(prefix, 50))] },
  });
  const { changes, limitations } = differences(ref('Union'), document('old'), document('new'));
  expect(changes).toHaveLength(100);
  expect(limitations).toEqual([
    {
      place: 'schema Union',
      message:
        '50 of 52 variants were removed, and 50 of 52 added. They are too many to determine which others include them.',
      operations: ['useWidget'],
    },
  ]);
  expect(differences(ref('Union'), document('old'), document('old', 'new')).limitations).toEqual([]);
});
