import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { OpenApiDocument as RuntimeDocument } from '../../../server/contract/index.ts';
import { unsupportedSchemas } from '../../../server/contract/validation/problems/unsupported.ts';
import { compileSchema } from '../../../server/contract/validation/schema-check.ts';
import type { Json, JsonObject, OpenApiDocument } from '../../../spec/toolchain/document.ts';
import { createGenerator, resolveProject } from '../../../spec/toolchain/main.ts';
import { run } from '../../../spec/toolchain/run.ts';

// Types accept what validation accepts. Each case has schemas, values that compile as the type of the schema `Value`, and
// values that do not. One program contains them all.

interface Case {
  schemas: JsonObject;
  valid: Json[];
  invalid: Json[];
  /**
   * Values that compile as little, but are valid: with undeclared properties, which TypeScript rejects in literals, or of
   * a JSON type that the keywords only imply.
   */
  unexpected?: Json[];
  /** Statements with a value `value` of the type. */
  reads?: string[];
}

const ref = (name: string, ...inner: string[]) => ({
  $ref: `#/components/schemas/${[name, ...inner].join('/')}`,
});
const text = { type: 'string' };
const number = { type: 'integer' };
const object = (properties: JsonObject, required = Object.keys(properties)) => ({
  type: 'object',
  required,
  properties,
});
const variant = (kind: JsonObject, name: string) => object({ kind, [name]: text });

