import { METHODS } from '../document.ts';

/** Versions that can be read, for messages. */
export const SUPPORTED_VERSIONS = 'OpenAPI 3.0, 3.1 and 3.2, and Swagger 2.0';

/** Versions of OpenAPI that differ in their structure. */
export type Dialect = '2.0' | '3.0' | '3.1';

/**
 * Required form of a value: `data` is any value, `limit` a number or a boolean; others are scalars, the name of a kind of
 * object, or a map or list of one.
 */
export type Rule = 'data' | 'text' | 'flag' | 'number' | 'limit' | Kind | { map: Rule } | { list: Rule };

/** Kind of an object. */
export type Kind =
  | 'document'
  | 'info'
  | 'server'
  | 'components'
  | 'pathItem'
  | 'operation'
  | 'callback'
  | 'parameter'
  | 'requestBody'
  | 'response'
  | 'header'
  | 'mediaType'
  | 'encoding'
  | 'link'
  | 'securityScheme'
  | 'schema';

/** Members of each kind. Others are ignored. */
export type Grammar = Readonly<Record<Kind, Readonly<Record<string, Rule>>>>;

const texts = (...names: string[]): Record<string, Rule> => rulesFor('text', names);
const flags = (...names: string[]): Record<string, Rule> => rulesFor('flag', names);
const numbers = (...names: string[]): Record<string, Rule> => rulesFor('number', names);

function rulesFor(rule: Rule, names: readonly string[]): Record<string, Rule> {
  return Object.fromEntries(names.map((name) => [name, rule]));
}

const info: Record<string, Rule> = texts('title', 'version', 'description', 'summary', 'termsOfService');

const schema: Record<string, Rule> = {
  ...texts('title', 'description', 'format', 'pattern', 'contentEncoding', 'contentMediaType'),
  ...flags('nullable', 'readOnly', 'writeOnly', 'deprecated', 'uniqueItems'),
  ...numbers('minimum', 'maximum', 'multipleOf', 'minLength', 'maxLength'),
  ...numbers('minItems', 'maxItems', 'minProperties', 'maxProperties', 'minContains', 'maxContains'),
  exclusiveMinimum: 'limit',
  exclusiveMaximum: 'limit',
  ...rulesFor({ map: 'schema' }, [
    'properties',
    'patternProperties',
    '$defs',
    'definitions',
    'dependentSchemas',
  ]),
  ...rulesFor({ list: 'schema' }, ['allOf', 'anyOf', 'oneOf', 'prefixItems']),
  ...rulesFor('schema', [
    'items',
    'not',
    'additionalProperties',
    'unevaluatedProperties',
    'unevaluatedItems',
  ]),
  ...rulesFor('schema', ['propertyNames', 'contains', 'if', 'then', 'else', 'contentSchema']),
};

/** Parameters and headers of Swagger 2.0 are schemas, except for their bodies. */
const parameterSchema: Record<string, Rule> = { ...schema, ...texts('collectionFormat') };

const pathItem: Record<string, Rule> = {
  ...texts('summary', 'description'),
  ...Object.fromEntries(METHODS.map((method): [string, Rule] => [method, 'operation'])),
  parameters: { list: 'parameter' },
  servers: { list: 'server' },
};

const operation: Record<string, Rule> = {
  ...texts('operationId', 'summary', 'description'),
  ...flags('deprecated'),
  tags: { list: 'text' },
  parameters: { list: 'parameter' },
  responses: { map: 'response' },
  security: { list: { map: 'data' } },
};

