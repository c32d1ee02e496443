import { expect, test } from 'vitest';
import { serveBodies } from '../bodies/serve-bodies.ts';

const object = (properties: object, more: object = {}) => ({ type: 'object', properties, ...more });
const size = { type: 'integer', minimum: 1, default: 10 };
const color = { type: 'string', enum: ['red', 'blue'], default: 'red' };
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });

const SCHEMAS = {
  Inner: object({ size }),
  Circle: object({ type: { const: 'circle' }, size }, { required: ['type'] }),
  Square: object({ type: { const: 'square' }, color }, { required: ['type'] }),
};

test('the defaults of absent properties are inserted into the objects of a body', async () => {
  const bodies = {
    nested: object({
      size,
      inner: ref('Inner'),
      list: { type: 'array', items: ref('Inner') },
      ofRef: { ...ref('Color') },
    }),
    composed: { allOf: [ref('Inner'), object({ color })] },
    tagged: { oneOf: [ref('Circle'), ref('Square')] },
    untagged: { anyOf: [ref('Inner'), object({ color })] },
  };
  const { post } = await serveBodies(bodies, { ...SCHEMAS, Color: color });
  const received = async (name: keyof typeof bodies, body: unknown) => (await post(name, body)).body;
  // An absent object is not created, and the default of a schema that a property refers to is not that of the property.
  expect(await received('nested', {})).toEqual({ size: 10 });
  expect(await received('nested', { inner: {}, list: [{}, { size: 2 }] })).toEqual({
    size: 10,
    inner: { size: 10 },
    list: [{ size: 10 }, { size: 2 }],
  });
  expect(await received('composed', {})).toEqual({ size: 10, color: 'red' });
  expect(await received('tagged', { type: 'circle' })).toEqual({ type: 'circle', size: 10 });
  expect(await received('tagged', { type: 'square' })).toEqual({ type: 'square', color: 'red' });
  // It is not decided which alternatives apply.
  expect(await received('untagged', {})).toEqual({});
});

test('a default that its own schema forbids is not inserted', async () => {
  const forbidden = {
    size: { ...size, default: 0 },
    color: { ...color, default: 'green' },
    text: { type: 'string', default: 5 },
    list: { type: 'array', items: { type: 'integer' }, default: ['a'] },
    inner: { allOf: [ref('Inner')], default: { size: 0 } },
    date: { type: 'string', format: 'date', default: '2026-13-01' },
    code: { type: 'string', pattern: '^\\-$', default: 'x' },
  };
  const { post } = await serveBodies({ body: object({ ...forbidden, valid: size }) }, SCHEMAS);
  expect(await post('body', {})).toMatchObject({ status: 200, body: { valid: 10 } });
  expect((await post('body', {})).body).toEqual({ valid: 10 });
});
