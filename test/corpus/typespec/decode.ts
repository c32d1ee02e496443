// Reads the values of a request from its text, independently of the router.
import {
  dereference,
  isObject,
  type Json,
  type JsonObject,
  type OpenApiDocument,
  type Parameter,
  type RequestBody,
} from '../../../spec/toolchain/document.ts';
import type { MatchedOperation } from './operations.ts';
import type { RawRequest } from './raw-request.ts';

/** The values of a request, as handlers receive them and clients send them. */
export interface RequestValues {
  path: Record<string, unknown>;
  query: Record<string, unknown>;
  header: Record<string, unknown>;
  cookie: Record<string, unknown>;
  /** JSON, a text, bytes, or the fields of a form. */
  body: unknown;
  contentType: string | undefined;
  /** Headers that are no parameters, such as credentials. */
  otherHeaders: Record<string, string>;
}

export const isText = (type: string) => /^text\/|[/+]xml\b/.test(type);
export const isJson = (type: string) => /[/+]json\b/.test(type);

/** Returns the values of a request to an operation. */
export function decode(
  document: OpenApiDocument,
  matched: MatchedOperation,
  request: RawRequest,
): RequestValues {
  const { parameters, operation, texts } = matched;
  const values: RequestValues = {
    ...{ path: {}, query: {}, header: {}, cookie: {} },
    body: undefined,
    contentType: request.body?.contentType,
    otherHeaders: { ...request.headers },
  };
  const rest = new Map<string, string[]>();
  for (const [name, text] of request.query) {
    rest.set(name, [...(rest.get(name) ?? []), text]);
  }
  const read = new Reader(document);
  for (const parameter of parameters) {
    const { name, schema = {} } = parameter;
    if (parameter.in === 'path' && texts[name] !== undefined) {
      values.path[name] = read.path(parameter, texts[name]);
    } else if (parameter.in === 'header') {
      const [key, text] =
        Object.entries(values.otherHeaders).find(([key]) => key.toLowerCase() === name.toLowerCase()) ?? [];
      if (key !== undefined && text !== undefined) {
        values.header[name] = read.separated(schema, text, ',');
        delete values.otherHeaders[key];
      }
    } else if (parameter.in === 'query' && rest.has(name)) {
      values.query[name] = read.query(parameter, rest.get(name) ?? []);
      rest.delete(name);
    }
  }
  // What no other parameter names belongs to an exploded object.
  const record = parameters.find(
    (parameter) => parameter.in === 'query' && read.permits(parameter.schema ?? {}, 'object'),
  );
  if (record && rest.size > 0) {
    values.query[record.name] = read.members(
      record.schema ?? {},
      [...rest].map(([key, [text = '']]) => [key, text]),
    );
  }
  values.body = body(document, operation.requestBody, request, read);
  return values;
}

function body(
  document: OpenApiDocument,
  declared: MatchedOperation['operation']['requestBody'],
  { body: sent }: RawRequest,
  read: Reader,
): unknown {
  if (sent === undefined) {
    return undefined;
  }
  if ('form' in sent) {
    const content = declared ? (dereference<RequestBody>(document, declared).content ?? {}) : {};
    return fieldsOf(content['multipart/form-data']?.schema ?? {}, sent.form, read);
  }
  const { content, contentType } = sent;
  const isBytes = typeof content !== 'string' && !isText(contentType);
  return isJson(contentType) ? JSON.parse(String(content)) : isBytes ? Buffer.from(content) : String(content);
}

function fieldsOf(schema: JsonObject, form: FormData, read: Reader): Record<string, unknown> {
  const names = [...new Set(form.keys())];
  return Object.fromEntries(
    names.map((name) => {
      const property = read.property(schema, name);
      // A part is an item of a list, or the JSON of the whole list.
      const ofPart = (declared: JsonObject, text: string) =>
        read.permits(declared, 'array') && !text.startsWith('[') ? read.items(declared) : declared;
      const items = form
        .getAll(name)
        .map((item) => (typeof item === 'string' ? read.part(ofPart(property, item), item) : item));
      const isList = read.permits(property, 'array') && !Array.isArray(items[0]);
      return [name, isList ? items : items[0]];
    }),
  );
}

