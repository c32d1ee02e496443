import { isObject, methods, type OpenApiDocument } from './document.ts';
import type { Problem } from './problem.ts';

/**
 * Features of OpenAPI 3.1 and JSON Schema 2020-12 that types, client and server support; others would be ignored
 * silently. Before adding a member here, prove with a test that types and validation honor it.
 *
 * A rule describes the value of a member: `data` (any value), the name of another kind, or a map or list of one.
 */
type Rule = 'data' | Kind | { map: Kind } | { list: Kind };
type Kind =
  | 'document'
  | 'components'
  | 'pathItem'
  | 'operation'
  | 'parameter'
  | 'requestBody'
  | 'response'
  | 'header'
  | 'mediaType'
  | 'securityScheme'
  | 'schema';

const schemas: Record<string, Rule> = {
  ...rulesFor('data', [
    '$ref',
    'type',
    'format',
    'enum',
    'const',
    'default',
    'title',
    'description',
    'deprecated',
  ]),
  ...rulesFor('data', ['example', 'examples', 'minLength', 'maxLength', 'pattern']),
  ...rulesFor('data', ['contentEncoding', 'contentMediaType']),
  ...rulesFor('data', ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf']),
  ...rulesFor('data', ['minItems', 'maxItems', 'uniqueItems', 'minProperties', 'maxProperties', 'required']),
  // The server matches the sealed variants instead; clients switch on it.
  discriminator: 'data',
  properties: { map: 'schema' },
  ...rulesFor('schema', ['additionalProperties', 'unevaluatedProperties', 'propertyNames', 'items', 'not']),
  ...rulesFor({ list: 'schema' }, ['allOf', 'anyOf', 'oneOf']),
};

const grammar: Record<Kind, Record<string, Rule>> = {
  document: {
    ...rulesFor('data', ['openapi', 'info', 'servers', 'tags', 'security', 'externalDocs']),
    paths: { map: 'pathItem' },
    components: 'components',
  },
  components: {
    schemas: { map: 'schema' },
    parameters: { map: 'parameter' },
    responses: { map: 'response' },
    requestBodies: { map: 'requestBody' },
    headers: { map: 'header' },
    securitySchemes: { map: 'securityScheme' },
  },
  pathItem: { ...rulesFor('operation', methods), parameters: { list: 'parameter' } },
  operation: {
    ...rulesFor('data', [
      'operationId',
      'summary',
      'description',
      'tags',
      'deprecated',
      'security',
      'externalDocs',
    ]),
    parameters: { list: 'parameter' },
    requestBody: 'requestBody',
    responses: { map: 'response' },
  },
  parameter: {
    ...rulesFor('data', ['$ref', 'name', 'in', 'required', 'description', 'deprecated', 'explode', 'style']),
    ...rulesFor('data', ['example', 'examples', 'allowReserved', 'allowEmptyValue']),
    schema: 'schema',
    content: { map: 'mediaType' },
  },
  requestBody: { ...rulesFor('data', ['$ref', 'required', 'description']), content: { map: 'mediaType' } },
  response: {
    ...rulesFor('data', ['$ref', 'description']),
    headers: { map: 'header' },
    content: { map: 'mediaType' },
  },
  header: { ...rulesFor('data', ['$ref', 'required', 'description', 'deprecated']), schema: 'schema' },
  mediaType: { ...rulesFor('data', ['example', 'examples', 'encoding']), schema: 'schema' },
  securityScheme: rulesFor('data', ['type', 'scheme', 'bearerFormat', 'description']),
  schema: schemas,
};

/** Formats of strings and numbers that the validator checks. */
const formats = new Set([
  ...[
    'int32',
    'int64',
    'float',
    'double',
    'byte',
    'date-time',
    'date',
    'time',
    'duration',
    'uri',
    'uri-reference',
  ],
  ...['email', 'hostname', 'ipv4', 'ipv6', 'uuid', 'regex', 'password', 'json-pointer'],
]);
const parameterLocations = new Set(['path', 'query', 'header', 'cookie']);
const parameterStyles = new Set([
  ...['simple', 'label', 'matrix', 'form', 'spaceDelimited', 'pipeDelimited', 'deepObject'],
]);

/** Reports the features of a document that are not listed above, each with its location as a JSON pointer (RFC 6901). */
export function unhandledFeatures(document: OpenApiDocument): Problem[] {
  const problems: Problem[] = [];
  const report = (pointer: string, problem: string) =>
    problems.push({
      severity: 'error',
      code: 'unhandled-feature',
      message:
        `#${pointer} ${problem}, which is not supported: types or validation would ignore it. ` +
        'Express it differently in the contract.',
    });

  function follow(value: unknown, rule: Rule, pointer: string): void {
    if (rule === 'data') {
      return;
    }
    if (typeof rule === 'string') {
      visit(value, rule, pointer);
      return;
    }
    const kind = 'map' in rule ? rule.map : rule.list;
    for (const [name, member] of Object.entries(value ?? {})) {
      visit(member, kind, `${pointer}/${escapePointer(name)}`);
    }
  }

  function visit(value: unknown, kind: Kind, pointer: string): void {
    // A schema can also be a boolean.
    if (!isObject(value)) {
      return;
    }
    for (const [name, member] of Object.entries(value)) {
      if (name.startsWith('x-')) {
        continue;
      }
      const rule = grammar[kind][name];
      if (rule === undefined) {
        report(`${pointer}/${escapePointer(name)}`, `uses "${name}"`);
      } else {
        follow(member, rule, `${pointer}/${escapePointer(name)}`);
      }
    }
    if (kind === 'schema') {
      checkSchema(value, pointer);
    }
    if (kind === 'parameter') {
      checkParameter(value, pointer);
    }
    if (kind === 'securityScheme' && !(value.type === 'http' && /^bearer$/i.test(String(value.scheme)))) {
      report(pointer, `has the security scheme "${value.scheme ?? value.type}"`);
    }
  }

  function checkSchema(schema: Record<string, unknown>, pointer: string): void {
    if (typeof schema.format === 'string' && !formats.has(schema.format)) {
      report(`${pointer}/format`, `has the format "${schema.format}"`);
    }
    if (typeof schema.pattern === 'string' && !compiles(schema.pattern)) {
      report(`${pointer}/pattern`, `has a pattern that is invalid in Unicode mode (${schema.pattern})`);
    }
  }

  function checkParameter(parameter: Record<string, unknown>, pointer: string): void {
    if (typeof parameter.in === 'string' && !parameterLocations.has(parameter.in)) {
      report(`${pointer}/in`, `has a parameter in "${parameter.in}"`);
    }
    if (typeof parameter.style === 'string' && !parameterStyles.has(parameter.style)) {
      report(`${pointer}/style`, `has a parameter with the style "${parameter.style}"`);
    }
  }

  visit(document, 'document', '');
  return problems;
}

/** Whether a pattern compiles with the flag `u`, which validators use and which rejects some escapes. */
function compiles(pattern: string): boolean {
  try {
    new RegExp(pattern, 'u');
    return true;
  } catch {
    return false;
  }
}

function rulesFor<R extends Rule>(rule: R, names: readonly string[]): Record<string, R> {
  return Object.fromEntries(names.map((name) => [name, rule]));
}

function escapePointer(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}