const CASES: Record<string, Case> = {
  'a base that its own mapping does not name': {
    schemas: {
      Kind: { type: 'string', enum: ['created', 'deleted', 'other'] },
      Event: {
        ...object({ kind: ref('Kind') }),
        discriminator: {
          propertyName: 'kind',
          mapping: { created: 'Created', deleted: ref('Deleted').$ref },
        },
      },
      Created: { allOf: [ref('Event'), object({ at: text })] },
      Deleted: { allOf: [ref('Event'), object({ by: text })] },
      Value: object({ event: ref('Event'), list: { type: 'array', items: { allOf: [ref('Event')] } } }, []),
    },
    valid: [{ event: { kind: 'created', at: 'a' } }, { list: [{ kind: 'deleted', by: 'a' }] }],
    invalid: [
      { event: { kind: 'other' } },
      { event: { kind: 'Event' } },
      { event: { kind: 'created', by: 'a' } },
      { list: [{ kind: 'created' }] },
    ],
  },
  'a base whose discriminator is optional': {
    schemas: {
      Event: { ...object({ kind: text, id: number }, ['id']), discriminator: { propertyName: 'kind' } },
      Created: { allOf: [ref('Event'), object({ at: text })] },
      Value: ref('Event'),
    },
    valid: [{ id: 1 }, { id: 1, kind: 'Event' }, { id: 1, kind: 'Created', at: 'a' }],
    invalid: [{}, { id: 1, kind: 'Created' }, { id: 1, kind: 'other' }],
  },
  'a base that extends another one, with a discriminator of its own': {
    schemas: {
      Event: { ...object({ kind: text }), discriminator: { propertyName: 'kind' } },
      Change: {
        allOf: [ref('Event'), object({ of: text })],
        discriminator: { propertyName: 'of', mapping: { page: 'PageChange' } },
      },
      PageChange: { allOf: [ref('Change'), object({ page: text })] },
      Value: ref('Event'),
    },
    valid: [
      { kind: 'Event' },
      { kind: 'PageChange', of: 'page', page: 'a' },
      { kind: 'Change', of: 'page', page: 'a' },
    ],
    invalid: [{ kind: 'Change', of: 'Change' }, { kind: 'PageChange', of: 'page' }, { kind: 'other' }],
  },
  'a discriminator of numbers': {
    schemas: {
      First: variant({ const: 1 }, 'text'),
      Second: variant({ enum: [2, 3] }, 'rule'),
      Value: { oneOf: [ref('First'), ref('Second')], discriminator: { propertyName: 'kind' } },
    },
    valid: [
      { kind: 1, text: 'a' },
      { kind: 3, rule: 'a' },
    ],
    invalid: [
      { kind: 1, rule: 'a' },
      { kind: '1', text: 'a' },
      { kind: 'First', text: 'a' },
    ],
  },
  'a model that extends a union with a discriminator': {
    schemas: {
      User: variant({ const: 'user' }, 'text'),
      System: variant({ enum: ['system', 'cron'] }, 'rule'),
      Event: { oneOf: [ref('User'), ref('System')], discriminator: { propertyName: 'kind' } },
      Stored: { allOf: [ref('Event'), object({ id: number })] },
      Value: object({ event: ref('Event'), stored: ref('Stored') }, []),
    },
    valid: [
      { event: { kind: 'user', text: 'a' } },
      { event: { kind: 'cron', rule: 'a' } },
      { stored: { kind: 'user', text: 'a', id: 1 } },
    ],
    invalid: [
      { event: { kind: 'Stored', text: 'a', id: 1 } },
      { stored: { kind: 'user', text: 'a' } },
      { stored: { kind: 'system', text: 'a', id: 1 } },
    ],
  },
  'a map whose names are listed': {
    schemas: {
      Language: { type: 'string', enum: ['en', 'de'] },
      Value: { type: 'object', propertyNames: ref('Language'), additionalProperties: number },
    },
    valid: [{}, { en: 1 }, { en: 1, de: 2 }],
    invalid: [{ fr: 1 }, { en: 'a' }],
  },
  'a part that permits undeclared properties of any type': {
    schemas: {
      Base: { ...object({ name: text }), allOf: [{ type: 'object', additionalProperties: {} }] },
      Value: { ...object({ index: number }), allOf: [ref('Base')] },
    },
    valid: [
      { name: 'a', index: 1 },
      { name: 'a', index: 1, other: true, more: { a: [] } },
    ],
    invalid: [{ name: 'a', other: true }, { index: 1 }, { name: 1, index: 1, other: true }],
    reads: ['value.name satisfies string; value.other satisfies unknown;'],
  },
  'a discriminator whose variants restrict it, without a mapping': {
    schemas: {
      User: variant({ enum: ['user'] }, 'text'),
      System: variant({ const: 'system' }, 'rule'),
      Value: { oneOf: [ref('User'), ref('System')], discriminator: { propertyName: 'kind' } },
    },
    valid: [
      { kind: 'user', text: 'a' },
      { kind: 'system', rule: 'a' },
    ],
    invalid: [{ kind: 'User', text: 'a' }, { kind: 'user', rule: 'a' }, { text: 'a' }],
    reads: ["if (value.kind === 'user') { value.text satisfies string; }"],
  },
  'a mapping to names of schemas, which differs from their names': {
    schemas: {
      First: variant(text, 'a'),
      Second: variant(text, 'b'),
      Value: {
        anyOf: [ref('First'), ref('Second')],
        discriminator: {
          propertyName: 'kind',
          mapping: { one: 'First', two: '#/components/schemas/Second' },
        },
      },
    },
    valid: [
      { kind: 'one', a: 'x' },
      { kind: 'two', b: 'x' },
    ],
    invalid: [
      { kind: 'First', a: 'x' },
      { kind: 'one', b: 'x' },
    ],
  },
  'variants that allow several values, of which a mapping selects one': {
    schemas: {
      Kind: { type: 'string', enum: ['one', 'two'] },
      First: variant(ref('Kind'), 'a'),
      Second: variant(ref('Kind'), 'b'),
      Value: {
        oneOf: [ref('First'), ref('Second')],
        discriminator: { propertyName: 'kind', mapping: { one: 'First', two: 'Second' } },
      },
    },
    valid: [{ kind: 'one', a: 'x' }],
    invalid: [
      { kind: 'two', a: 'x' },
      { kind: 'three', a: 'x' },
    ],
  },
  'a nullable reference to a union': {
    schemas: {
      Cat: variant({ enum: ['cat'] }, 'lives'),
      Dog: variant({ enum: ['dog'] }, 'bark'),
      Pet: { oneOf: [ref('Cat'), ref('Dog')], discriminator: { propertyName: 'kind' } },
      Value: object({ pet: { anyOf: [{ allOf: [ref('Pet')] }, { type: 'null' }] } }),
    },
    valid: [{ pet: null }, { pet: { kind: 'cat', lives: '9' } }],
    invalid: [{ pet: { kind: 'Value' } }, { pet: { kind: 'dog', lives: '9' } }, {}],
  },
  'a base with a discriminator that others extend': {
    schemas: {
      Pet: { ...object({ kind: text, name: text }), discriminator: { propertyName: 'kind' } },
      Cat: { allOf: [ref('Pet'), object({ lives: number })] },
      Lion: { allOf: [ref('Cat'), object({ mane: text })] },
      Value: object({ pet: ref('Pet'), cat: ref('Cat') }, []),
    },
    valid: [
      { pet: { kind: 'Pet', name: 'a' } },
      { pet: { kind: 'Cat', name: 'a', lives: 9 } },
      { pet: { kind: 'Lion', name: 'a', lives: 9, mane: 'b' } },
      { cat: { kind: 'Lion', name: 'a', lives: 9, mane: 'b' } },
    ],
    invalid: [
      { pet: { kind: 'Cat', name: 'a' } },
      { pet: { kind: 'Pet' } },
      { cat: { kind: 'Pet', name: 'a', lives: 9 } },
    ],
  },
  'a base that lists the variants that extend it': {
    schemas: {
      Value: {
        ...object({ kind: text }),
        discriminator: { propertyName: 'kind', mapping: { a: ref('First').$ref, b: ref('Second').$ref } },
        oneOf: [ref('First'), ref('Second')],
      },
      First: { allOf: [ref('Value'), object({ x: text })] },
      Second: { allOf: [ref('Value'), object({ y: text })] },
    },
    valid: [
      { kind: 'a', x: '' },
      { kind: 'b', y: '' },
    ],
    invalid: [{ kind: 'a', y: '' }, { kind: 'a' }],
  },
  'one of several required properties': {
    schemas: {
      Value: {
        ...object({ a: text, b: { type: ['string', 'null'] } }, []),
        anyOf: [{ required: ['a'] }, { required: ['b'] }],
      },
    },
    valid: [{ a: 'x' }, { b: null }, { a: 'x', b: 'y' }],
    invalid: [{}, { a: 1 }, { a: null }],
    reads: ['value.a satisfies string | undefined;'],
  },
  'one of several required properties of variants with properties': {
    schemas: {
      Value: {
        ...object({ a: ref('Nested'), b: text }, []),
        oneOf: [
          { properties: { kind: { const: 1 } }, required: ['kind', 'a'] },
          { properties: { kind: { const: 2 } }, required: ['kind', 'b'] },
        ],
      },
      Nested: object({ inner: text }),
    },
    valid: [
      { kind: 1, a: { inner: '' } },
      { kind: 2, b: '' },
    ],
    invalid: [{ kind: 1, b: '' }, { kind: 1, a: {} }, { kind: 3 }],
  },
  'a schema for other properties': {
    schemas: { Value: { ...object({ count: number, size: number }, ['count']), additionalProperties: text } },
    valid: [{ count: 1 }, { count: 1, color: 'red', size: 2 }],
    invalid: [{ count: 'x' }, { count: 1, color: true }, { color: 'red' }],
    reads: ['value.count satisfies number;', "value['color'] satisfies string | number | undefined;"],
  },
  'schemas for names that match patterns': {
    schemas: {
      Value: {
        ...object({ id: number }),
        patternProperties: { '^s-': text, '^b-': { type: 'boolean' } },
        additionalProperties: false,
      },
    },
    valid: [{ id: 1, 's-a': 'x', 'b-a': true }],
    invalid: [{ id: 1, 's-a': [] }, { 's-a': 'x' }],
  },
  'a list of the permitted names of properties': {
    schemas: {
      Color: { enum: ['red', 'blue'] },
      Values: {
        type: 'object',
        propertyNames: ref('Color'),
        additionalProperties: number,
        required: ['red'],
      },
      Declared: { ...object({ a: text, c: text }, []), propertyNames: { enum: ['a', 'b'] } },
      Value: object({ values: ref('Values'), declared: ref('Declared') }, ['values']),
    },
    valid: [{ values: { red: 1, blue: 2 }, declared: { a: '', b: [] } }, { values: { red: 1 } }],
    invalid: [
      { values: { blue: 1 } },
      { values: { red: 'x' } },
      { values: { red: 1, green: 2 } },
      { values: { red: 1 }, declared: { c: '' } },
    ],
  },
  'a schema for properties that no part of a schema declares': {
    schemas: {
      Base: object({ id: number, tags: { type: 'array', items: text } }, ['id']),
      Value: { allOf: [ref('Base')], properties: { note: text }, unevaluatedProperties: { type: 'boolean' } },
    },
    valid: [
      { id: 1, note: 'n', color: true },
      { id: 1, tags: ['a'] },
    ],
    invalid: [{ note: 'n' }, { id: 'x' }, { id: 1, color: {} }],
  },
  'any other properties, and none': {
    schemas: {
      Any: { type: 'object', properties: { a: text }, additionalProperties: true },
      Free: { type: 'object' },
      Map: { type: 'object', unevaluatedProperties: number },
      None: { type: 'object', additionalProperties: false },
      Value: object({ any: ref('Any'), free: ref('Free'), map: ref('Map'), none: ref('None') }, []),
    },
    valid: [{ any: { a: '', b: [] }, free: { x: 1 }, map: { x: 1 }, none: {} }],
    invalid: [{ any: { a: 1 } }, { free: 1 }, { free: null }, { map: { x: '' } }, { none: { x: 1 } }],
  },
  'members next to a reference': {
    schemas: {
      Status: { type: 'string', enum: ['open', 'closed'] },
      Pet: object({ id: number }),
      Value: object(
        {
          status: { ...ref('Status'), not: { enum: ['closed'] }, description: 'Status.' },
          pet: { ...ref('Pet'), properties: { name: text }, required: ['name'] },
        },
        [],
      ),
    },
    valid: [{ status: 'open', pet: { id: 1, name: 'a' } }],
    invalid: [{ status: 'other' }, { pet: { id: 1 } }, { pet: { name: 'a' } }],
  },
  'parts that only require properties, also of a nullable base': {
    schemas: {
      Base: { type: ['object', 'null'], properties: { start: text, end: ref('Time') } },
      Time: object({ hour: number }),
      Value: { allOf: [ref('Base'), { type: 'object', required: ['start'] }], required: ['end', 'other'] },
    },
    valid: [{ start: '', end: { hour: 1 }, other: true }],
    invalid: [
      { start: '', end: { hour: 1 } },
      { end: { hour: 1 }, other: 1 },
      null,
      { start: '', end: {}, other: 1 },
    ],
    reads: ['value.start satisfies string;', 'value.end.hour satisfies number;'],
  },
  'a part that requires a large property': {
    schemas: {
      Base: object({ large: object({ a: text, b: { ...text, description: 'b'.repeat(300) } }) }, []),
      Value: { allOf: [ref('Base'), object({ own: text })], required: ['large'] },
    },
    valid: [{ large: { a: '', b: '' }, own: '' }],
    invalid: [{ own: '' }, { large: {}, own: '' }],
    unexpected: [{ large: { a: '', b: '' }, own: '', other: 1 }],
    reads: ['value.large.a satisfies string;'],
  },
  'a nullable object that adds nothing': {
    schemas: {
      Base: object({ a: text }),
      Value: object(
        { base: { allOf: [ref('Base'), { type: ['object', 'null'] }] }, free: { type: ['object', 'null'] } },
        [],
      ),
    },
    valid: [{ base: { a: '' } }, { free: null }, { free: { x: 1 } }],
    invalid: [{ base: null }, { free: 'a' }],
    unexpected: [{ base: { a: '', b: '' } }],
  },
  'objects of a nullable base': {
    schemas: {
      Base: { type: ['object', 'null'], properties: { a: text } },
      Value: { allOf: [ref('Base'), { type: 'object' }] },
    },
    valid: [{ a: '' }, {}],
    invalid: [null, { a: 1 }],
  },
  'tuples: closed, open, with a rest, and with optional items': {
    schemas: {
      Value: object(
        {
          closed: { type: 'array', prefixItems: [number, text], items: false, minItems: 2 },
          open: { type: 'array', prefixItems: [number, text], minItems: 2 },
          rest: { prefixItems: [text], items: number, minItems: 1 },
          short: { type: ['array', 'null'], prefixItems: [number, text], maxItems: 2 },
        },
        [],
      ),
    },
    valid: [
      { closed: [1, 'a'], open: [1, 'a', null, {}], rest: ['a', 1, 2], short: [1] },
      { open: [1, 'a'], rest: ['a'], short: null },
      { short: [] },
    ],
    invalid: [
      { closed: [1, 'a', 1] },
      { closed: [1] },
      { open: ['a', 1] },
      { rest: ['a', 'b'] },
      { short: [1, 'a', 1] },
    ],
  },
  'arrays of arrays and of unions of arrays': {
    schemas: {
      Row: { type: 'array', items: number },
      Value: object(
        {
          rows: { type: 'array', items: { allOf: [{ type: 'array', items: number }] } },
          tuples: { type: 'array', items: { prefixItems: [number, text], minItems: 2, items: false } },
          none: { type: 'array', items: false },
          cells: { items: { anyOf: [ref('Row'), number] } },
        },
        [],
      ),
    },
    valid: [{ rows: [[1], []], tuples: [[1, 'a']], none: [], cells: [[1], 1] }],
    invalid: [{ rows: [1] }, { none: [1] }],
    unexpected: [{ tuples: [1, 'a'] }, { cells: 1 }],
  },
  'constants of any type': {
    schemas: {
      Value: object(
        {
          nothing: { const: null },
          config: { const: { a: 1 } },
          mixed: { enum: ['a', 1, null, true] },
          typed: { type: 'string', enum: ['a', 1, null] },
          objects: { type: 'object', enum: [{ a: 1 }, { a: 2 }] },
        },
        [],
      ),
    },
    valid: [{ nothing: null, config: { a: 1 }, mixed: null, typed: 'a', objects: { a: 2 } }, { mixed: 1 }],
    invalid: [
      { nothing: 'a' },
      { config: { a: 2 } },
      { mixed: 'b' },
      { typed: 1 },
      { typed: null },
      { objects: { a: 3 } },
    ],
  },
  'references into schemas and paths': {
    schemas: {
      Thing: object({ color: { enum: ['red'] }, sizes: { type: 'array', items: { enum: ['s', 'm'] } } }),
      'a/b c': object({ x: text }),
      Tree: object({
        nodes: { type: 'array', items: object({ next: ref('Tree', 'properties', 'nodes', 'items') }, []) },
      }),
      Choice: { oneOf: [text, number] },
      Value: object(
        {
          color: ref('Thing', 'properties', 'color'),
          size: ref('Thing', 'properties', 'sizes', 'items'),
          escaped: ref('a~1b%20c'),
          node: ref('Tree', 'properties', 'nodes', 'items'),
          choice: ref('Choice', 'oneOf', '1'),
          body: {
            $ref: '#/paths/~1values/post/responses/200/content/application~1json/schema/properties/ok',
          },
        },
        [],
      ),
    },
    valid: [
      { color: 'red', size: 'm', escaped: { x: '' }, node: { next: { next: {} } }, choice: 1, body: true },
    ],
    invalid: [
      { color: 'blue' },
      { size: 'l' },
      { escaped: {} },
      { node: { next: 1 } },
      { choice: '' },
      { body: 'x' },
    ],
  },
  'schemas that contain themselves': {
    schemas: {
      Value: { anyOf: [ref('Value'), text, { type: 'array', items: ref('Value') }, ref('Alias')] },
      Alias: ref('Value'),
    },
    valid: ['a', ['a', ['b']]],
    invalid: [1, [1]],
  },
  'unions of texts with further limits': {
    schemas: {
      Value: object({ contact: { type: 'string', anyOf: [{ format: 'email' }, { pattern: '^\\+' }] } }),
    },
    valid: [{ contact: '+1' }],
    invalid: [{ contact: 1 }, {}],
  },
};

