import { describe, expect, test } from 'vitest';
import type { OpenApiDocument } from '../../../server/contract/index.ts';
import { compileSchema } from '../../../server/contract/validation/schema-check.ts';
import { serveBodies } from '../bodies/serve-bodies.ts';

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const object = (properties: object, required: string[] = []) => ({ type: 'object', properties, required });
const text = { type: 'string' };
const integer = { type: 'integer' };
const pet = (discriminator: object) => ({
  ...object({ petType: text, name: text }, ['petType', 'name']),
  discriminator: { propertyName: 'petType', ...discriminator },
});
const dog = { allOf: [ref('Pet'), object({ bark: text }, ['bark'])] };
const cat = { allOf: [ref('Pet'), object({ lives: integer })] };
const byName = { Pet: pet({}), Dog: dog, Cat: cat };
const byReference = {
  Pet: pet({ mapping: { dog: '#/components/schemas/Dog', cat: 'Cat' } }),
  Dog: dog,
  Cat: cat,
};

/** Returns the faults of a value of a schema. */
function faultsOf(schemas: object, schema: object, value: unknown, isSealed = false): string[] {
  const document: OpenApiDocument = {
    openapi: '3.1.0',
    info: { title: 'Pets', version: '1' },
    paths: {},
    components: { schemas: { ...schemas } },
  };
  return compileSchema(
    document,
    schema,
    undefined,
    isSealed,
  )(value).map(({ path, message }) => `${path}: ${message}`);
}

const valid = { petType: 'Dog', name: 'Rex', bark: 'loud' };

