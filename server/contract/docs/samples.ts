import { isObject, type OpenApiDocument, schemaOf } from '../document.ts';
import { exampleValue } from './example-value.ts';
import { functionName, isIdentifier } from './function-name.ts';
import type { MediaReference, OperationReference, ParameterReference, SchemeReference } from './reference.ts';

/** An example of a call. */
export interface Sample {
  label: string;
  source: string;
}

/** URL of the server in samples, which the page replaces by its own. */
export const SERVER_URL = 'https://api.example.com';

/** Creates the samples of an operation: curl, the generated client, and those that the contract declares. */
export function samplesOf(document: OpenApiDocument, operation: OperationReference): Sample[] {
  return [
    { label: 'curl', source: curlSample(document, operation) },
    // Functions are named after the operation id.
    ...(operation.isNamed ? [{ label: 'TypeScript', source: clientSample(document, operation) }] : []),
    ...operation.samples,
  ];
}

/** Selects the media type to send: JSON if it is possible, else the first one. */
export function preferredMedia({ body }: OperationReference): MediaReference | undefined {
  return body?.content.find(({ type }) => isJson(type)) ?? body?.content[0];
}

/** Returns whether a media type is JSON. */
export const isJson = (type: string): boolean => /[/+]json\b/i.test(type);
/** Returns whether a media type is a form with parts. Other types of `multipart/` are not forms. */
export const isMultipart = (type: string): boolean => /^multipart\/form-data\b/i.test(type);
/** Returns whether a media type is a URL-encoded form. */
export const isUrlEncoded = (type: string): boolean => /^application\/x-www-form-urlencoded\b/i.test(type);

/** Replaces a range of media types by one of them. */
const specificType = (type: string) => type.replace('*/*', 'image/png').replace('/*', '/png');

/** Whether a property of a form is a file. */
export function isFile(document: OpenApiDocument, schema: unknown): boolean {
  const { type, format, contentMediaType, items } = schemaOf(document, schema);
  return (
    format === 'binary' ||
    (contentMediaType !== undefined && type !== 'array') ||
    (items !== undefined && isFile(document, items))
  );
}

/** Returns the example of a body. */
export function bodyExample(document: OpenApiDocument, { schema, example }: MediaReference): unknown {
  return example ?? exampleValue(document, schema, 'request');
}

function curlSample(document: OpenApiDocument, operation: OperationReference): string {
  const { method, parameters, schemes } = operation;
  const path = operation.path.replace(/\{([^}]+)\}/g, (_, name: string) =>
    encodeURIComponent(textOf(pathValue(parameters, name))),
  );
  const query = [
    ...requiredIn(parameters, 'query').map((parameter) =>
      pair(parameter.name, parameterValue(document, parameter)),
    ),
    ...schemes
      .filter((scheme) => scheme.type === 'apiKey' && scheme.in === 'query')
      .map(({ parameter }) => `${parameter}=KEY`),
  ];
  const headers = [
    ...authorizationHeaders(schemes),
    ...requiredIn(parameters, 'header').map(
      (parameter) => `-H ${quote(`${parameter.name}: ${textOf(parameterValue(document, parameter))}`)}`,
    ),
  ];
  const url = quote(`${SERVER_URL}${path}${query.length > 0 ? `?${query.join('&')}` : ''}`);
  // With -X HEAD, curl would wait for a body.
  const verb = method === 'GET' ? [] : [method === 'HEAD' ? '--head' : `-X ${method}`];
  return [['curl', ...verb, url].join(' '), ...headers, ...curlBody(document, operation)].join(' \\\n  ');
}

/** Headers of the first scheme that has one. A shell replaces the variable. */
function authorizationHeaders(schemes: readonly SchemeReference[]): string[] {
  const [option] = schemes.flatMap(({ type, scheme, in: location, parameter }) => {
    if (type === 'apiKey') {
      return location === 'header' ? [`-H ${quote(`${parameter}: KEY`)}`] : [];
    }
    return scheme === 'basic' ? ['-u USER:PASSWORD'] : ['-H "Authorization: Bearer $TOKEN"'];
  });
  return option === undefined ? [] : [option];
}

function curlBody(document: OpenApiDocument, operation: OperationReference): string[] {
  const media = preferredMedia(operation);
  if (media === undefined) {
    return [];
  }
  const example = bodyExample(document, media);
  if (isMultipart(media.type)) {
    return formFields(document, media).map(
      ([name, schema]) =>
        `-F ${quote(`${name}=${isFile(document, schema) ? '@file' : textOf(Object(example)[name])}`)}`,
    );
  }
  if (isUrlEncoded(media.type)) {
    return Object.entries(Object(example)).map(
      ([name, value]) => `--data-urlencode ${quote(`${name}=${textOf(value)}`)}`,
    );
  }
  const type = `-H ${quote(`Content-Type: ${specificType(media.type)}`)}`;
  if (isJson(media.type)) {
    return [type, `-d ${quote(JSON.stringify(example ?? {}, null, 2))}`];
  }
  return [type, media.type.startsWith('text/') ? `-d ${quote(textOf(example))}` : '--data-binary @file'];
}