const HEAD = { openapi: '3.1.0', info: { title: 'Values', version: '1' } };

function documentOf(schemas: JsonObject): OpenApiDocument {
  const json = (schema: JsonObject) => ({ content: { 'application/json': { schema } } });
  const post = {
    operationId: 'put#value/a~1%',
    requestBody: json(ref('Value')),
    responses: { 200: { description: 'OK', ...json(object({ ok: { type: 'boolean' } })) } },
  };
  return { ...HEAD, paths: { '/values': { post } }, components: { schemas } };
}

let errors: Map<string, string[]>;
let folder: string;

/** Generated documents of the cases. */
const documents: RuntimeDocument[] = [];

beforeAll(async () => {
  const parent = join(import.meta.dirname, '../.colophon');
  await mkdir(parent, { recursive: true });
  folder = await mkdtemp(join(parent, 'values-'));
  const lines: string[] = [];
  for (const [index, { schemas, valid, invalid, unexpected = [], reads = [] }] of Object.values(
    CASES,
  ).entries()) {
    const path = join(folder, `case${index}`);
    await mkdir(path);
    await writeFile(join(path, 'openapi.json'), JSON.stringify(documentOf(schemas)));
    const project = resolveProject({ root: path, contract: 'openapi.json', generated: 'generated' });
    const { files, problems } = await createGenerator(project).run();
    expect(problems.filter(({ severity }) => severity === 'error')).toEqual([]);
    await mkdir(join(path, 'generated'));
    for (const file of files) {
      await writeFile(join(path, file.path), file.text);
      if (file.path.endsWith('openapi.json')) {
        documents.push(JSON.parse(file.text));
      }
    }
    const type = `Value${index}`;
    lines.push(
      `import type { components as c${index} } from './case${index}/generated/schema.d.ts';`,
      `type ${type} = c${index}['schemas']['Value'];`,
      ...valid.map((value) => `((value: ${type}) => value)(${JSON.stringify(value)}); // case ${index}`),
      ...[...invalid, ...unexpected].flatMap((value) => [
        '// @ts-expect-error',
        `((value: ${type}) => value)(${JSON.stringify(value)}); // case ${index}`,
      ]),
      ...reads.map((statement) => `((value: ${type}) => { ${statement} }); // case ${index}`),
    );
  }
  await writeFile(join(folder, 'values.ts'), lines.join('\n'));
  errors = new Map([
    ['exact', await compile(true)],
    ['inexact', await compile(false)],
  ]);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function compile(exactOptionalPropertyTypes: boolean): Promise<string[]> {
  const compilerOptions = {
    ...{ strict: true, noEmit: true, skipLibCheck: false, exactOptionalPropertyTypes, types: [] },
    ...{ module: 'nodenext', target: 'es2024', lib: ['es2024'], allowImportingTsExtensions: true },
  };
  // The functions need types of browsers, which take a second: other tests compile them.
  const files = ['values.ts', ...Object.keys(CASES).map((_, index) => `case${index}/generated/schema.d.ts`)];
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }));
  const tsc = join(import.meta.dirname, '../../../node_modules/typescript/bin/tsc');
  const { output } = await run(process.execPath, [tsc, '--pretty', 'false', '-p', '.'], { cwd: folder });
  return output.split('\n').filter((line) => line.includes('error TS'));
}

