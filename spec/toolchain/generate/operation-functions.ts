import {
  dereference,
  type OpenApiDocument,
  type Operation,
  type Paging,
  type Parameter,
  type PathItem,
  type RequestBody,
} from '../document.ts';
import { capitalize, uncapitalize, unusedName } from '../names.ts';
import { modelNames, RESERVED_NAMES } from '../types/named-models.ts';
import {
  functionTypes,
  helperName,
  importedNames,
  LOCATIONS,
  type Location,
  OWN_NAMES,
} from './function-types.ts';
import { type BodyTypes, createBodyTypes, quoted } from './operation-bodies.ts';
import { literal, type OperationRow } from './operation-table.ts';
import { stylesOf, type WrittenStyles } from './parameter-styles.ts';

/** A function to generate. */
interface OperationFunction {
  id: string;
  row: OperationRow;
  operation: Operation;
  /** Name of the function. */
  name: string;
  parameters: Parameter[];
  /** Locations with parameters that are properties of the input. */
  flat: Location[];
  /** Locations with parameters that are nested in a property of the input: headers, and names that collide. */
  nested: Location[];
  /** Header of the idempotency key that the client generates. */
  idempotencyKey: Parameter | undefined;
  /** Styles of parameters and fields that are not the default ones. */
  styles: WrittenStyles;
}

/**
 * Generates a module with a function for each operation. It imports only types, so that it works with every version of
 * the client, and a bundler keeps the functions that are called.
 */
