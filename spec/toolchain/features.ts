import { isObject, methods, type OpenApiDocument } from './document.ts';
import type { Problem } from './problem.ts';

/**
 * Everything of OpenAPI 3.1 and JSON Schema 2020-12 that the types, the client and the server here are known to
 * handle. A contract that uses something else would be typed or validated as if it did not say so; whoever adds
 * a member here makes sure first, with a test, that types and validation honour it.
 *
 * A rule tells what stands under a member: `data` (anything), the name of another kind, or a map or list of one.
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
  ...everyOf('data', [
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
  ...everyOf('data', ['example', 'examples', 'minLength', 'maxLength', 'pattern', 'contentEncoding']),
  ...everyOf('data', ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf']),
  ...everyOf('data', ['minItems', 'maxItems', 'uniqueItems', 'minProperties', 'maxProperties', 'required']),
  // The server leaves it to the sealed variants to decide; clients switch on it.
  discriminator: 'data',
  properties: { map: 'schema' },
  ...everyOf('schema', ['additionalProperties', 'unevaluatedProperties', 'propertyNames', 'items', 'not']),
  ...everyOf({ list: 'schema' }, ['allOf', 'anyOf', 'oneOf']),
};

const grammar: Record<Kind, Record<string, Rule>> = {
  document: {
    ...everyOf('data', ['openapi', 'info', 'servers', 'tags', 'security', 'externalDocs']),
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
  pathItem: { ...everyOf('operation', methods), parameters: { list: 'parameter' } },
  operation: {
    ...everyOf('data', [
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
    ...everyOf('data', ['$ref', 'name', 'in', 'required', 'description', 'deprecated', 'explode', 'style']),
    ...everyOf('data', ['example', 'examples']),
    schema: 'schema',
  },
  requestBody: { ...everyOf('data', ['$ref', 'required', 'description']), content: { map: 'mediaType' } },
  response: {
    ...everyOf('data', ['$ref', 'description']),
    headers: { map: 'header' },
    content: { map: 'mediaType' },
  },
  header: { ...everyOf('data', ['$ref', 'required', 'description', 'deprecated']), schema: 'schema' },
  mediaType: { ...everyOf('data', ['example', 'examples']), schema: 'schema' },
  securityScheme: everyOf('data', ['type', 'scheme', 'bearerFormat', 'description']),
  schema: schemas,
};

/** Formats that the validator checks on strings and numbers. */
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
const parameterPlaces = new Set(['path', 'query', 'header']);
const parameterStyles = new Set(['simple', 'form']);

/** What in a document goes beyond the list above, each with its place as a JSON pointer (RFC 6901). */
export function unhandledFeatures(document: OpenApiDocument): Problem[] {
  const problems: Problem[] = [];
  const report = (pointer: string, what: string) =>
    problems.push({
      severity: 'error',
      code: 'unhandled-feature',
      message:
        `#${pointer} ${what}, which nothing here is known to handle: types or validation would pass over it. ` +
        'Say it another way in the contract, or handle it and add it to spec/toolchain/features.ts.',
    });

  function follow(value: unknown, rule: Rule, pointer: string): void {
    if (rule === 'data') return;
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
    // A schema may also be true or false.
    if (!isObject(value)) return;
    for (const [name, member] of Object.entries(value)) {
      if (name.startsWith('x-')) continue;
      const rule = grammar[kind][name];
      if (rule === undefined) report(`${pointer}/${escapePointer(name)}`, `uses "${name}"`);
      else follow(member, rule, `${pointer}/${escapePointer(name)}`);
    }
    if (kind === 'schema') checkSchema(value, pointer);
    if (kind === 'parameter') checkParameter(value, pointer);
    if (kind === 'securityScheme' && !(value.type === 'http' && /^bearer$/i.test(String(value.scheme)))) {
      report(pointer, `has the security scheme "${value.scheme ?? value.type}"`);
    }
  }

  function checkSchema(schema: Record<string, unknown>, pointer: string): void {
    if (typeof schema.format === 'string' && !formats.has(schema.format)) {
      report(`${pointer}/format`, `has the format "${schema.format}"`);
    }
    if (typeof schema.pattern === 'string' && !compiles(schema.pattern)) {
      report(
        `${pointer}/pattern`,
        `has a pattern that is no regular expression in Unicode mode (${schema.pattern})`,
      );
    }
  }

  function checkParameter(parameter: Record<string, unknown>, pointer: string): void {
    if (typeof parameter.in === 'string' && !parameterPlaces.has(parameter.in)) {
      report(`${pointer}/in`, `has a parameter in "${parameter.in}"`);
    }
    if (typeof parameter.style === 'string' && !parameterStyles.has(parameter.style)) {
      report(`${pointer}/style`, `has a parameter of the style "${parameter.style}"`);
    }
  }

  visit(document, 'document', '');
  return problems;
}

/** Validators compile patterns with the flag `u`, under which some escapes are errors. */
function compiles(pattern: string): boolean {
  try {
    new RegExp(pattern, 'u');
    return true;
  } catch {
    return false;
  }
}

function everyOf<R extends Rule>(rule: R, names: readonly string[]): Record<string, R> {
  return Object.fromEntries(names.map((name) => [name, rule]));
}

function escapePointer(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}
