import {
  type Content,
  dereference,
  type OpenApiDocument,
  type Operation,
  type Parameter,
  type PathItem,
  type RequestBody,
} from './document.ts';
import { modelNames, RESERVED_NAMES } from './named-models.ts';
import type { OperationRow } from './operation-table.ts';

/** Locations of parameters that a client sends. Browsers send cookies themselves. */
const LOCATIONS = ['path', 'query', 'header'] as const;
type Location = (typeof LOCATIONS)[number];

/** Names of the generated module that no function may have. */
const OWN_NAMES = [
  'CallOptions',
  'Caller',
  'Path',
  'Query',
  'Header',
  'RetryOptions',
  'operations',
  'client',
];

/** A function to generate. */
interface OperationFunction {
  id: string;
  row: OperationRow;
  operation: Operation;
  /** Name of the function. */
  name: string;
  /** Locations whose parameters are properties of the input. */
  flat: Location[];
  /** Locations whose parameters are properties of a property of the input: headers, and names that collide. */
  nested: Location[];
  isOptional: boolean;
}

/**
 * Generates a module with a function for each operation. It imports only types, so that it works with every version of
 * the client, and a bundler keeps the functions that are called.
 */
export function operationFunctionsSource(document: OpenApiDocument, rows: Map<string, OperationRow>): string {
  const models = modelNames(Object.keys(document.components?.schemas ?? {}));
  const functions = functionsOf(document, rows, models);
  const typeOf = typeNames(document, models);
  const sources = functions.map((one) => functionSource(document, one, typeOf.read));
  const used = LOCATIONS.filter((location) =>
    functions.some(({ flat, nested }) => [...flat, ...nested].includes(location)),
  );
  const imported = ['operations', ...[...typeOf.used].sort()];
  return [
    `import type {\n${imported.map((name) => `  ${name},\n`).join('')}} from './schema.d.ts';\n`,
    clientTypes,
    parameterTypes(used),
    ...sources,
  ].join('\n');
}

function functionsOf(
  document: OpenApiDocument,
  rows: Map<string, OperationRow>,
  models: Map<string, string>,
): OperationFunction[] {
  const used = new Set([...models.values(), ...OWN_NAMES]);
  return [...rows].flatMap(([id, row]) => {
    // The rows are those of the document.
    const operation = document.paths[row.path]?.[row.method as keyof PathItem] as Operation;
    const parameters = parametersOf(document, row.path, operation);
    const named = (location: Location) => parameters.filter((parameter) => parameter.in === location);
    const taken = new Set(['body', 'header', ...named('path').map(({ name }) => name)]);
    const isNested = (location: Location) =>
      location === 'header' || (location === 'query' && named('query').some(({ name }) => taken.has(name)));
    const present = LOCATIONS.filter((location) => named(location).length > 0);
    const isRequired = parameters.some((one) => one.required === true && one.in !== 'cookie');
    return {
      id,
      row,
      operation,
      name: uniqueName(id, used),
      flat: present.filter((location) => !isNested(location)),
      nested: present.filter(isNested),
      isOptional: !isRequired && row.body !== 'required',
    };
  });
}

/** Parameters of an operation. Its own replace those of its path (OpenAPI 3.1, Operation Object). */
function parametersOf(document: OpenApiDocument, path: string, operation: Operation): Parameter[] {
  const declared = [...(document.paths[path]?.parameters ?? []), ...(operation.parameters ?? [])];
  const parameters = declared.map((parameter) => dereference<Parameter>(document, parameter));
  return [
    ...new Map(parameters.map((parameter) => [`${parameter.in} ${parameter.name}`, parameter])).values(),
  ];
}

function uniqueName(id: string, used: Set<string>): string {
  const words = id.split(/[^A-Za-z0-9$]+/).filter((word) => word !== '');
  const [first = '', ...others] = words;
  const camel = first.charAt(0).toLowerCase() + first.slice(1) + others.map(capitalize).join('');
  const wanted = /^[A-Za-z$]/.test(camel) ? camel : `call${camel}`;
  const allowed = RESERVED_NAMES.has(wanted) ? `${wanted}Operation` : wanted;
  let name = allowed;
  for (let count = 2; used.has(name) || used.has(inputName(name)); count += 1) {
    name = `${allowed}${count}`;
  }
  used.add(name);
  used.add(inputName(name));
  return name;
}

const capitalize = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
const inputName = (name: string): string => `${capitalize(name)}Input`;
const helperName = (location: Location): string => capitalize(location);
/** Text between single quotes. */
const quoted = (text: string): string => text.replaceAll('\\', '\\\\').replaceAll("'", "\\'");

/** Names the types of bodies, and collects the models to import. */
function typeNames(document: OpenApiDocument, models: Map<string, string>) {
  const used = new Set<string>();
  /** @param fallback expression of the type of a body that is not a model */
  const read = (content: Content | undefined, fallback: string): string => {
    const types = Object.keys(content ?? {});
    const schema = types.length === 1 ? content?.[types[0] ?? '']?.schema : undefined;
    const reference = typeof schema?.$ref === 'string' ? schema.$ref : '';
    const model = /^#\/components\/schemas\/([^/]+)$/.exec(reference)?.[1];
    const name = model === undefined ? undefined : models.get(model);
    if (name === undefined || !Object.hasOwn(document.components?.schemas ?? {}, model ?? '')) {
      return types.length === 0 ? 'void' : types.map((type) => `${fallback}['${quoted(type)}']`).join(' | ');
    }
    used.add(name);
    return name;
  };
  return { used, read };
}