/** Reads values by their schema. */
class Reader {
  readonly #document: OpenApiDocument;

  constructor(document: OpenApiDocument) {
    this.#document = document;
  }

  path({ name, schema = {}, style = 'simple', explode = false }: Parameter, encoded: string): unknown {
    const isList = this.permits(schema, 'array');
    const isComplex = isList || this.permits(schema, 'object');
    const prefix = style === 'label' ? '.' : style === 'matrix' ? ';' : '';
    const matrix = style === 'matrix' && !(explode && isComplex) ? `;${name}=` : prefix;
    const separator = explode && prefix !== '' ? (isList && prefix === ';' ? `;${name}=` : prefix) : ',';
    const before = explode && isList && style === 'matrix' ? `;${name}=` : matrix;
    const text = encoded.startsWith(before) ? encoded.slice(before.length) : encoded;
    return this.separated(schema, text, separator, explode, decodeURIComponent);
  }

  query({ schema = {}, style = 'form', explode = style === 'form' }: Parameter, texts: string[]): unknown {
    const separator = { spaceDelimited: ' ', pipeDelimited: '|' }[style] ?? ',';
    return explode && this.permits(schema, 'array')
      ? texts.map((text) => this.one(this.items(schema), text))
      : this.separated(schema, texts[0] ?? '', separator);
  }

  /** Reads a list, an object or another value from one text. */
  separated(
    schema: JsonObject,
    text: string,
    separator: string,
    explode = false,
    decodePart = (part: string) => part,
  ): unknown {
    if (this.permits(schema, 'array')) {
      return text.split(separator).map((part) => this.one(this.items(schema), decodePart(part)));
    }
    if (this.permits(schema, 'object')) {
      const parts = text.split(separator).map(decodePart);
      const pairs = explode
        ? parts.map((part): [string, string] => [
            part.slice(0, part.indexOf('=')),
            part.slice(part.indexOf('=') + 1),
          ])
        : parts.flatMap((part, index): [string, string][] =>
            index % 2 === 0 ? [[part, parts[index + 1] ?? '']] : [],
          );
      return this.members(schema, pairs);
    }
    return this.one(schema, decodePart(text));
  }

  members(schema: JsonObject, pairs: [string, string][]): Record<string, unknown> {
    return Object.fromEntries(
      pairs.map(([name, text]) => [name, this.one(this.property(schema, name), text)]),
    );
  }

  /** Reads a part of a form that is no file. */
  part(schema: JsonObject, text: string): unknown {
    return this.permits(schema, 'object') || this.permits(schema, 'array')
      ? JSON.parse(text)
      : this.one(schema, text);
  }

  one(schema: JsonObject, text: string): unknown {
    const isNumber = this.permits(schema, 'number') || this.permits(schema, 'integer');
    if (isNumber && text !== '' && Number.isFinite(Number(text))) {
      return Number(text);
    }
    return this.permits(schema, 'boolean') && /^(true|false)$/.test(text) ? text === 'true' : text;
  }

  items(schema: JsonObject): JsonObject {
    const { items, anyOf } = dereference<JsonObject>(this.#document, schema);
    return isObject(items) ? items : Array.isArray(anyOf) && isObject(anyOf[0]) ? this.items(anyOf[0]) : {};
  }

  property(schema: JsonObject, name: string): JsonObject {
    const { properties, additionalProperties } = dereference<JsonObject>(this.#document, schema);
    const own = isObject(properties) ? properties[name] : undefined;
    return isObject(own) ? own : isObject(additionalProperties) ? additionalProperties : {};
  }

  /** Whether a schema states that it permits a type. */
  permits(declared: Json, type: string): boolean {
    const schema = isObject(declared) ? dereference<JsonObject>(this.#document, declared) : {};
    const { anyOf, oneOf, allOf, enum: values } = schema;
    const parts = [anyOf, oneOf, allOf].flatMap((list) => (Array.isArray(list) ? list : []));
    return (
      [schema.type].flat().includes(type) ||
      (Array.isArray(values) && schema.type === undefined && values.some((value) => typeof value === type)) ||
      parts.some((part) => this.permits(part, type))
    );
  }
}
