import {
  DEFAULT_STYLES,
  type EncodingObject,
  isLocation,
  type OpenApiDocument,
  schemaOf,
} from '../document.ts';
import { isObject } from '../json-values.ts';
import { isEffective } from '../request/values/parameters.ts';
import { refusalReasons } from '../request/values/unsupported-places.ts';
import { readPath } from './path-parameters.ts';

/** A parameter, or a header of a response. */
export interface ParameterReference {
  name: string;
  in: string;
  required: boolean;
  deprecated: boolean;
  description: string;
  schema: unknown;
  example: unknown;
  style: string;
  explode: boolean;
  /** Whether reserved characters are not encoded. */
  isReserved: boolean;
  /** Whether it may be sent without a value. */
  mayBeEmpty: boolean;
  /** Media type of the value, instead of a style. */
  mediaType: string | undefined;
}

/** A media type of a body. */
export interface MediaReference {
  type: string;
  schema: unknown;
  example: unknown;
  /** Notation of the fields of a form, by name. */
  encoding: Readonly<Record<string, EncodingObject>>;
}

export interface BodyReference {
  required: boolean;
  description: string;
  content: MediaReference[];
}

export interface ResponseReference {
  status: string;
  description: string;
  headers: ParameterReference[];
  content: MediaReference[];
}

/** A security scheme that an operation accepts. */
export interface SchemeReference {
  name: string;
  type: string;
  /** Scheme of `Authorization`, in lower case, if the type is `http`. */
  scheme: string;
  in: string;
  /** Name of the header, query parameter or cookie of an API key. */
  parameter: string;
  description: string;
}

export interface OperationReference {
  /** Operation id, or method and path. Unique. */
  id: string;
  /** Whether the contract has the id. */
  isNamed: boolean;
  title: string;
  method: string;
  /** As the contract has it. */
  path: string;
  /** The path with the names of its parameters in braces, without the operators of `{+path}`. */
  template: string;
  /** Why the router refuses the operation; undefined if it serves it. */
  refusal: string | undefined;
  description: string;
  deprecated: boolean;
  parameters: ParameterReference[];
  body: BodyReference | undefined;
  responses: ResponseReference[];
  /** Alternatives, each with the names of the schemes that it requires together. */
  security: string[][];
  /** Schemes of the alternatives. */
  schemes: SchemeReference[];
  /** Code samples of the contract (`x-codeSamples`). */
  samples: { label: string; source: string }[];
}

/** Operations with the same tag. */
export interface OperationGroup {
  name: string;
  description: string;
  operations: OperationReference[];
}

/** The parts of a contract that its documentation shows. */
export interface Reference {
  document: OpenApiDocument;
  groups: OperationGroup[];
  operations: Map<string, OperationReference>;
  models: Map<string, unknown>;
}

const METHODS = ['get', 'post', 'put', 'patch', 'delete', 'head', 'options', 'trace'];

/** Reads a contract for its documentation. */
export function readReference(document: OpenApiDocument): Reference {
  const groups = new Map<string, OperationGroup>();
  for (const tag of listOf(document.tags)) {
    groups.set(textOrEmpty(tag.name), {
      name: textOrEmpty(tag.name),
      description: textOrEmpty(tag.description),
      operations: [],
    });
  }
  const operations = new Map<string, OperationReference>();
  const refusals = refusalsOf(document);
  for (const [path, item] of Object.entries(document.paths)) {
    const shared: unknown = schemaOf(document, item);
    for (const method of METHODS) {
      const declared = isObject(shared) ? shared[method] : undefined;
      if (isObject(declared) && isObject(shared)) {
        const operation = readOperation(document, method, path, declared, shared.parameters, operations);
        operation.refusal = refusals.get(`${method} ${path}`);
        operations.set(operation.id, operation);
        const tag = (Array.isArray(declared.tags) && textOrEmpty(declared.tags[0])) || 'Other operations';
        const group = groups.get(tag) ?? { name: tag, description: '', operations: [] };
        groups.set(tag, group);
        group.operations.push(operation);
      }
    }
  }
  return {
    document,
    groups: [...groups.values()].filter((group) => group.operations.length > 0),
    operations,
    models: new Map(Object.entries(document.components?.schemas ?? {})),
  };
}

/** Returns why the router refuses operations; nothing for a document that it does not serve at all. */
function refusalsOf(document: OpenApiDocument): ReadonlyMap<string, string> {
  try {
    return refusalReasons(document);
  } catch {
    return new Map();
  }
}

