import { describe, expect, test } from 'vitest';
import { entriesOf, originText } from '../../../spec/toolchain/diff/entries.ts';
import type { Json, JsonObject } from '../../../spec/toolchain/document.ts';
import { diffDocuments, documentOf } from '../../../spec/toolchain/main.ts';
import { documentWith } from './cases/document.ts';

const ref = (name: string): Json => ({ $ref: `#/components/schemas/${name}` });
const object = (properties: JsonObject, rest: JsonObject = {}): JsonObject => ({
  type: 'object',
  properties,
  ...rest,
});
const content = (schema: Json) => ({ 'application/json': { schema } });

/** Builds a document with `GET /a`, `GET /b` and so on, which return the schemas. */
function getters(schemas: JsonObject, ...bodies: Json[]): JsonObject {
  const paths = bodies.map((schema, index) => {
    const operationId = 'abcdef'.charAt(index);
    return [`/${operationId}`, { get: { operationId, responses: { 200: { content: content(schema) } } } }];
  });
  return documentWith({ schemas, paths: Object.fromEntries(paths) });
}

/** Returns the entries, one per line: `breaking | schema Space: title | a, b | The property …`. */
function linesOf(base: JsonObject, head: JsonObject): string[] {
  return entriesOf(diffDocuments(documentOf('base', base), documentOf('head', head))).map(
    ({ change, origin, operations, locations, message }) =>
      `${change.level} | ${origin ? originText(origin) : locations} | ${operations.join(', ')} | ${message}`,
  );
}

describe('one change is one entry', () => {
  test('of a schema that operations contain at different locations', () => {
    const document = (name: Json) =>
      getters(
        { Name: object({ name }), List: { type: 'array', items: ref('Name') } },
        ref('Name'),
        ref('List'),
        object({ inner: object({ list: ref('List') }) }),
      );
    expect(linesOf(document({ type: 'string' }), document({ type: 'integer' }))).toEqual([
      'breaking | schema Name: name | a, b, c | The type changed from string to integer.',
    ]);
  });

  test('of a schema that others extend', () => {
    const document = (more: JsonObject) =>
      getters(
        {
          Base: object({ id: {}, ...more }),
          One: { allOf: [ref('Base'), object({ one: {} })] },
          Two: { allOf: [ref('Base'), object({ two: {} })] },
        },
        ref('One'),
        ref('Two'),
      );
    expect(linesOf(document({ time: {} }), document({}))).toEqual([
      'breaking | schema Base: time | a, b | The property "time" was removed.',
    ]);
  });

  test('of a schema that no longer extends another, which did not change', () => {
    const document = (one: Json[]) =>
      getters(
        { Base: object({ id: {} }), One: { allOf: one }, Two: { allOf: [ref('Base')] } },
        ref('One'),
        ref('Two'),
      );
    expect(linesOf(document([ref('Base'), object({ a: {} })]), document([object({ a: {} })]))).toEqual([
      'breaking | schema One: id | a | The property "id" was removed.',
    ]);
  });

  test('of a union that other unions and nullable properties contain', () => {
    const document = (...names: string[]) =>
      getters(
        {
          Cat: object({ cat: {} }, { required: ['cat'] }),
          Dog: object({ dog: {} }, { required: ['dog'] }),
          Cow: object({ cow: {} }, { required: ['cow'] }),
          Pet: { oneOf: names.map(ref) },
          Animal: { oneOf: [ref('Pet'), ref('Cow')] },
        },
        ref('Pet'),
        ref('Animal'),
        object({ pet: { anyOf: [ref('Pet'), { type: 'null' }] } }),
      );
    expect(linesOf(document('Cat', 'Cow'), document('Cat', 'Cow', 'Dog'))).toEqual([
      'breaking | schema Pet | a, b, c | The variant Dog is sent now.',
    ]);
  });

  test('of a union that is added as a whole', () => {
    const variant = (name: string) => object({ [name]: {} }, { required: [name] });
    const document = (...union: Json[]) =>
      getters(
        { Pet: { oneOf: [variant('cat'), variant('dog')] } },
        {
          oneOf: [variant('a'), variant('b'), ...union],
        },
      );
    expect(linesOf(document(), document(ref('Pet')))).toEqual([
      'breaking | response 200 | a | The variant Pet is sent now.',
    ]);
  });

  test('of a schema that becomes a new union, at the location of the schema', () => {
    const id = object({ id: {} }, { required: ['id'] });
    const name = object({ name: {} }, { required: ['name'] });
    const document = (channel: Json, schemas: JsonObject) =>
      getters({ ...schemas, Setup: object({ channel }) }, ref('Setup'));
    expect(
      linesOf(
        document(id, {}),
        document(ref('Channel'), { Channel: { oneOf: [ref('Id'), ref('Name')] }, Id: id, Name: name }),
      ),
    ).toEqual(['breaking | schema Setup: channel | a | The variant Name is sent now.']);
  });

  test('of a schema in requests and responses, with both effects', () => {
    const document = (...colours: string[]) =>
      documentWith({
        schemas: { Colour: { enum: colours } },
        paths: {
          '/a': {
            put: {
              operationId: 'a',
              requestBody: { content: content(ref('Colour')) },
              responses: { 200: { content: content(ref('Colour')) } },
            },
          },
        },
      });
    const [base, head] = [documentOf('base', document('red')), documentOf('head', document('red', 'blue'))];
    const [entry, ...others] = entriesOf(diffDocuments(base, head));
    expect(others).toEqual([]);
    expect(entry?.message).toBe('The value "blue" is allowed now.');
    expect(entry?.effects.map(({ rule, level }) => `${level} ${rule}`)).toEqual([
      'breaking response-enum-widened',
      'safe request-enum-widened',
    ]);
  });

  test('of a property next to a union', () => {
    const union = { oneOf: [{ required: ['a'] }, { required: ['b'] }] };
    const document = (more: JsonObject) => getters({}, { ...object({ a: {}, b: {}, ...more }), ...union });
    expect(linesOf(document({}), document({ c: {} }))).toEqual([
      'safe | response 200: c | a | The optional property "c" was added.',
    ]);
  });
});