describe.each(['exact', 'inexact'])(
  'types accept what validation accepts, with %s optional properties',
  (mode) => {
    test.each(Object.keys(CASES).map((name, index) => [name, index] as const))('%s', async (_name, index) => {
      const source = (await readFile(join(folder, 'values.ts'), 'utf8')).split('\n');
      const found = (errors.get(mode) ?? []).flatMap((error) => {
        const [, line] = /^values\.ts\((\d+),/.exec(error) ?? [];
        // The line of an unused expectation precedes the statement.
        const statement = [source[Number(line) - 1], source[Number(line)]].find((text) =>
          text?.includes('// case'),
        );
        const isOwn = error.startsWith(`case${index}/`) || statement?.endsWith(`// case ${index}`);
        return isOwn ? [`${statement ?? ''} ${error}`] : [];
      });
      expect(found).toEqual([]);
    });
  },
);

test.each(Object.keys(CASES).map((name, index) => [name, index] as const))(
  'validation decides as the types do: %s',
  (name, index) => {
    const document = documents[index];
    const { valid = [], invalid = [], unexpected = [] } = CASES[name] ?? {};
    expect(document && unsupportedSchemas(document).size).toBe(0);
    const check = document && compileSchema(document, ref('Value'));
    const verdict = (value: Json) => [value, check?.(value).length === 0];
    expect([...valid, ...unexpected, ...invalid].map(verdict)).toEqual([
      ...[...valid, ...unexpected].map((value) => [value, true]),
      ...invalid.map((value) => [value, false]),
    ]);
  },
);

test('operation ids have any characters', async () => {
  const types = await readFile(join(folder, 'case0/generated/schema.d.ts'), 'utf8');
  expect(types).toContain('"put#value/a~1%": {');
  expect(types).toContain('post: operations["put#value/a~1%"];');
});