export function operationFunctionsSource(document: OpenApiDocument, rows: Map<string, OperationRow>): string {
  const models = modelNames(Object.keys(document.components?.schemas ?? {}));
  const names = importedNames(models.values());
  const functions = functionsOf(document, rows, [...models.values(), ...names.values()]);
  const bodies = createBodyTypes(document, models, names);
  const source = functions.map((one) => functionSource(one, bodies)).join('\n');
  const used = LOCATIONS.filter((location) =>
    functions.some(({ flat, nested }) => [...flat, ...nested].includes(location)),
  );
  const declarations = [...functionTypes(used, source), source].join('\n');
  // Compilers report imports that are not used.
  const own = /\boperations\b[[<]/.test(declarations) ? ['operations'] : [];
  const modelImports = [...bodies.models].sort().map((name) => importOf(name, names));
  const imported = [...own, ...modelImports].map((name) => `  ${name},\n`);
  return imported.length === 0
    ? declarations
    : `import type {\n${imported.join('')}} from './schema.d.ts';\n\n${declarations}`;
}

function importOf(name: string, names: ReadonlyMap<string, string>): string {
  const imported = names.get(name) ?? name;
  return imported === name ? name : `${name} as ${imported}`;
}

/** @param types names that functions must not have */
function functionsOf(
  document: OpenApiDocument,
  rows: Map<string, OperationRow>,
  types: readonly string[],
): OperationFunction[] {
  const used = new Set([...types, ...OWN_NAMES]);
  return [...rows].map(([id, row]) => {
    // The rows are those of the document.
    const operation = document.paths[row.path]?.[row.method as keyof PathItem] as Operation;
    const parameters = parametersOf(document, row.path, operation);
    const named = (location: Location) => parameters.filter((parameter) => parameter.in === location);
    const taken = new Set([
      'body',
      'contentType',
      'header',
      'cookie',
      ...named('path').map(({ name }) => name),
    ]);
    const isNested = (location: Location) =>
      location === 'header' ||
      location === 'cookie' ||
      (location === 'query' && named('query').some(({ name }) => taken.has(name)));
    const present = LOCATIONS.filter((location) => named(location).length > 0);
    return {
      id,
      row,
      operation,
      name: uniqueName(id, used),
      parameters,
      flat: present.filter((location) => !isNested(location)),
      nested: present.filter(isNested),
      idempotencyKey: named('header').find(({ name }) => name.toLowerCase() === 'idempotency-key'),
      styles: stylesOf(document, parameters, bodyOf(document, operation).content ?? {}),
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

const bodyOf = (document: OpenApiDocument, { requestBody }: Operation): RequestBody =>
  requestBody ? dereference<RequestBody>(document, requestBody) : {};

function uniqueName(id: string, used: Set<string>): string {
  const words = id.split(/[^A-Za-z0-9$]+/).filter((word) => word !== '');
  const [first = '', ...others] = words;
  const camel = uncapitalize(first) + others.map(capitalize).join('');
  const preferred = /^[A-Za-z$]/.test(camel) ? camel : `call${camel}`;
  const allowed = RESERVED_NAMES.has(preferred) ? `${preferred}Operation` : preferred;
  const name = unusedName(allowed, (unused) => used.has(unused) || used.has(inputName(unused)));
  used.add(name);
  used.add(inputName(name));
  return name;
}

const inputName = (name: string): string => `${capitalize(name)}Input`;

function functionSource(one: OperationFunction, bodies: BodyTypes): string {
  const { id, row, operation, name, flat, nested, idempotencyKey, styles } = one;
  const request = bodies.request(id, operation, row.body);
  const response = bodies.response(id, operation);
  const paging = response.parseAs === undefined ? operation['x-paging'] : undefined;
  const result =
    paging === undefined
      ? `Promise<${response.type}>`
      : `PageResult<${response.type}, ${itemType(response.type, paging)}>`;
  const format = [
    ...(nested.length > 0 ? [`nested: [${nested.map((location) => `'${location}'`).join(', ')}]`] : []),
    ...(request.contentType === undefined ? [] : [`contentType: '${quoted(request.contentType)}'`]),
    ...(request.variants === undefined ? [] : ['contentType']),
    ...(response.parseAs === undefined ? [] : [`parseAs: '${response.parseAs}'`]),
    ...(idempotencyKey === undefined ? [] : ['idempotent: true']),
    ...(paging === undefined ? [] : [`pages: ${literal(paging)}`]),
    ...(Object.keys(styles).length > 0 ? [`styles: ${literal(styles)}`] : []),
  ];
  const call = [
    `'${row.method.toUpperCase()}'`,
    `'${quoted(row.path)}'`,
    request.variants === undefined ? 'input' : 'parameters',
    'options',
    ...(format.length > 0 ? [`{ ${format.join(', ')} }`] : []),
  ];
  const parents = flat.map((location) => helper(id, location));
  const members = [
    ...nested.map((location) => `  ${nestedProperty(one, location)};\n`),
    ...request.properties.map((property) => `  ${property};\n`),
  ];
  const isOptional =
    !one.parameters.some((parameter) => isRequired(one, parameter)) && row.body !== 'required';
  const ways = response.parseAs === 'auto' ? "keyof Parsed | 'json' | 'auto'" : 'keyof Parsed';
  const generic = response.parseAs === undefined ? '' : `<As extends ${ways} = '${response.parseAs}'>`;
  return `/** Parameters${row.body === false ? '' : ' and body'} of \`${name}\`. */
${inputType(inputName(name), parents, members, request.variants)}

${comment(operation)}export function ${name}${generic}(
  client: Caller,
  input: ${inputName(name)}${isOptional ? ' = {}' : ''},
  options?: ${response.parseAs === undefined ? 'CallOptions' : 'ParseOptions<As>'},
): ${result} {
${request.variants === undefined ? '' : `  const { contentType${request.defaultType === undefined ? '' : ` = '${request.defaultType}'`}, ...parameters } = input;\n`}  return client.call(${call.join(', ')});
}
`;
}

/** Type of the items of a page. */
const itemType = (page: string, { items }: Paging): string =>
  `${items.reduce((type, name) => `NonNullable<${type}['${quoted(name)}']>`, page)}[number]`;

/** Declares the type of an input. Only an input with several media types of its body is a union. */
function inputType(
  name: string,
  parents: string[],
  members: string[],
  variants: string[] | undefined,
): string {
  const own = members.length > 0 ? `{\n${members.join('')}}` : '{}';
  if (variants === undefined) {
    const extended = parents.length > 0 ? ` extends ${parents.join(', ')}` : '';
    return `export interface ${name}${extended} ${own}`;
  }
  const union = `(\n${variants.map((variant) => `  | ${variant}\n`).join('')})`;
  return `export type ${name} = ${[...parents, ...(members.length > 0 ? [own] : []), union].join(' & ')};`;
}

const helper = (id: string, location: Location) => `${helperName(location)}<'${quoted(id)}'>`;

/** Declares the property of the input with the parameters of a location. */
function nestedProperty(one: OperationFunction, location: Location): string {
  const { id, parameters, idempotencyKey } = one;
  const mark = parameters.some((parameter) => parameter.in === location && isRequired(one, parameter))
    ? ''
    : '?';
  const type = helper(id, location);
  return location === 'header' && idempotencyKey?.required === true
    ? `${location}${mark}: KeyOptional<${type}, '${quoted(idempotencyKey.name)}'>`
    : `${location}${mark}: ${type}`;
}

/** Whether a caller must pass a parameter. */
function isRequired({ idempotencyKey }: OperationFunction, parameter: Parameter): boolean {
  return parameter.required === true && parameter !== idempotencyKey;
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