function readOperation(
  document: OpenApiDocument,
  method: string,
  path: string,
  declared: Record<string, unknown>,
  sharedParameters: unknown,
  others: ReadonlyMap<string, unknown>,
): OperationReference {
  const all = [...listOf(sharedParameters), ...listOf(declared.parameters)].map((parameter) =>
    readParameter(document, parameter),
  );
  // Those of the operation replace those of its path (OpenAPI 3.1, Operation Object).
  const parameters = [
    ...new Map(all.map((parameter) => [`${parameter.in} ${parameter.name}`, parameter])).values(),
  ].filter(hasEffect);
  const requirements = listOf(declared.security ?? document.security);
  const names = [...new Set(requirements.flatMap((requirement) => Object.keys(requirement)))];
  const id = textOrEmpty(declared.operationId);
  return {
    id: uniqueId(id || `${method} ${path}`, others),
    isNamed: id !== '',
    title: textOrEmpty(declared.summary) || id || `${method.toUpperCase()} ${path}`,
    method: method.toUpperCase(),
    path,
    refusal: undefined,
    description: textOrEmpty(declared.description),
    deprecated: declared.deprecated === true,
    ...readPath(path, parameters, (name) =>
      readParameter(document, { name, in: 'path', required: true, schema: { type: 'string' } }),
    ),
    body: isObject(declared.requestBody) ? readBody(document, declared.requestBody) : undefined,
    responses: Object.entries(schemaOf(document, declared.responses)).map(([status, response]) => {
      const { description, headers, content } = schemaOf(document, response);
      return {
        status,
        description: textOrEmpty(description),
        headers: Object.entries(isObject(headers) ? headers : {}).map(([name, header]) => ({
          ...readParameter(document, header),
          name,
          in: 'header',
        })),
        content: readContent(document, content),
      };
    }),
    security: requirements.map((requirement) => Object.keys(requirement)),
    schemes: names.map((name) => readScheme(document, name)),
    samples: listOf(declared['x-codeSamples']).map(({ label, lang, source }) => ({
      label: textOrEmpty(label) || textOrEmpty(lang),
      source: textOrEmpty(source),
    })),
  };
}

const hasEffect = ({ name, in: location }: ParameterReference) =>
  isLocation(location) && isEffective({ name, in: location });

function uniqueId(id: string, others: ReadonlyMap<string, unknown>): string {
  let unique = id;
  for (let count = 2; others.has(unique); count += 1) {
    unique = `${id} ${count}`;
  }
  return unique;
}

function readParameter(document: OpenApiDocument, declared: unknown): ParameterReference {
  const parameter = schemaOf(document, declared);
  const [media] = readContent(document, parameter.content);
  const location = textOrEmpty(parameter.in);
  const { style = isLocation(location) ? DEFAULT_STYLES[location] : 'simple', explode = style === 'form' } =
    parameter;
  return {
    name: textOrEmpty(parameter.name),
    in: location,
    required: parameter.required === true,
    deprecated: parameter.deprecated === true,
    description: textOrEmpty(parameter.description),
    schema: parameter.schema ?? media?.schema,
    example: exampleIn(document, parameter) ?? media?.example,
    style: textOrEmpty(style),
    explode: explode === true,
    isReserved:
      parameter['x-allow-reserved'] === true ||
      (parameter.allowReserved === true && (location === 'query' || location === 'path')),
    mayBeEmpty: location === 'query' && parameter.allowEmptyValue === true,
    mediaType: media?.type,
  };
}

function readBody(document: OpenApiDocument, declared: unknown): BodyReference {
  const { required, description, content } = schemaOf(document, declared);
  return {
    required: required === true,
    description: textOrEmpty(description),
    content: readContent(document, content),
  };
}

function readContent(document: OpenApiDocument, content: unknown): MediaReference[] {
  return Object.entries(isObject(content) ? content : {}).map(([type, media]) => ({
    type,
    schema: isObject(media) ? media.schema : undefined,
    example: isObject(media) ? exampleIn(document, media) : undefined,
    encoding: isObject(media) && isObject(media.encoding) ? encodingIn(media.encoding) : {},
  }));
}

const encodingIn = (encoding: Record<string, unknown>): Record<string, EncodingObject> =>
  Object.fromEntries(
    Object.entries(encoding).flatMap(([name, field]) => (isObject(field) ? [[name, field]] : [])),
  );

/** Returns the first example of a parameter or media type. */
function exampleIn(document: OpenApiDocument, { example, examples }: Record<string, unknown>): unknown {
  const [first] = Object.values(isObject(examples) ? examples : {});
  return example ?? schemaOf(document, first).value;
}

function readScheme(document: OpenApiDocument, name: string): SchemeReference {
  const scheme = schemaOf(document, document.components?.securitySchemes?.[name]);
  return {
    name,
    type: textOrEmpty(scheme.type),
    scheme: textOrEmpty(scheme.scheme).toLowerCase(),
    in: textOrEmpty(scheme.in),
    parameter: textOrEmpty(scheme.name),
    description: textOrEmpty(scheme.description),
  };
}

const textOrEmpty = (value: unknown): string => (typeof value === 'string' ? value : '');
const listOf = (value: unknown): Record<string, unknown>[] =>
  Array.isArray(value) ? value.filter(isObject) : [];
