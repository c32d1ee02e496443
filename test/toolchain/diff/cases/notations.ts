import type { Json, JsonObject } from '../../../../spec/toolchain/document.ts';
import { documentWith, operationWith } from './document.ts';
import type { OperationCase } from './operations.ts';

const string = { type: 'string' };
const list = { type: 'array', items: string };
const object = { type: 'object', properties: { a: string } };

const parameter = (keywords: JsonObject): JsonObject =>
  operationWith({ parameters: [{ name: 'p', in: 'query', ...keywords }] });
const inPath = (keywords: JsonObject): JsonObject =>
  documentWith({
    paths: {
      '/a/{p}': {
        get: { operationId: 'getA', responses: {}, parameters: [{ name: 'p', in: 'path', ...keywords }] },
      },
    },
  });

const URL_ENCODED = 'application/x-www-form-urlencoded';
const MULTIPART = 'multipart/form-data';
const properties = { list, object, string, file: { type: 'string', format: 'binary' } };
const form = (type: string, encoding: JsonObject): JsonObject =>
  operationWith({
    requestBody: { content: { [type]: { schema: { type: 'object', properties }, encoding } } },
  });

const styled = 'breaking both | query parameter p | parameter-style-changed';
const field = (type: string, name: string, rule: string) => {
  const level = {
    'field-style-changed': 'breaking both',
    'field-type-removed': 'breaking clients',
    'field-type-added': 'safe servers',
  };
  return `${level[rule as keyof typeof level] ?? 'risky both'} | request body (${type}): ${name} | ${rule}`;
};

/** A change that has no effect on what is sent. */
const same = (name: string, base: JsonObject, head: JsonObject): OperationCase => ({
  ...{ name, base, head, changes: [], back: [] },
});
/** A change that breaks clients and servers in both directions. */
const broken = (name: string, base: JsonObject, head: JsonObject, change = styled): OperationCase => ({
  ...{ name, base, head, changes: [change], back: [change] },
});

const path = (template: string, method = 'get', more: JsonObject = {}): JsonObject =>
  documentWith({ paths: { [template]: { [method]: { operationId: 'useA', responses: {}, ...more } } } });
const a = { operationId: 'useA', responses: {} };
const withMethod = (method: string): JsonObject =>
  documentWith({ paths: { '/a': { get: a, [method]: { operationId: 'other', responses: {} } } } });

const pet = { $ref: '#/components/schemas/Pet' };
const heir = (more: JsonObject): Json => ({
  allOf: [{ $ref: '#/components/schemas/Pet' }, { type: 'object', ...more }],
});
/** A document with a schema that others inherit from, in a request and in a response. */
function pets(schemas: JsonObject, mapping?: JsonObject): JsonObject {
  const content = { 'application/json': { schema: pet } };
  const discriminator = { propertyName: 'kind', ...(mapping && { mapping }) };
  const Pet = { type: 'object', required: ['kind'], properties: { kind: string }, discriminator };
  return operationWith(
    { requestBody: { required: true, content }, responses: { 200: { description: 'Done.', content } } },
    { schemas: { Pet, Cat: heir({ properties: { lives: { type: 'integer' } } }), ...schemas } },
  );
}
const dog = { properties: { bark: string } };