describe('different changes are different entries', () => {
  test('of annotations next to references, which do not belong to the component', () => {
    const document = (annotations: JsonObject, rest: JsonObject) =>
      getters(
        {
          Colour: { type: 'string', ...rest },
          Shape: object({
            fill: { $ref: '#/components/schemas/Colour', ...annotations },
            line: ref('Colour'),
          }),
        },
        ref('Shape'),
      );
    expect(linesOf(document({}, {}), document({ deprecated: true, default: 'red' }, {}))).toEqual([
      'safe | schema Shape: fill | a | The default changed from none to "red".',
      'safe | schema Shape: fill | a | It is deprecated.',
    ]);
    expect(
      linesOf(document({}, {}), document({ deprecated: true }, { default: 'red', maxLength: 9 })),
    ).toEqual([
      'safe | schema Shape: fill | a | It is deprecated.',
      'safe | schema Colour | a | The default changed from none to "red".',
      'risky | schema Colour | a | maxLength changed from none to 9.',
    ]);
  });

  test('of annotations next to references in OpenAPI 3.0, which authors intend', () => {
    const document = (openapi: string, annotations: JsonObject) => ({
      ...getters(
        {
          Colour: { type: 'string' },
          Shape: object({ fill: { $ref: '#/components/schemas/Colour', ...annotations } }),
        },
        ref('Shape'),
      ),
      openapi,
    });
    const annotations = { deprecated: true, default: 'red' };
    expect(linesOf(document('3.0.3', annotations), document('3.1.0', annotations))).toEqual([]);
    expect(linesOf(document('3.0.3', {}), document('3.0.3', annotations))).toEqual([
      'safe | schema Shape: fill | a | The default changed from none to "red".',
      'safe | schema Shape: fill | a | It is deprecated.',
    ]);
  });

  test('of a union, and of one within it that allOf merges with it', () => {
    const kind = (name: string) => object({ kind: { const: name } }, { required: ['kind'] });
    const kinds = ['a', 'b', 'c'].map(kind);
    const document = (all: number, some: number) =>
      getters(
        {
          Block: { oneOf: kinds.slice(0, all) },
          List: object({ nodes: { type: 'array', items: ref('Block') } }),
          Page: {
            allOf: [
              ref('List'),
              object({ nodes: { type: 'array', items: { oneOf: kinds.slice(0, some) } } }),
            ],
          },
        },
        ref('List'),
        ref('Page'),
      );
    expect(linesOf(document(3, 2), document(3, 3))).toEqual([
      'breaking | schema Page: nodes[] | b | The variant {kind: "c"} is sent now.',
    ]);
    expect(linesOf(document(2, 2), document(3, 3))).toEqual([
      'breaking | schema Block | a | The variant {kind: "c"} is sent now.',
      'breaking | schema Page: nodes[] | b | The variant {kind: "c"} is sent now.',
    ]);
  });

  test('of two schemas with equal properties', () => {
    const document = (name: Json) =>
      getters({ One: object({ name }), Two: object({ name }) }, ref('One'), ref('Two'));
    expect(linesOf(document({ type: 'string' }), document({ type: 'integer' }))).toEqual([
      'breaking | schema One: name | a | The type changed from string to integer.',
      'breaking | schema Two: name | b | The type changed from string to integer.',
    ]);
  });

  test('of two operations', () => {
    const document = (deprecated: boolean) =>
      documentWith({
        paths: {
          '/a': { get: { operationId: 'a', deprecated } },
          '/b': { get: { operationId: 'b', deprecated } },
        },
      });
    expect(linesOf(document(false), document(true))).toHaveLength(2);
  });
});