/** Fields of a form that its example has: the required ones, or the first one. */
function formFields(document: OpenApiDocument, { schema }: MediaReference): [string, unknown][] {
  const { properties, required } = schemaOf(document, schema);
  const fields = Object.entries(isObject(properties) ? properties : {});
  const needed = fields.filter(([name]) => Array.isArray(required) && required.includes(name));
  return needed.length > 0 ? needed : fields.slice(0, 1);
}

/** Calls the function that the toolkit generates for the operation. */
function clientSample(document: OpenApiDocument, operation: OperationReference): string {
  const { parameters } = operation;
  const input = new Map<string, string>();
  for (const { name } of requiredIn(parameters, 'path')) {
    input.set(name, literal(pathValue(parameters, name)));
  }
  const query = requiredIn(parameters, 'query');
  const isNested = parameters.some(
    ({ in: location, name }) =>
      location === 'query' && (input.has(name) || ['body', 'contentType', 'header'].includes(name)),
  );
  const queryValues = query.map(({ name, ...rest }) => [name, parameterValue(document, { name, ...rest })]);
  if (isNested && query.length > 0) {
    input.set('query', literal(Object.fromEntries(queryValues)));
  } else {
    for (const [name, value] of queryValues) {
      input.set(String(name), literal(value));
    }
  }
  const headers = requiredIn(parameters, 'header').filter(({ name }) => !/^idempotency-key$/i.test(name));
  if (headers.length > 0) {
    input.set(
      'header',
      literal(Object.fromEntries(headers.map((header) => [header.name, parameterValue(document, header)]))),
    );
  }
  for (const [name, value] of clientBody(document, operation)) {
    input.set(name, value);
  }
  const fields = [...input].map(([name, value]) => (name === value ? name : `${key(name)}: ${value}`));
  const oneLine = fields.length === 0 ? '' : `, { ${fields.join(', ')} }`;
  const isShort = !oneLine.includes('\n') && oneLine.length <= 60;
  const last = isShort ? oneLine : `, {\n${fields.map((field) => `  ${indent(field)},\n`).join('')}}`;
  return `${hasContent(operation) ? 'const result = ' : ''}await ${functionName(operation.id)}(client${last});`;
}

function clientBody(document: OpenApiDocument, operation: OperationReference): [string, string][] {
  const media = preferredMedia(operation);
  if (media === undefined) {
    return [];
  }
  const types = operation.body?.content.map(({ type }) => type) ?? [];
  const needsType = media.type.includes('*') || (types.length > 1 && media.type !== 'application/json');
  const contentType: [string, string][] = needsType
    ? [['contentType', literal(specificType(media.type))]]
    : [];
  const example = bodyExample(document, media);
  if (isMultipart(media.type)) {
    const fields = formFields(document, media).map(([name, schema]) => {
      const value = isFile(document, schema) ? 'file' : literal(Object(example)[name]);
      return name === value ? name : `${key(name)}: ${value}`;
    });
    return [['body', `{ ${fields.join(', ')} }`], ...contentType];
  }
  const isData = isJson(media.type) || isUrlEncoded(media.type) || media.type.startsWith('text/');
  return [['body', isData ? literal(example ?? (isJson(media.type) ? {} : '')) : 'file'], ...contentType];
}

const hasContent = ({ responses }: OperationReference) =>
  responses.some(({ status, content }) => status.startsWith('2') && content.length > 0);

const requiredIn = (parameters: readonly ParameterReference[], location: string) =>
  parameters.filter((parameter) => parameter.in === location && parameter.required);

/** Value of a path parameter: its example, or a placeholder such as `SPACE_ID`. */
function pathValue(parameters: readonly ParameterReference[], name: string): unknown {
  const { example } =
    parameters.find((parameter) => parameter.in === 'path' && parameter.name === name) ?? {};
  return (
    example ??
    name
      .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
      .replace(/\W+/g, '_')
      .toUpperCase()
  );
}

const parameterValue = (document: OpenApiDocument, { schema, example }: ParameterReference): unknown =>
  example ?? exampleValue(document, schema, 'request') ?? '';

const pair = (name: string, value: unknown) =>
  `${encodeURIComponent(name)}=${encodeURIComponent(textOf(value))}`;
const textOf = (value: unknown): string =>
  typeof value === 'object' ? JSON.stringify(value) : String(value ?? '');

/** Quotes an argument for a POSIX shell. */
const quote = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;

const key = (name: string) => (isIdentifier(name) ? name : literal(name));
const indent = (text: string) => text.replaceAll('\n', '\n  ');

/** Formats a value as TypeScript. */
function literal(value: unknown): string {
  if (typeof value === 'string') {
    return `'${JSON.stringify(value).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
  }
  const isList = Array.isArray(value);
  if (!isList && !isObject(value)) {
    return String(JSON.stringify(value));
  }
  const items = isList
    ? value.map(literal)
    : Object.entries(value).map(([name, member]) => `${key(name)}: ${literal(member)}`);
  const [open, close] = isList ? ['[', ']'] : ['{', '}'];
  const space = isList || items.length === 0 ? '' : ' ';
  const line = `${open}${space}${items.join(', ')}${space}${close}`;
  return line.length <= 60 && !line.includes('\n')
    ? line
    : `${open}\n${items.map((item) => `  ${indent(item)},\n`).join('')}${close}`;
}
