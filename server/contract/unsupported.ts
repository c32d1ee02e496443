import { propertiesOf } from './bodies/fields.ts';
import {
  dereferenced,
  isObject,
  type MediaTypeObject,
  type OpenApiDocument,
  type OperationObject,
  operationsOf,
  type ParameterObject,
  parametersOf,
  type RequestBodyObject,
  type ResponseObject,
  resolve,
  schemaOf,
} from './document.ts';
import { mediaKindOf, parseMediaType } from './media-types.ts';
import { isEffective } from './parameters.ts';
import { successesOf } from './responses/responder.ts';
import { schemaSizeCheck } from './schema-size.ts';
import { shapeOf } from './shapes.ts';

/** Results by document: routers of the same document share them. */
const checked = new WeakMap<OpenApiDocument, readonly string[]>();

/** Returns what a document declares in general and the router cannot serve. */
export function unsupportedParts(document: OpenApiDocument): string[] {
  const problems = checked.get(document) ?? checkParts(document);
  checked.set(document, problems);
  return [...problems];
}

function checkParts(document: OpenApiDocument): string[] {
  if (!/^3\.1\.\d+$/.test(document.openapi)) {
    return [
      `The document is OpenAPI ${document.openapi}, and the router serves 3.1: use the openapi.json that \`colophon generate\` writes.`,
    ];
  }
  const problems = unsupportedSchemas(document);
  const operationIds = new Set<string>();
  for (const [path, item] of Object.entries(document.paths)) {
    for (const method of ['head', 'options', 'trace', '$ref']) {
      if (method in item) {
        problems.push(`${path}: ${method} is not supported.`);
      }
    }
    for (const [method, { operationId }] of operationsOf(item)) {
      if (!operationId || operationIds.has(operationId)) {
        problems.push(
          `${method.toUpperCase()} ${path}: ${operationId ? `the operation id ${operationId} is not unique` : 'an operation id is required'}.`,
        );
      }
      operationIds.add(operationId);
    }
  }
  return problems;
}

/** Returns the references that do not resolve, and the keywords that validators would not apply. */
function unsupportedSchemas(document: OpenApiDocument): string[] {
  const problems = new Set<string>();
  const bases = inheritedSchemas(document);
  // Thousands of references have a few hundred targets.
  const resolved = new Map<string, boolean>();
  const doesResolve = (ref: string): boolean => {
    const outcome = resolved.get(ref) ?? resolves(document, ref);
    resolved.set(ref, outcome);
    return outcome;
  };
  const sizeProblem = schemaSizeCheck(document);
  const visited = new Set<unknown>();
  const visit = (value: unknown, position: Position): void => {
    if (typeof value !== 'object' || value === null || visited.has(value)) {
      return;
    }
    visited.add(value);
    if (isObject(value)) {
      for (const problem of schemaProblems(value, bases, doesResolve)) {
        problems.add(`${pointerOf(position)}: ${problem}`);
      }
      const problem = sizeProblem(value);
      if (problem !== undefined) {
        problems.add(`${pointerOf(position)}: ${problem}`);
      }
    }
    for (const [key, inner] of Object.entries(value)) {
      if (!DATA.has(key) || (isObject(inner) && isSchemaOrResponse(inner))) {
        visit(inner, { key, parent: position });
      }
    }
  };
  visit(document.paths, { key: 'paths' });
  visit(document.components, { key: 'components' });
  return [...problems];
}

/** Position in a document. Its pointer is created for problems only: most documents have none. */
interface Position {
  key: string;
  parent?: Position;
}

