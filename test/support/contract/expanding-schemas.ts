/** A chain of schemas. Each refers to the next one more than once. */
export interface Chain {
  /** Number of schemas after the first one. */
  length: number;
  next(schema: object): object;
  last: object;
}

const properties = (members: Record<string, object>) => ({ type: 'object', properties: members });
const leaf = properties({ a: { type: 'string' } });

/** Chains of schemas for the same value: more of them apply than can be evaluated. */
export const COMPOSED: Record<string, Chain> = {
  'allOf twice': { length: 24, next: (n) => ({ allOf: [n, n] }), last: leaf },
  'allOf in allOf': { length: 24, next: (n) => ({ allOf: [n, { allOf: [n, { title: 'x' }] }] }), last: leaf },
  'anyOf twice': { length: 24, next: (n) => ({ anyOf: [n, n] }), last: leaf },
  'oneOf twice': { length: 24, next: (n) => ({ oneOf: [n, { allOf: [n], required: ['b'] }] }), last: leaf },
  'not of allOf': { length: 24, next: (n) => ({ not: { allOf: [n, n] } }), last: leaf },
  // biome-ignore lint/suspicious/noThenProperty: the keyword of JSON Schema
  conditions: { length: 24, next: (n) => ({ if: n, then: n, else: n }), last: leaf },
  dependentSchemas: { length: 24, next: (n) => ({ dependentSchemas: { a: n, b: n } }), last: leaf },
  'unions in allOf': {
    length: 20,
    next: (n) => ({ allOf: [{ anyOf: [n, { type: 'null' }] }, { anyOf: [n, { type: 'string' }] }] }),
    last: leaf,
  },
  aliases: {
    length: 40,
    next: (n) => ({ allOf: [{ $ref: '#/components/schemas/Alias' }, n], anyOf: [n] }),
    last: leaf,
  },
};

/** Chains of schemas for nested values: each value is small, or grows with each schema. */
export const NESTED: Record<string, Chain> = {
  'two required properties': {
    length: 30,
    next: (n) => ({ ...properties({ l: n, r: n }), required: ['l', 'r'] }),
    last: { type: 'string' },
  },
  'two optional properties': {
    length: 30,
    next: (n) => properties({ l: n, r: n }),
    last: { type: 'string' },
  },
  'many required properties': {
    length: 6,
    next: (n) => {
      const names = Array.from({ length: 20 }, (_, index) => `p${index}`);
      return { ...properties(Object.fromEntries(names.map((name) => [name, n]))), required: names };
    },
    last: { type: 'string' },
  },
  'additional properties': {
    length: 30,
    next: (n) => ({ ...properties({ p: n }), required: ['p'], additionalProperties: n }),
    last: { type: 'string' },
  },
  'two items': {
    length: 30,
    next: (n) => ({ type: 'array', items: n, minItems: 2 }),
    last: { type: 'string' },
  },
  'one property in two parts': {
    length: 24,
    next: (n) => ({ allOf: [properties({ x: n }), properties({ x: n })] }),
    last: leaf,
  },
  'one property in two parts that differ': {
    length: 24,
    next: (n) => ({
      allOf: [
        { ...properties({ x: n }), required: ['x'] },
        properties({ x: { allOf: [n, { title: 'x' }] } }),
      ],
    }),
    last: leaf,
  },
  'tagged variants': {
    length: 24,
    next: (n) => ({
      oneOf: ['a', 'b'].map((kind) => ({
        ...properties({ kind: { type: 'string', const: kind }, value: n }),
        required: ['kind', 'value'],
      })),
    }),
    last: { type: 'string' },
  },
};

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });

/** Creates a contract whose only operations receive and return the first schema of a chain. */
export function chainContract({ length, next, last }: Chain) {
  const schemas: Record<string, object> = { Alias: ref('S0'), S0: last };
  for (let index = 1; index <= length; index += 1) {
    schemas[`S${index}`] = next(ref(`S${index - 1}`));
  }
  const content = { 'application/json': { schema: ref(`S${length}`) } };
  const list = { 'application/json': { schema: { type: 'array', items: ref(`S${length}`) } } };
  return {
    openapi: '3.1.0',
    info: { title: 'Chain', version: '1' },
    paths: {
      '/items': {
        get: { operationId: 'listItems', responses: { 200: { description: 'OK.', content: list } } },
        post: {
          operationId: 'createItem',
          requestBody: { required: true, content },
          responses: { 201: { description: 'Created.', content } },
        },
      },
    },
    components: { schemas },
  };
}