/** Notations of parameters, forms and paths, and discriminators that schemas inherit. */
export const notationCases: OperationCase[] = [
  broken(
    'a list gets another separator',
    parameter({ schema: list, explode: false }),
    parameter({ schema: list, style: 'pipeDelimited', explode: false }),
  ),
  broken('a list repeats its name', parameter({ schema: list, explode: false }), parameter({ schema: list })),
  same(
    'a list that repeats its name has another style',
    parameter({ schema: list, style: 'spaceDelimited', explode: true }),
    parameter({ schema: list }),
  ),
  broken(
    'an object gets brackets',
    parameter({ schema: object }),
    parameter({ schema: object, style: 'deepObject' }),
  ),
  same(
    'explode of brackets has no effect',
    parameter({ schema: object, style: 'deepObject', explode: false }),
    parameter({ schema: object, style: 'deepObject', explode: true }),
  ),
  same(
    'explode of a list in a path has no effect',
    inPath({ schema: list }),
    inPath({ schema: list, explode: true }),
  ),
  broken(
    'explode of an object in a path has one',
    inPath({ schema: object }),
    inPath({ schema: object, explode: true }),
    'breaking both | path parameter p | parameter-style-changed',
  ),
  broken(
    'a path parameter gets a prefix',
    inPath({ schema: string }),
    inPath({ schema: string, style: 'label' }),
    'breaking both | path parameter p | parameter-style-changed',
  ),
  broken(
    'an object becomes JSON',
    parameter({ schema: object }),
    parameter({ content: { 'application/json': { schema: object } } }),
  ),
  broken(
    'a string becomes JSON',
    parameter({ schema: string }),
    parameter({ content: { 'application/json': { schema: string } } }),
  ),
  same(
    'a number becomes JSON',
    parameter({ schema: { type: 'number' } }),
    parameter({ content: { 'application/json': { schema: { type: 'number' } } } }),
  ),
  same(
    'a string gets the media type of texts',
    parameter({ schema: string }),
    parameter({ content: { 'text/plain': { schema: string } } }),
  ),
  {
    name: 'reserved characters need no encoding',
    base: parameter({ schema: string }),
    head: parameter({ schema: string, allowReserved: true }),
    changes: ['safe servers | query parameter p | parameter-reserved-added'],
    back: ['breaking clients | query parameter p | parameter-reserved-removed'],
  },
  {
    name: 'a parameter may be empty',
    base: parameter({ schema: string }),
    head: parameter({ schema: string, allowEmptyValue: true }),
    changes: [],
    back: ['breaking clients | query parameter p | request-limit-narrowed'],
  },
  broken(
    'a field gets another separator',
    form(URL_ENCODED, { list: { style: 'pipeDelimited' } }),
    form(URL_ENCODED, { list: { style: 'spaceDelimited' } }),
    field(URL_ENCODED, 'list', 'field-style-changed'),
  ),
  broken(
    'a list of a form is joined',
    form(URL_ENCODED, {}),
    form(URL_ENCODED, { list: { explode: false } }),
    field(URL_ENCODED, 'list', 'field-style-changed'),
  ),
  broken(
    'brackets of an object become JSON',
    form(URL_ENCODED, { object: { style: 'deepObject' } }),
    form(URL_ENCODED, { object: { contentType: 'application/json' } }),
    field(URL_ENCODED, 'object', 'field-style-changed'),
  ),
  broken(
    'the default of objects becomes explicit',
    form(URL_ENCODED, {}),
    form(URL_ENCODED, { object: { style: 'deepObject' } }),
    field(URL_ENCODED, 'object', 'request-encoding-changed'),
  ),
  same(
    'the default of lists becomes explicit',
    form(URL_ENCODED, {}),
    form(URL_ENCODED, { list: { style: 'form', explode: true } }),
  ),
  same(
    'the style of a text, or of an unknown field, has no effect',
    form(URL_ENCODED, {}),
    form(URL_ENCODED, { string: { explode: false }, other: { style: 'pipeDelimited' } }),
  ),
  {
    name: 'a part gets another media type',
    base: form(MULTIPART, { string: { contentType: 'text/plain' } }),
    head: form(MULTIPART, { string: { contentType: 'text/csv' } }),
    changes: [
      field(MULTIPART, 'string', 'field-type-removed'),
      field(MULTIPART, 'string', 'field-type-added'),
    ],
    back: [field(MULTIPART, 'string', 'field-type-removed'), field(MULTIPART, 'string', 'field-type-added')],
  },
  {
    name: 'a file may have further media types',
    base: form(MULTIPART, { file: { contentType: 'image/png' } }),
    head: form(MULTIPART, { file: { contentType: 'image/png, image/jpeg' } }),
    changes: [field(MULTIPART, 'file', 'field-type-added')],
    back: [field(MULTIPART, 'file', 'field-type-removed')],
  },
  {
    name: 'a file may only have some media types',
    base: form(MULTIPART, {}),
    head: form(MULTIPART, { file: { contentType: 'image/*' } }),
    changes: [field(MULTIPART, 'file', 'field-type-removed')],
    back: [field(MULTIPART, 'file', 'field-type-added')],
  },
  same(
    'the media types that parts have anyway become explicit',
    form(MULTIPART, {}),
    form(MULTIPART, { string: { contentType: 'text/plain' }, object: { contentType: 'application/json' } }),
  ),
  broken(
    'a path gets text after a parameter',
    path('/a/{id}'),
    path('/a/{id}.json'),
    'breaking both | operation | operation-moved',
  ),
  same('path parameters with text between them get other names', path('/a/{b}...{c}'), path('/a/{c}...{b}')),
  same('letters of a path are encoded', path('/größe/{id}'), path('/gr%c3%b6%C3%9Fe/{id}')),
  same(
    'a path parameter is declared as it was understood',
    path('/a/{id}'),
    path('/a/{id}', 'get', { parameters: [{ name: 'id', in: 'path', schema: string }] }),
  ),
  broken(
    'a path parameter contains slashes',
    path('/a/{id}'),
    path('/a/{+id}'),
    'breaking both | path parameter id | parameter-style-changed',
  ),
  ...['head', 'options'].map(
    (method): OperationCase => ({
      name: `the method ${method} is added`,
      base: path('/a'),
      head: withMethod(method),
      changes: ['safe servers | operation | operation-added'],
      back: ['breaking clients | operation | operation-removed'],
    }),
  ),
  {
    name: 'a schema inherits from another one',
    base: pets({}),
    head: pets({ Dog: heir(dog) }),
    changes: [
      'safe servers | request body | request-variant-widened',
      'breaking clients | response 200 | response-variant-widened',
    ],
    back: [
      'breaking clients | request body | request-variant-narrowed',
      'risky servers | response 200 | response-variant-narrowed',
    ],
  },
  {
    name: 'a schema that inherits requires a property',
    base: pets({ Dog: heir(dog) }),
    head: pets({ Dog: heir({ ...dog, required: ['bark'] }) }),
    changes: [
      'breaking clients | request body: <Dog>.bark | request-property-became-required',
      'risky servers | response 200: <Dog>.bark | response-property-became-required',
    ],
    back: [
      'safe servers | request body: <Dog>.bark | request-property-became-optional',
      'breaking clients | response 200: <Dog>.bark | response-property-became-optional',
    ],
  },
  {
    name: 'a schema that inherits is selected by a value of its own',
    base: pets({ Dog: heir({ properties: { ...dog.properties, kind: { const: 'hound' } } }) }),
    head: pets({ Dog: heir({ properties: { ...dog.properties, kind: { enum: ['hound', 'pup'] } } }) }),
    changes: [
      'safe servers | request body: <Dog>.kind | request-enum-widened',
      'breaking clients | response 200: <Dog>.kind | response-enum-widened',
    ],
    back: [
      'breaking clients | request body: <Dog>.kind | request-enum-narrowed',
      'risky servers | response 200: <Dog>.kind | response-enum-narrowed',
    ],
  },
  same(
    'a mapping states the names that schemas have',
    pets({ Dog: heir(dog) }),
    pets({ Dog: heir(dog) }, { Pet: 'Pet', Cat: 'Cat', Dog: '#/components/schemas/Dog' }),
  ),
  same(
    'a schema that inherits lists its value itself',
    pets({ Dog: heir(dog) }),
    pets({ Dog: heir({ properties: { ...dog.properties, kind: { const: 'Dog' } } }) }),
  ),
];

