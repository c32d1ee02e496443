import fc from 'fast-check';
import type { Components, Schema } from './json-schema.ts';
import type { SchemaArbitraries } from './schema-arbitraries.ts';

/** What requests are made from: the parts of an OpenAPI 3.1 document that tell what requests look like. */
export interface RequestDocument {
  paths: Record<string, Record<string, OperationObject>>;
  components: { schemas: Components; parameters?: Record<string, Parameter> };
}

interface OperationObject {
  parameters?: (Parameter | { $ref: string })[];
  requestBody?: { required?: boolean; content: Record<string, { schema: Schema }> };
}

/** A parameter of an operation. */
export interface Parameter {
  name: string;
  in: string;
  required?: boolean;
  schema: Schema;
}

/** A request as it goes over the wire, but for who sends it. */
export interface WireRequest {
  method: string;
  /** Path and query, percent-encoded. */
  target: string;
  headers: Record<string, string>;
  body?: string | Uint8Array;
}

/** Values for the parameters of a path, by name. */
export type PathValues = Readonly<Record<string, string>>;

/** The parts that a request is put together from; path and query are percent-encoded, the body is JSON. */
export interface Parts {
  path: PathValues;
  query: [name: string, value: string][];
  body: string | undefined;
}

/** Half of a surrogate pair, which JSON can say and Unicode has no character for (RFC 8259, section 8.2). */
const HALVES = ['\\ud800', 'a\\udc00', '\\ud83d\\ud83d', '\\ufffe'];

/** Makes requests of one operation of a document that keep to it, and the parts of ones that do not. */
export class OperationRequests {
  /** The schema of its body; undefined for an operation without one. */
  readonly body: Schema | undefined;
  readonly bodyRequired: boolean;
  readonly make: SchemaArbitraries;
  readonly #parameters: Parameter[];
  readonly #method: string;
  readonly #template: string;

  /**
   * @param method in lower case, as in the document
   * @param template of its path
   * @throws Error for an operation that the document does not have
   */
  constructor(document: RequestDocument, method: string, template: string, make: SchemaArbitraries) {
    const operation = document.paths[template]?.[method];
    if (!operation) throw new Error(`The document has no ${method} ${template}.`);
    this.#parameters = (operation.parameters ?? []).map((parameter) => {
      if (!('$ref' in parameter)) return parameter;
      const found = document.components.parameters?.[parameter.$ref.split('/').at(-1) ?? ''];
      if (!found) throw new Error(`The document has no parameter ${parameter.$ref}.`);
      return found;
    });
    this.body = operation.requestBody?.content['application/json']?.schema;
    this.bodyRequired = operation.requestBody?.required === true;
    this.make = make;
    this.#method = method.toUpperCase();
    this.#template = template;
  }

  /**
   * Requests that keep to the contract, with any valid query and body.
   *
   * @param path the values of the path's parameters; those left out stay in braces
   * @param without parameters of the query that are left out, such as ones that a schema does not tell all about
   */
  good(path: PathValues, without: readonly string[] = []): fc.Arbitrary<WireRequest> {
    return this.parts(path, { optional: true, without }).map((parts) => this.request(parts));
  }

  /** The same with nothing in the query that can be left out. */
  least(path: PathValues): fc.Arbitrary<WireRequest> {
    return this.parts(path).map((parts) => this.request(parts));
  }

  /** Good requests but for one text in the body, which holds half of a character. */
  withHalfCharacters(path: PathValues, without: readonly string[] = []): fc.Arbitrary<WireRequest> {
    const halves = fc.constantFrom(...HALVES);
    return fc.tuple(this.good(path, without), halves, fc.nat()).map(([request, half, which]) => {
      const texts = [...String(request.body ?? '{}').matchAll(/"(?:[^"\\]|\\.)*"(?!:)/g)];
      const text = texts[which % texts.length];
      const body = text
        ? `${text.input.slice(0, text.index)}"${half}"${text.input.slice(text.index + text[0].length)}`
        : `{"title":"${half}"}`;
      return { ...request, headers: { 'content-type': 'application/json' }, body };
    });
  }

  /** Its parameters in the path or in the query. */
  parameters(place: 'path' | 'query'): Parameter[] {
    return this.#parameters.filter((parameter) => parameter.in === place);
  }

  /** The parts of good requests; without `optional`, the query has only what it must have, and a body is there. */
  parts(
    path: PathValues,
    { optional = false, without = [] }: { optional?: boolean; without?: readonly string[] } = {},
  ): fc.Arbitrary<Parts> {
    const query = this.parameters('query')
      .filter(({ name, required }) => (optional || required) && !without.includes(name))
      .map(({ name, schema, required }) => {
        const pairs = this.texts(schema).map((texts) => texts.map((text): [string, string] => [name, text]));
        return required ? pairs : fc.oneof(fc.constant<[string, string][]>([]), pairs);
      });
    const body = this.body && this.make.validValue(this.body).map((value) => JSON.stringify(value));
    const encoded = Object.entries(path).map(([name, value]) => [name, encodeURIComponent(value)]);
    return fc.record({
      path: fc.constant(Object.fromEntries(encoded)),
      query: fc.tuple(...query).map((lists) => lists.flat()),
      body:
        !body || this.bodyRequired || !optional
          ? (body ?? fc.constant(undefined))
          : fc.option(body, { nil: undefined }),
    });
  }

  /** The texts, percent-encoded, that valid values of a parameter are sent as: one each, or one for each item. */
  texts(schema: Schema): fc.Arbitrary<string[]> {
    return this.make
      .validValue(schema)
      .map((value) => [value].flat().map(String))
      .filter((texts) => texts.every((text) => text !== ''))
      .map((texts) => texts.map(encodeURIComponent));
  }

  /** Puts a request together. */
  request({ path, query, body }: Parts, more: Partial<WireRequest> = {}): WireRequest {
    const filled = this.#template.replaceAll(/\{(\w+)\}/g, (_, name: string) => path[name] ?? `{${name}}`);
    const search = query.map(([name, value]) => `${name}=${value}`).join('&');
    return {
      method: this.#method,
      target: search === '' ? filled : `${filled}?${search}`,
      headers: body === undefined ? {} : { 'content-type': 'application/json' },
      ...(body !== undefined && { body }),
      ...more,
    };
  }
}