describe('a variant', () => {
  test('without a name has the label that distinguishes it', () => {
    const kind = (value: string) => object({ kind: { const: value } }, { required: ['kind'] });
    const document = (...kinds: string[]) => getters({}, { oneOf: kinds.map(kind) });
    expect(linesOf(document('a', 'b'), document('a', 'b', 'c'))).toEqual([
      'breaking | response 200 | a | The variant {kind: "c"} is sent now.',
    ]);
    const requiring = (...names: string[]) =>
      getters({}, { ...object({ a: {}, b: {} }), anyOf: names.map((name) => ({ required: [name] })) });
    expect(linesOf(requiring('a'), requiring('a', 'b'))).toEqual([
      'breaking | response 200 | a | The variant {requires b} is sent now.',
    ]);
  });

  test('of a union that a component extends has no name in common with the others', () => {
    const kind = (value: string) => object({ kind: { const: value } }, { required: ['kind'] });
    const document = (...kinds: string[]) =>
      getters(
        { Kind: { oneOf: kinds.map(kind) }, Thing: { allOf: [ref('Kind'), object({ id: {} })] } },
        ref('Thing'),
      );
    expect(linesOf(document('a', 'b'), document('b', 'c', 'a'))).toEqual([
      'breaking | schema Kind | a | The variant {kind: "c"} is sent now.',
    ]);
  });

  test('is compared with the variant of its tag, although another variant has a pattern in its place', () => {
    const setup = (connector: Json) => object({ connector }, { required: ['connector'] });
    const pattern = { type: 'string', pattern: '^x:' };
    const document = (...names: string[]) =>
      getters({}, { oneOf: [setup(pattern), ...names.map((name) => setup({ const: name }))] });
    expect(linesOf(document('a', 'b'), document('c', 'a', 'b'))).toEqual([
      'breaking | response 200 | a | The variant {connector: "c"} is sent now.',
    ]);
  });

  test('that was compared with several others has all of its nested changes', () => {
    const cat = (more: JsonObject) => object({ cat: ref('Cat'), ...more }, { required: ['cat'] });
    const document = (name: Json, ...union: Json[]) =>
      getters(
        { Cat: object({ deep: object({ name }) }) },
        { anyOf: [cat({}), object({ id: {} }), ...union] },
      );
    expect(
      linesOf(document({ type: 'string' }), document({ type: 'integer' }, cat({ lives: {} }))),
    ).toContain('breaking | schema Cat: deep.name | a | The type changed from string to integer.');
  });
});