/** Schemas with their own places and patterns: what is narrower, and where in the body. */
export const narrowerSchemas: [
  name: string,
  base: JsonObject,
  head: JsonObject,
  aspect: string,
  at: string,
][] = [
  [
    'a place of a tuple is bounded',
    { type: 'array', prefixItems: [string] },
    { type: 'array', prefixItems: [{ ...string, maxLength: 1 }] },
    'limit',
    ': [0]',
  ],
  [
    'a tuple gets a second place',
    { type: 'array', prefixItems: [string] },
    { type: 'array', prefixItems: [string, string] },
    'type',
    ': [1]',
  ],
  [
    'a tuple is closed',
    { type: 'array', prefixItems: [string] },
    { type: 'array', prefixItems: [string], items: false },
    'type',
    ': []',
  ],
  [
    'a list becomes a tuple',
    { type: 'array', items: { enum: ['a', 'b'] } },
    { type: 'array', prefixItems: [{ const: 'a' }], items: { enum: ['a', 'b'] } },
    'enum',
    ': [0]',
  ],
  [
    'properties of a pattern are bounded',
    { type: 'object', patternProperties: { '^x': string } },
    { type: 'object', patternProperties: { '^x': { ...string, maxLength: 1 } } },
    'limit',
    ': ^x',
  ],
  [
    'a pattern is added',
    { type: 'object', additionalProperties: { type: ['string', 'null'] } },
    {
      type: 'object',
      additionalProperties: { type: ['string', 'null'] },
      patternProperties: { '^x': string },
    },
    'null',
    ': ^x',
  ],
  [
    'multiples are larger',
    { type: 'number', multipleOf: 0.01 },
    { type: 'number', multipleOf: 0.05 },
    'limit',
    '',
  ],
];