describe('a value of a schema with a discriminator', () => {
  test('is validated as the schema that its implicit name names', () => {
    expect(faultsOf(byName, ref('Pet'), valid)).toEqual([]);
    expect(faultsOf(byName, ref('Pet'), { petType: 'Dog', name: 'Rex' })).toEqual(['bark: is required']);
    expect(faultsOf(byName, ref('Pet'), { petType: 'Cat', name: 'Tom', lives: 'nine' })).toEqual([
      'lives: must be integer',
    ]);
  });

  test('is validated as the schema that the mapping names, by a reference or a name', () => {
    expect(faultsOf(byReference, ref('Pet'), { ...valid, petType: 'dog' })).toEqual([]);
    expect(faultsOf(byReference, ref('Pet'), { petType: 'dog', name: 'Rex' })).toEqual(['bark: is required']);
    expect(faultsOf(byReference, ref('Pet'), { petType: 'cat', name: 'Tom', lives: '9' })).toHaveLength(1);
  });

  test('is rejected with an unknown value, also that of the schema itself if the mapping omits it', () => {
    for (const petType of ['bird', 'Pet', 'Dog']) {
      expect(faultsOf(byReference, ref('Pet'), { petType, name: 'Rex', bark: 'loud' })).toEqual([
        expect.stringContaining('petType: must be equal to one of the allowed values'),
      ]);
    }
  });

  test('can be the schema itself without a mapping, or if the mapping names it', () => {
    expect(faultsOf(byName, ref('Pet'), { petType: 'Pet', name: 'Rex' })).toEqual([]);
    const named = { ...byReference, Pet: pet({ mapping: { pet: 'Pet', dog: 'Dog', cat: 'Cat' } }) };
    expect(faultsOf(named, ref('Pet'), { petType: 'pet', name: 'Rex' })).toEqual([]);
  });

  test('is validated as the schema without the property if it is not required', () => {
    const Pet = { ...pet({}), required: ['name'] };
    expect(faultsOf({ ...byName, Pet }, ref('Pet'), { name: 'Rex' })).toEqual([]);
    expect(faultsOf({ ...byName, Pet }, ref('Pet'), {})).toEqual(['name: is required']);
    expect(faultsOf(byName, ref('Pet'), { name: 'Rex' })).toEqual(['petType: is required']);
    expect(faultsOf(byName, ref('Pet'), null)).toEqual([': must be object']);
  });

  test('is found in lists, maps, properties, unions and compositions', () => {
    const invalid = { petType: 'Dog', name: 'Rex' };
    const places: [object, (value: unknown) => unknown, string][] = [
      [{ type: 'array', items: ref('Pet') }, (value) => [value], '0.bark'],
      [{ type: 'object', additionalProperties: ref('Pet') }, (value) => ({ a: value }), 'a.bark'],
      [object({ pet: { allOf: [ref('Pet')] } }), (value) => ({ pet: value }), 'pet.bark'],
      [{ anyOf: [ref('Pet'), { type: 'null' }] }, (value) => value, 'bark'],
      [
        { oneOf: [ref('Dog'), ref('Cat')], discriminator: { propertyName: 'petType' } },
        (value) => value,
        'bark',
      ],
      [{ $ref: '#/components/schemas/Owner/properties/pets/items' }, (value) => value, 'bark'],
    ];
    const schemas = { ...byName, Owner: object({ pets: { type: 'array', items: ref('Pet') } }) };
    for (const [schema, wrap, path] of places) {
      expect(faultsOf(schemas, schema, wrap(valid)), JSON.stringify(schema)).toEqual([]);
      expect(faultsOf(schemas, schema, wrap(invalid))).toEqual([`${path}: is required`]);
    }
  });

  test('of an inheriting schema has a name of this schema', () => {
    expect(faultsOf(byName, ref('Dog'), valid)).toEqual([]);
    expect(faultsOf(byName, ref('Dog'), { ...valid, petType: 'Cat' })).toHaveLength(1);
    expect(faultsOf(byName, ref('Dog'), { petType: 'Dog', name: 'Rex' })).toEqual(['bark: is required']);
  });

  test('is validated at each level of inheritance', () => {
    const schemas = {
      ...byReference,
      Pet: pet({ mapping: { dog: 'Dog', cat: 'Cat', puppy: 'Puppy' } }),
      Puppy: { allOf: [ref('Dog'), object({ weeks: integer }, ['weeks'])] },
    };
    const puppy = { petType: 'puppy', name: 'Rex', bark: 'soft', weeks: 7 };
    for (const name of ['Pet', 'Dog', 'Puppy']) {
      expect(faultsOf(schemas, ref(name), puppy), name).toEqual([]);
      expect(faultsOf(schemas, ref(name), { ...puppy, weeks: undefined, bark: 1 })).toContain(
        'bark: must be string',
      );
    }
    expect(faultsOf(schemas, ref('Dog'), { petType: 'dog', name: 'Rex', bark: 'loud' })).toEqual([]);
    expect(
      faultsOf(schemas, ref('Puppy'), { petType: 'dog', name: 'Rex', bark: 'loud', weeks: 7 }),
    ).toHaveLength(1);
    expect(faultsOf(schemas, ref('Dog'), { petType: 'cat', name: 'Tom', bark: 'loud' })).toHaveLength(1);
  });

  test('is selected by the discriminator of each level', () => {
    const schemas = {
      ...byName,
      Dog: { ...dog, discriminator: { propertyName: 'breed' } },
      Poodle: { allOf: [ref('Dog'), object({ breed: text, curls: integer }, ['breed', 'curls'])] },
    };
    const poodle = { ...valid, breed: 'Poodle', curls: 3 };
    expect(faultsOf(schemas, ref('Pet'), poodle)).toEqual([]);
    expect(faultsOf(schemas, ref('Pet'), { ...poodle, curls: 'many' })).toEqual(['curls: must be integer']);
  });

  test('has the values that an inheriting schema states', () => {
    const schemas = {
      ...byName,
      Dog: { allOf: [ref('Pet'), object({ petType: { const: 'hound' }, bark: text }, ['bark'])] },
    };
    expect(faultsOf(schemas, ref('Pet'), { ...valid, petType: 'hound' })).toEqual([]);
    expect(faultsOf(schemas, ref('Pet'), { petType: 'hound', name: 'Rex' })).toEqual(['bark: is required']);
    expect(faultsOf(schemas, ref('Pet'), valid)).toHaveLength(1);
  });

  test('is validated as the schema itself if the property names no schema', () => {
    const Pet = { ...pet({}), properties: { petType: { enum: ['a', 'b'] }, name: text } };
    expect(faultsOf({ ...byName, Pet }, ref('Pet'), { petType: 'a', name: 'Rex' })).toEqual([]);
  });

  test('has the properties of its schema if others are forbidden', () => {
    const closed = (schema: object) => ({ ...schema, unevaluatedProperties: false });
    const schemas = { Pet: pet({}), Dog: closed(dog), Cat: closed(cat) };
    expect(faultsOf(schemas, ref('Pet'), valid)).toEqual([]);
    expect(faultsOf(schemas, ref('Pet'), { ...valid, lives: 9 })).toEqual(['lives: is not a known field']);
    const tagged = closed({ allOf: [ref('Pet')], properties: { tag: text } });
    expect(faultsOf(byName, tagged, { ...valid, tag: 'a' })).toEqual([]);
    expect(faultsOf(byName, tagged, { ...valid, lives: 9 })).toEqual(['lives: is not a known field']);
    // In responses, objects are sealed.
    expect(faultsOf(byName, ref('Pet'), valid, true)).toEqual([]);
    expect(faultsOf(byName, ref('Pet'), { ...valid, lives: 9 }, true)).toEqual([
      'lives: is not a known field',
    ]);
  });

  test('can refer to a union that lists what inherits from it', () => {
    const schemas = {
      ...byName,
      Pet: { ...pet({}), oneOf: [ref('Dog'), ref('Cat')] },
    };
    expect(faultsOf(schemas, ref('Pet'), valid)).toEqual([]);
    expect(faultsOf(schemas, ref('Pet'), { petType: 'Dog', name: 'Rex' })).toEqual(['bark: is required']);
    expect(faultsOf(schemas, ref('Dog'), { petType: 'Dog', bark: 'loud' })).toEqual(['name: is required']);
  });

  test('nests itself', () => {
    const schemas = {
      ...byName,
      Dog: {
        allOf: [ref('Pet'), object({ bark: text, friends: { type: 'array', items: ref('Pet') } }, ['bark'])],
      },
    };
    const nest = (friends: unknown[]) => ({ ...valid, friends });
    expect(faultsOf(schemas, ref('Pet'), nest([nest([valid])]))).toEqual([]);
    expect(faultsOf(schemas, ref('Pet'), nest([nest([{ petType: 'Dog', name: 'x' }])]))).toEqual([
      'friends.0.friends.0.bark: is required',
    ]);
  });
});

test('requests and responses are validated as the schemas that discriminators name', async () => {
  const { post, errors } = await serveBodies({ pets: { type: 'array', items: ref('Pet') } }, byReference);
  const rex = { petType: 'dog', name: 'Rex', bark: 'loud' };
  expect((await post('pets', [rex])).status).toBe(200);
  const { status, details } = await post('pets', [{ ...rex, petType: 'bird' }]);
  expect(status).toBe(400);
  expect(details).toEqual([
    { in: 'body', path: '0.petType', message: 'must be equal to one of the allowed values: dog, cat' },
  ]);
  // The handler returns what the header contains.
  expect((await post('pets', [rex], [{ petType: 'dog', name: 'Rex' }])).status).toBe(500);
  expect(errors().join()).toContain("'bark'");
});