function pointerOf({ key, parent }: Position): string {
  return `${parent ? pointerOf(parent) : '#'}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

/** Keywords whose values are data, unless a property or response has this name. */
const DATA = new Set(['example', 'examples', 'default', 'const', 'enum']);

const isSchemaOrResponse = (value: Record<string, unknown>) =>
  ['$ref', 'type', 'properties', 'content', 'schema'].some((name) => name in value);

const UNSUPPORTED_KEYWORDS = ['$dynamicRef', '$anchor', '$dynamicAnchor', '$id'];

function schemaProblems(
  schema: Record<string, unknown>,
  bases: ReadonlySet<unknown>,
  doesResolve: (ref: string) => boolean,
): string[] {
  const { $ref, pattern, patternProperties, discriminator, oneOf, anyOf } = schema;
  const problems: string[] = [];
  if (typeof $ref === 'string' && !doesResolve($ref)) {
    problems.push(`the reference ${$ref} does not resolve within the document.`);
  }
  for (const expression of [pattern, ...Object.keys(isObject(patternProperties) ? patternProperties : {})]) {
    if (typeof expression === 'string' && !compiles(expression)) {
      problems.push(`the pattern ${expression} is not a regular expression with the flag u.`);
    }
  }
  if (isObject(discriminator) && !oneOf && !anyOf && bases.has(discriminator)) {
    problems.push('variants that inherit by allOf are not validated: list them in oneOf.');
  }
  for (const keyword of UNSUPPORTED_KEYWORDS) {
    if (typeof schema[keyword] === 'string') {
      problems.push(`${keyword} is not supported.`);
    }
  }
  return problems;
}

/** Returns the discriminators of schemas that others include by `allOf`. */
function inheritedSchemas(document: OpenApiDocument): Set<unknown> {
  const bases = new Set<unknown>();
  for (const schema of Object.values(document.components?.schemas ?? {})) {
    const parts = isObject(schema) && Array.isArray(schema.allOf) ? schema.allOf : [];
    for (const part of parts) {
      if (isObject(part) && typeof part.$ref === 'string' && resolves(document, part.$ref)) {
        bases.add(schemaOf(document, part).discriminator);
      }
    }
  }
  return bases;
}

function resolves(document: OpenApiDocument, ref: string): boolean {
  try {
    return ref.startsWith('#/') && resolve(document, ref) !== undefined;
  } catch {
    return false;
  }
}

function compiles(pattern: string): boolean {
  try {
    return new RegExp(pattern, 'u') !== undefined;
  } catch {
    return false;
  }
}

/**
 * Returns what an operation declares and the router cannot serve.
 *
 * @param operation a complete operation, see `completeOperation`
 * @param declared the same operation in the document
 */
export function unsupportedByOperation(
  document: OpenApiDocument,
  path: string,
  operation: OperationObject,
  declared: OperationObject,
): string[] {
  const parameters = parametersOf(document, operation).filter(isEffective);
  const names = [...path.matchAll(/\{([^}]+)\}/g)].map(([, name]) => name);
  const inPath = parameters.filter(({ in: part }) => part === 'path').map(({ name }) => name);
  return [
    ...names
      .filter((name) => !inPath.includes(name ?? ''))
      .map((name) => `the path parameter ${name} is not declared.`),
    ...inPath
      .filter((name) => !names.includes(name))
      .map((name) => `the path parameter ${name} is not in the path.`),
    ...parameters.flatMap((parameter) => {
      const problem = parameterProblem(document, parameter);
      return problem ? [`the ${parameter.in} parameter ${parameter.name} ${problem}.`] : [];
    }),
    ...bodyProblems(document, operation),
    ...responseProblems(operation),
    ...repeatedTypeProblems(document, declared),
  ];
}

const STYLES = { path: 'simple', query: 'form', header: 'simple', cookie: 'form' } as const;

function parameterProblem(
  document: OpenApiDocument,
  { in: part, style, explode, schema, content, ...rest }: ParameterObject & { allowEmptyValue?: boolean },
): string | undefined {
  if (content) {
    return 'is described by its content, which is not supported: describe it by a schema';
  }
  if (style !== undefined && style !== STYLES[part]) {
    return `has the style ${style}, which is not supported: use ${STYLES[part]}`;
  }
  const types = shapeOf(document, schema).types ?? [];
  if (types.includes('object')) {
    return 'is an object, which is not supported: declare a parameter for each of its properties';
  }
  if (part === 'cookie' && types.includes('array') && explode !== false) {
    return 'is an array that repeats the cookie, which is not supported: add explode: false';
  }
  return rest.allowEmptyValue ? 'permits an empty value, which is not supported' : undefined;
}

function bodyProblems(document: OpenApiDocument, { requestBody }: OperationObject): string[] {
  if (!requestBody) {
    return [];
  }
  const content = Object.entries(requestBody.content ?? {});
  if (content.length === 0) {
    return ['the request body declares no media type.'];
  }
  return content.flatMap(([type, { schema, encoding = {} }]) => {
    const kind = mediaKindOf(type);
    if (kind !== 'form' && kind !== 'multipart') {
      return [];
    }
    const problems = Object.entries(encoding).flatMap(([name, { style, explode }]) =>
      (style ?? 'form') === 'form' && explode !== false
        ? []
        : [`the field ${name} of ${type} has a style that is not supported: repeat the name of lists.`],
    );
    const properties = propertiesOf(document, schema);
    if (properties.length === 0) {
      problems.push(`the schema of ${type} must be an object with properties.`);
    }
    for (const [name, property] of kind === 'form' ? properties : []) {
      const { items } = schemaOf(document, property);
      const types = [
        ...(shapeOf(document, property).types ?? []),
        ...(items ? itemTypes(document, items) : []),
      ];
      if (types.includes('object')) {
        problems.push(
          `the field ${name} of ${type} is an object: use application/json or multipart/form-data.`,
        );
      }
    }
    return problems;
  });
}

const itemTypes = (document: OpenApiDocument, items: unknown) => shapeOf(document, items).types ?? [];

function responseProblems({ responses }: OperationObject): string[] {
  const successes = successesOf(responses);
  if (successes.length === 0) {
    return ['no success response is declared.'];
  }
  return successes.flatMap((status) =>
    /^(?:204|205|304)$/.test(status) && responses[status]?.content
      ? [`a response with status ${status} cannot have a body.`]
      : [],
  );
}

/** Reports media types that differ only in their parameters or in case: the router does not distinguish them. */
function repeatedTypeProblems(
  document: OpenApiDocument,
  { requestBody, responses = {} }: OperationObject,
): string[] {
  const contents: [string, { content?: Record<string, MediaTypeObject> }][] = successesOf(responses).flatMap(
    (status) => {
      const response = responses[status];
      return response
        ? [[`the response with status ${status}`, dereferenced<ResponseObject>(document, response)]]
        : [];
    },
  );
  if (requestBody) {
    contents.unshift(['the request body', dereferenced<RequestBodyObject>(document, requestBody)]);
  }
  return contents.flatMap(([part, { content = {} }]) => {
    const essences = Object.keys(content).map((type) => parseMediaType(type).essence);
    const repeated = new Set(essences.filter((essence, index) => essences.indexOf(essence) !== index));
    return [...repeated].map(
      (essence) =>
        `${part} declares ${essence} more than once, with other parameters, which is not supported.`,
    );
  });
}
