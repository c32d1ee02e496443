import type { OpenApiDocument } from '../document.ts';
import { isJsonType, isMultipart, isTextType, isUrlEncoded } from '../media-types.ts';
import { encodedPath } from '../request/paths/percent-encoding.ts';
import { headerText, type Notation, pairsOf, partsOf, pathText } from './assets/notation.js';
import { preferredMedia, specificType } from './media.ts';
import { formFields, otherNotation, parameterNotation } from './notations.ts';
import type { MediaReference, OperationReference, SchemeReference } from './reference.ts';
import { bodyExample, parameterValue, sampleFields, sampleParameters } from './sample-values.ts';

/** URL of the server in samples, which the page replaces by its own. */
export const SERVER_URL = 'https://api.example.com';

/** Creates the command that sends a request with the required parameters. */
export function curlSample(document: OpenApiDocument, operation: OperationReference): string {
  const { method, schemes } = operation;
  const inLocation = (location: string) => sampleParameters(operation, location);
  const pairsIn = (location: string) =>
    inLocation(location).flatMap((parameter) =>
      pairsIfPossible(parameterNotation(parameter), parameterValue(document, parameter)).map((pair) =>
        pair.join('='),
      ),
    );
  const keysIn = (location: string) =>
    schemes
      .filter((scheme) => scheme.type === 'apiKey' && scheme.in === location)
      .map(({ parameter }) => `${encodeURIComponent(parameter)}=KEY`);
  const texts = new Map(
    inLocation('path').map((parameter) => [
      `{${parameter.name}}`,
      ifPossible(() => pathText(parameterNotation(parameter), parameterValue(document, parameter))) ??
        encodeURIComponent(parameter.name),
    ]),
  );
  const query = [...pairsIn('query'), ...keysIn('query')];
  const cookies = [...pairsIn('cookie'), ...keysIn('cookie')];
  const headers = inLocation('header').flatMap((parameter) => {
    const text = ifPossible(() =>
      headerText(parameterNotation(parameter), parameterValue(document, parameter)),
    );
    // A header that ends with a semicolon has no value.
    return text === undefined ? [] : [`-H ${quote(`${parameter.name}${text === '' ? ';' : `: ${text}`}`)}`];
  });
  const path = operation.template
    .split(/(\{[^{}/]+\})/)
    .map((part) => texts.get(part) ?? encodedPath(part))
    .join('');
  const url = quote(`${SERVER_URL}${path}${query.length > 0 ? `?${query.join('&')}` : ''}`);
  const body = method === 'HEAD' ? [] : curlBody(document, operation);
  return [
    ['curl', ...verbOf(method, body.length > 0), url].join(' '),
    ...authorizationHeaders(schemes),
    ...headers,
    ...(cookies.length > 0 ? [`-b ${quote(cookies.join('; '))}`] : []),
    ...body,
  ].join(' \\\n  ');
}

/** Options for the method. With `-X HEAD`, curl would wait for a body. */
function verbOf(method: string, hasBody: boolean): string[] {
  return method === 'HEAD' ? ['--head'] : method === 'GET' && !hasBody ? [] : [`-X ${method}`];
}

/** Examples of a contract can contain what their notation cannot express. Samples leave such values out. */
function ifPossible<Text>(write: () => Text): Text | undefined {
  try {
    return write();
  } catch {
    return undefined;
  }
}

const pairsIfPossible = (notation: Notation, value: unknown) =>
  ifPossible(() => pairsOf(notation, value)) ?? [];

/** Headers of the first scheme that has one. A shell replaces the variable. */
function authorizationHeaders(schemes: readonly SchemeReference[]): string[] {
  const [option] = schemes.flatMap(({ type, scheme, in: location, parameter }) => {
    if (type === 'apiKey') {
      return location === 'header' ? [`-H ${quote(`${parameter}: KEY`)}`] : [];
    }
    const name = scheme === '' || scheme === 'bearer' ? 'Bearer' : scheme;
    return scheme === 'basic' ? ['-u USER:PASSWORD'] : [`-H "Authorization: ${name} $TOKEN"`];
  });
  return option === undefined ? [] : [option];
}

function curlBody(document: OpenApiDocument, operation: OperationReference): string[] {
  const media = preferredMedia(operation);
  if (media === undefined) {
    return [];
  }
  if (isMultipart(media.type)) {
    return partOptions(document, media);
  }
  if (isUrlEncoded(media.type)) {
    return fieldOptions(document, media);
  }
  const type = `-H ${quote(`Content-Type: ${specificType(media.type)}`)}`;
  const example = bodyExample(document, media);
  if (isJsonType(media.type)) {
    return [type, `-d ${quote(JSON.stringify(example ?? {}, null, 2))}`];
  }
  return [type, isTextType(media.type) ? dataOption(argumentText(example)) : '--data-binary @file'];
}

/** Data that begins with @ would be the name of a file. */
const dataOption = (text: string) => `${text.startsWith('@') ? '--data-raw' : '-d'} ${quote(text)}`;

/** Returns the notation of a field of a form by its name. */
function notationsIn(document: OpenApiDocument, media: MediaReference) {
  const declared = new Map(formFields(document, media).fields.map(({ name, notation }) => [name, notation]));
  return (name: string) => declared.get(name) ?? otherNotation(name);
}

/** Fields of a URL-encoded form. curl encodes the values that are not encoded already. */
function fieldOptions(document: OpenApiDocument, media: MediaReference): string[] {
  const notationOf = notationsIn(document, media);
  const options = sampleFields(document, media).flatMap(({ name, value }) =>
    pairsIfPossible(notationOf(name), value).map(([encodedName, text]) => {
      const readable = decodeURIComponent(text);
      const hasSeparator = encodeURIComponent(readable) !== text;
      // Brackets need no encoding in a form.
      const field = encodedName.replaceAll('%5B', '[').replaceAll('%5D', ']');
      return hasSeparator
        ? `-d ${quote(`${field}=${text}`)}`
        : `--data-urlencode ${quote(`${field}=${readable}`)}`;
    }),
  );
  // Without a field, curl would send no Content-Type.
  return options.length > 0 ? options : [`-d ''`];
}

/** Parts of a form. */
function partOptions(document: OpenApiDocument, media: MediaReference): string[] {
  const notationOf = notationsIn(document, media);
  return sampleFields(document, media).flatMap(({ name, value, isFile }) => {
    const notation = notationOf(name);
    if (isFile) {
      return [`-F ${quote(`${name}=@file${notation.type === undefined ? '' : `;type=${notation.type}`}`)}`];
    }
    return partsOf(notation, value).map(({ text, type }) =>
      type === undefined && !/[;"]|^[@<\s]|\s$/.test(text)
        ? `-F ${quote(`${name}=${text}`)}`
        : type === undefined
          ? `--form-string ${quote(`${name}=${text}`)}`
          : `-F ${quote(`${name}=${quotedPart(text)};type=${type}`)}`,
    );
  });
}

/** Quotes the text of a part with special characters of curl, such as a semicolon. */
const quotedPart = (text: string) =>
  /;|^[@<"\s]|\s$/.test(text) ? `"${text.replace(/[\\"]/g, '\\$&')}"` : text;

const argumentText = (value: unknown): string =>
  typeof value === 'object' ? JSON.stringify(value) : String(value ?? '');

/** Quotes an argument for a POSIX shell. */
const quote = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