type ReadType = ReturnType<typeof typeNames>['read'];

function functionSource(document: OpenApiDocument, one: OperationFunction, typeOf: ReadType): string {
  const { id, row, operation, name, flat, nested, isOptional } = one;
  const operationType = `operations['${quoted(id)}']`;
  const helper = (location: Location) => `${helperName(location)}<'${quoted(id)}'>`;
  const properties = nested.map((location) => {
    const mark = hasRequired(document, one, location) ? '' : '?';
    return `  ${location}${mark}: ${helper(location)};\n`;
  });
  if (row.body !== false && operation.requestBody !== undefined) {
    const { content } = dereference<RequestBody>(document, operation.requestBody);
    const body = row.body === 'required' ? operationType : `Required<${operationType}>`;
    const type = typeOf(content, `NonNullable<${body}['requestBody']>['content']`);
    properties.push(row.body === 'required' ? `  body: ${type};\n` : `  body?: ${type} | undefined;\n`);
  }
  const parents = flat.length > 0 ? ` extends ${flat.map(helper).join(', ')}` : '';
  const members = properties.length > 0 ? `{\n${properties.join('')}}` : '{}';
  const call = [
    `'${row.method.toUpperCase()}'`,
    `'${quoted(row.path)}'`,
    'input',
    'options',
    ...(nested.length > 0 ? [`[${nested.map((location) => `'${location}'`).join(', ')}]`] : []),
  ];
  return `/** Parameters${row.body === false ? '' : ' and body'} of \`${name}\`. */
export interface ${inputName(name)}${parents} ${members}

${comment(operation)}export function ${name}(
  client: Caller,
  input: ${inputName(name)}${isOptional ? ' = {}' : ''},
  options?: CallOptions,
): Promise<${successType(document, one, typeOf)}> {
  return client.call(${call.join(', ')});
}
`;
}

function hasRequired(
  document: OpenApiDocument,
  { row, operation }: OperationFunction,
  location: Location,
): boolean {
  return parametersOf(document, row.path, operation).some(
    (parameter) => parameter.in === location && parameter.required === true,
  );
}

/** Type of the bodies of all success responses. */
function successType(
  document: OpenApiDocument,
  { id, operation }: OperationFunction,
  typeOf: ReadType,
): string {
  const types = Object.entries(operation.responses ?? {})
    .filter(([status]) => /^2/.test(status))
    .map(([status, response]) => {
      const key = /^\d+$/.test(status) ? status : `'${quoted(status)}'`;
      return typeOf(
        dereference(document, response).content,
        `operations['${quoted(id)}']['responses'][${key}]['content']`,
      );
    });
  return [...new Set(types)].join(' | ');
}

/** Comment with the summary and the description of an operation. */
function comment({ summary = '', description = '', deprecated }: Operation): string {
  const paragraphs = [summary, description, deprecated === true ? '@deprecated' : ''].filter(
    (text) => text !== '',
  );
  if (paragraphs.length === 0) {
    return '';
  }
  const lines = paragraphs.join('\n\n').replaceAll('*/', '*\\/').split('\n');
  return `/**\n${lines.map((line) => ` * ${line}`.trimEnd()).join('\n')}\n */\n`;
}

const clientTypes = `/** Client of the toolkit, as returned by \`createClient\`. */
export interface Caller {
  /** Calls an operation, and returns the body of its success response. */
  call<Data>(
    method: string,
    path: string,
    input: object,
    options?: CallOptions,
    nested?: readonly ('path' | 'query' | 'header')[],
  ): Promise<Data>;
}

/** Options of a call. */
export interface CallOptions {
  /** Aborts the call: its attempts, the waits between them, and reading of the response. */
  signal?: AbortSignal | undefined;
  /** Headers of this call. They override those of the client. */
  headers?: Readonly<Record<string, string>> | undefined;
  /** Timeout of each attempt in milliseconds. Overrides that of the client. */
  timeout?: number | undefined;
  /** Maximum number of retries, or detailed options. Overrides those of the client. */
  retries?: number | RetryOptions | undefined;
}

/** Options of retries: see the client. */
export interface RetryOptions {
  limit?: number | undefined;
  delay?: number | undefined;
  maxDelay?: number | undefined;
  maxRetryAfter?: number | undefined;
}
`;

/** Types of the parameters of an operation, by location. */
function parameterTypes(locations: readonly Location[]): string {
  const allowUndefined = `/** Allows \`undefined\` for optional properties, so that an unset filter can be passed. */
type AllowUndefined<T> = {
  [K in keyof T]: Record<never, never> extends Pick<T, K> ? T[K] | undefined : T[K];
};
`;
  const types = locations.map(
    (location) =>
      `type ${helperName(location)}<Id extends keyof operations> = AllowUndefined<NonNullable<operations[Id]['parameters']['${location}']>>;\n`,
  );
  return locations.length > 0 ? allowUndefined + types.join('') : '';
}