/** Grammar of OpenAPI 3. Members of 3.1 are read in 3.0 as well. */
const openapi: Grammar = {
  document: {
    info: 'info',
    servers: { list: 'server' },
    paths: { map: 'pathItem' },
    webhooks: { map: 'pathItem' },
    components: 'components',
    security: { list: { map: 'data' } },
  },
  info,
  server: { ...texts('url', 'description'), variables: { map: 'data' } },
  components: {
    schemas: { map: 'schema' },
    parameters: { map: 'parameter' },
    responses: { map: 'response' },
    requestBodies: { map: 'requestBody' },
    headers: { map: 'header' },
    securitySchemes: { map: 'securityScheme' },
    examples: { map: 'data' },
    links: { map: 'link' },
    callbacks: { map: 'callback' },
    pathItems: { map: 'pathItem' },
  },
  pathItem,
  operation: {
    ...operation,
    requestBody: 'requestBody',
    callbacks: { map: 'callback' },
    servers: { list: 'server' },
  },
  callback: {},
  parameter: {
    ...texts('name', 'in', 'description', 'style'),
    ...flags('required', 'deprecated', 'allowEmptyValue', 'explode', 'allowReserved'),
    schema: 'schema',
    content: { map: 'mediaType' },
    examples: { map: 'data' },
  },
  requestBody: { ...texts('description'), ...flags('required'), content: { map: 'mediaType' } },
  response: {
    ...texts('description'),
    headers: { map: 'header' },
    content: { map: 'mediaType' },
    links: { map: 'link' },
  },
  header: {
    ...texts('description', 'style'),
    ...flags('required', 'deprecated', 'explode'),
    schema: 'schema',
    content: { map: 'mediaType' },
    examples: { map: 'data' },
  },
  mediaType: { schema: 'schema', examples: { map: 'data' }, encoding: { map: 'encoding' } },
  encoding: {
    ...texts('contentType', 'style'),
    ...flags('explode', 'allowReserved'),
    headers: { map: 'header' },
  },
  link: { ...texts('operationId', 'operationRef', 'description'), parameters: { map: 'data' } },
  securityScheme: {
    ...texts('type', 'description', 'name', 'in', 'scheme', 'bearerFormat', 'openIdConnectUrl'),
    flows: { map: { map: 'data' } },
  },
  schema,
};

const swagger: Grammar = {
  ...openapi,
  document: {
    info: 'info',
    ...texts('host', 'basePath'),
    ...rulesFor({ list: 'text' }, ['schemes', 'consumes', 'produces']),
    paths: { map: 'pathItem' },
    definitions: { map: 'schema' },
    parameters: { map: 'parameter' },
    responses: { map: 'response' },
    securityDefinitions: { map: 'securityScheme' },
    security: { list: { map: 'data' } },
  },
  operation: { ...operation, ...rulesFor({ list: 'text' }, ['schemes', 'consumes', 'produces']) },
  parameter: {
    ...parameterSchema,
    ...texts('name', 'in'),
    ...flags('required', 'allowEmptyValue'),
    schema: 'schema',
  },
  response: {
    ...texts('description'),
    schema: 'schema',
    headers: { map: 'header' },
    examples: { map: 'data' },
  },
  header: parameterSchema,
  securityScheme: {
    ...texts('type', 'description', 'name', 'in', 'flow', 'authorizationUrl', 'tokenUrl'),
    scopes: { map: 'data' },
  },
};

/** Returns the grammar of a dialect. */
export function grammarOf(dialect: Dialect): Grammar {
  return dialect === '2.0' ? swagger : openapi;
}

/** Kinds of the components in each group, by the JSON pointer of the group. */
const COMPONENT_KINDS: Readonly<Record<string, Kind>> = {
  '#/components/schemas': 'schema',
  '#/components/parameters': 'parameter',
  '#/components/responses': 'response',
  '#/components/requestBodies': 'requestBody',
  '#/components/headers': 'header',
  '#/components/securitySchemes': 'securityScheme',
  '#/components/links': 'link',
  '#/components/callbacks': 'callback',
  '#/components/pathItems': 'pathItem',
  '#/definitions': 'schema',
  '#/parameters': 'parameter',
  '#/responses': 'response',
};

/** Returns the kind of the component that a reference names; undefined if it refers to something else. */
export function kindOfComponent(reference: string): Kind | undefined {
  const end = reference.lastIndexOf('/');
  return end === -1 ? undefined : COMPONENT_KINDS[reference.slice(0, end)];
}

/** Names of the kinds in messages, with an article. */
export const KIND_NAMES: Readonly<Record<Kind, string>> = {
  document: 'a document',
  info: 'an info object',
  server: 'a server',
  components: 'components',
  pathItem: 'a path item',
  operation: 'an operation',
  callback: 'a callback',
  parameter: 'a parameter',
  requestBody: 'a request body',
  response: 'a response',
  header: 'a header',
  mediaType: 'a media type',
  encoding: 'an encoding',
  link: 'a link',
  securityScheme: 'a security scheme',
  schema: 'a schema',
};
