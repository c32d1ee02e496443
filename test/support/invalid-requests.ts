import fc from 'fast-check';
import type { Components, Schema } from './json-schema.ts';
import type { InvalidVariant, SchemaArbitraries } from './schema-arbitraries.ts';

/** What requests are made from: the parts of an OpenAPI 3.1 document that tell what requests look like. */
export interface RequestDocument {
  paths: Record<string, Record<string, OperationObject>>;
  components: { schemas: Components; parameters?: Record<string, Parameter> };
}

interface OperationObject {
  parameters?: (Parameter | { $ref: string })[];
  requestBody?: { required?: boolean; content: Record<string, { schema: Schema }> };
}

interface Parameter {
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

/** What a server that keeps to the contract answers a bad request. */
export interface Refusal {
  status: number;
  /** The part of the request at fault; undefined where no field is. */
  in?: 'path' | 'query' | 'body';
  /** Names and indexes joined by dots. */
  path: string;
  /** Whether the fault may also be told of a value around this one, or within it. */
  vague: boolean;
}

/** Requests that are all wrong in one way. */
export interface BadRequests {
  name: string;
  values: fc.Arbitrary<{ request: WireRequest; refusal: Refusal }>;
}

/** Values for the parameters of a path, by name. */
export type PathValues = Readonly<Record<string, string>>;

/** Parts of a request before they are put together; all of them encoded. */
interface Parts {
  path: PathValues;
  query: [name: string, value: string][];
  body: string | undefined;
}

const BAD_ENCODING = ['%', '%z', '%zz', 'a%', '%ff', '%c3', '%ed%a0%80', '%E0%A4%A'];
const NO_JSON = ['{', '{"a":}', "{'a': 1}", '{"a": 1,}', 'nul', '[1, 2', '"\ud800', '\\', '{}{}', 'NaN'];
const OTHER_TYPES = [
  'text/plain',
  'application/xml',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'application/jsonp',
  '*/*',
  'application/json; charset=utf-16',
];

/** Makes requests of one operation of a document: ones that keep to the contract, and ones that do not. */
export class OperationRequests {
  readonly parameters: Parameter[];
  /** The schema of its body; undefined for an operation without one. */
  readonly body: Schema | undefined;
  readonly #method: string;
  readonly #template: string;
  readonly #bodyRequired: boolean;
  readonly #make: SchemaArbitraries;

  constructor(document: RequestDocument, method: string, template: string, make: SchemaArbitraries) {
    const operation = document.paths[template]?.[method];
    if (!operation) throw new Error(`The document has no ${method} ${template}.`);
    this.parameters = (operation.parameters ?? []).map((parameter) => {
      if (!('$ref' in parameter)) return parameter;
      const found = document.components.parameters?.[parameter.$ref.split('/').at(-1) ?? ''];
      if (!found) throw new Error(`The document has no parameter ${parameter.$ref}.`);
      return found;
    });
    const content = operation.requestBody?.content['application/json'];
    this.body = content?.schema;
    this.#bodyRequired = operation.requestBody?.required === true;
    this.#method = method.toUpperCase();
    this.#template = template;
    this.#make = make;
  }

  /**
   * Requests that keep to the contract, with any valid query and body.
   *
   * @param path the values of the path's parameters; those left out stay in braces
   * @param without parameters of the query that are left out, such as ones that a schema does not tell all about
   */
  good(path: PathValues, without: readonly string[] = []): fc.Arbitrary<WireRequest> {
    return this.#parts(path, true, without).map((parts) => this.#request(parts));
  }

  /** The same with nothing in the query that can be left out. */
  least(path: PathValues): fc.Arbitrary<WireRequest> {
    return this.#parts(path, false).map((parts) => this.#request(parts));
  }

  /** Good requests but for one text in the body, which holds half of a surrogate pair (RFC 8259, section 8.2). */
  withHalfCharacters(path: PathValues, without: readonly string[] = []): fc.Arbitrary<WireRequest> {
    const halves = fc.constantFrom('\\ud800', 'a\\udc00', '\\ud83d\\ud83d', '\\ufffe');
    return fc.tuple(this.good(path, without), halves, fc.nat()).map(([request, half, which]) => {
      const texts = [...String(request.body ?? '{}').matchAll(/"(?:[^"\\]|\\.)*"(?!:)/g)];
      const text = texts[which % texts.length];
      const body = text
        ? `${text.input.slice(0, text.index)}"${half}"${text.input.slice(text.index + text[0].length)}`
        : `{"title":"${half}"}`;
      return { ...request, body };
    });
  }

  /** Requests that do not keep to the contract, each in one way; all but that is as in a good request. */
  bad(path: PathValues): BadRequests[] {
    return [...this.#badPaths(path), ...this.#badQueries(path), ...this.#badBodies(path)];
  }

  #parts(path: PathValues, more: boolean, without: readonly string[] = []): fc.Arbitrary<Parts> {
    const query = this.#in('query')
      .filter(({ name, required }) => (more || required) && !without.includes(name))
      .map(({ name, schema, required }) => {
        const values = this.#texts(schema).map((texts) =>
          texts.map((text): [string, string] => [name, text]),
        );
        return required ? values : fc.oneof(fc.constant<[string, string][]>([]), values);
      });
    const body = this.body
      ? this.#make.validValue(this.body).map((value) => JSON.stringify(value))
      : fc.constant(undefined);
    return fc.record({
      path: fc.constant(encoded(path)),
      query: fc.tuple(...query).map((lists) => lists.flat()),
      body: this.#bodyRequired || !this.body || !more ? body : fc.option(body, { nil: undefined }),
    });
  }

  /** The texts that valid values of a parameter are sent as. */
  #texts(schema: Schema): fc.Arbitrary<string[]> {
    return this.#make
      .validValue(schema)
      .map((value) => [value].flat().map(String))
      .filter((texts) => texts.every((text) => text !== ''))
      .map((texts) => texts.map(encodeURIComponent));
  }

  #request({ path, query, body }: Parts, more: Partial<WireRequest> = {}): WireRequest {
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

  #case(
    name: string,
    path: PathValues,
    refusal: Omit<Refusal, 'path' | 'vague'> & Partial<Refusal>,
    requests: (parts: Parts) => WireRequest,
  ): BadRequests;
  #case<T>(
    name: string,
    path: PathValues,
    refusal: Omit<Refusal, 'path' | 'vague'> & Partial<Refusal>,
    requests: (parts: Parts, value: T) => WireRequest,
    values: fc.Arbitrary<T>,
  ): BadRequests;
  #case(
    name: string,
    path: PathValues,
    refusal: Omit<Refusal, 'path' | 'vague'> & Partial<Refusal>,
    requests: (parts: Parts, value: unknown) => WireRequest,
    values: fc.Arbitrary<unknown> = fc.constant(undefined),
  ): BadRequests {
    const whole = { path: '', vague: false, ...refusal };
    return {
      name,
      values: fc.tuple(this.#parts(path, false), values).map(([parts, value]) => ({
        request: requests(parts, value),
        refusal: whole,
      })),
    };
  }

  #badPaths(path: PathValues): BadRequests[] {
    return this.#in('path').flatMap(({ name, schema }) => {
      const refusal = { status: 400, in: 'path', path: name } as const;
      const put = (parts: Parts, value: string) =>
        this.#request({ ...parts, path: { ...parts.path, [name]: value } });
      const invalid = this.#invalidTexts(schema).map(({ keyword, values }) =>
        this.#case(
          `path ${name}: ${keyword}`,
          path,
          refusal,
          put,
          values.filter((text) => text !== ''),
        ),
      );
      return [
        ...invalid,
        this.#case(`path ${name}: bad encoding`, path, refusal, put, fc.constantFrom(...BAD_ENCODING)),
      ];
    });
  }

  #badQueries(path: PathValues): BadRequests[] {
    const known = this.#in('query');
    const add = (parts: Parts, more: [string, string][]) =>
      this.#request({ ...parts, query: [...parts.query.filter(([name]) => name !== more[0]?.[0]), ...more] });
    const unknown = ['unknown', 'Limit', 'page[]', '__proto__', 'constructor'].filter((name) =>
      known.every((one) => one.name !== name),
    );
    const ofUnknown = unknown.map((name) =>
      this.#case(`query ${name}: unknown`, path, { status: 400, in: 'query', path: name }, (parts) =>
        add(parts, [[encodeURIComponent(name), '1']]),
      ),
    );
    const ofKnown = known.flatMap(({ name, schema, required }) => {
      const refusal = { status: 400, in: 'query', path: name } as const;
      const one = (what: string, values: fc.Arbitrary<string>) =>
        this.#case(
          `query ${name}: ${what}`,
          path,
          refusal,
          (parts, value) => add(parts, [[name, value]]),
          values,
        );
      const several = this.#make.schemas.flat(schema).type === 'array';
      return [
        ...this.#invalidTexts(schema).map(({ keyword, values }) => one(keyword, values)),
        one('empty', fc.constant('')),
        one('bad encoding', fc.constantFrom(...BAD_ENCODING)),
        this.#case(`query ${name}: no value`, path, refusal, (parts) => {
          const { target, ...request } = add(parts, [[name, '']]);
          return { ...request, target: target.slice(0, -1) };
        }),
        ...(several
          ? []
          : [
              this.#case(
                `query ${name}: twice`,
                path,
                refusal,
                (parts, [text = '']) =>
                  add(parts, [
                    [name, text],
                    [name, text],
                  ]),
                this.#texts(schema),
              ),
            ]),
        ...(required
          ? [
              this.#case(`query ${name}: missing`, path, refusal, (parts) =>
                this.#request({ ...parts, query: parts.query.filter((pair) => pair[0] !== name) }),
              ),
            ]
          : []),
      ];
    });
    return [...ofUnknown, ...ofKnown];
  }

  #badBodies(path: PathValues): BadRequests[] {
    if (!this.body) return [];
    const refusal = { status: 400, in: 'body' } as const;
    const variants = this.#make.invalidVariants(this.body).map(
      ({ keyword, place, vague, values }): BadRequests => ({
        name: `body ${place}: ${keyword}`,
        values: fc.tuple(this.#parts(path, false), values).map(([parts, invalid]) => ({
          request: this.#request({ ...parts, body: JSON.stringify(invalid.value) }),
          refusal: { ...refusal, path: invalid.path.join('.'), vague },
        })),
      }),
    );
    const type = { 'content-type': 'application/json' };
    const others = fc.constantFrom(...OTHER_TYPES);
    return [
      ...variants,
      ...(this.#bodyRequired
        ? [this.#case('no body', path, refusal, (parts) => this.#request({ ...parts, body: undefined }))]
        : []),
      this.#case(
        'no JSON',
        path,
        refusal,
        (parts, body) => this.#request({ ...parts, body }),
        fc.constantFrom(...NO_JSON),
      ),
      this.#case('no UTF-8', path, refusal, (parts) =>
        this.#request(parts, { headers: type, body: Uint8Array.from([0x22, 0xc3, 0x28, 0x22]) }),
      ),
      this.#case(
        'another media type',
        path,
        { status: 415 },
        (parts, other) => this.#request(parts, { headers: { 'content-type': other } }),
        others,
      ),
      this.#case('no media type', path, { status: 415 }, (parts) => this.#request(parts, { headers: {} })),
      this.#case('another content coding', path, { status: 415 }, (parts) =>
        this.#request(parts, { headers: { ...type, 'content-encoding': 'zip' } }),
      ),
    ];
  }

  /** Texts of parameters that are not valid: numbers and booleans that are none, and what goes beyond limits. */
  #invalidTexts(schema: Schema): { keyword: string; values: fc.Arbitrary<string> }[] {
    const flat = this.#make.schemas.flat(schema);
    const encode = ({ keyword, values }: InvalidVariant) => ({
      keyword,
      values: values.map(({ value }) => encodeURIComponent([value].flat().join())),
    });
    if (flat.type === 'array') return this.#invalidTexts(this.#make.schemas.flat(flat.items ?? true));
    const limits = this.#make
      .invalidVariants(schema)
      .filter(({ keyword }) => keyword !== 'type' && keyword !== 'null')
      .map(encode);
    const texts = WRONG_TEXTS[String(flat.type)];
    return texts
      ? [...limits, { keyword: 'type', values: fc.constantFrom(...texts).map(encodeURIComponent) }]
      : limits;
  }

  #in(place: string): Parameter[] {
    return this.parameters.filter((parameter) => parameter.in === place);
  }
}

const WRONG_TEXTS: Record<string, string[]> = {
  integer: ['ten', '1.5', '0x10', ' 1', '1e999', 'NaN', '--1', '+1', '１', 'null', '[1]', '1,2'],
  number: ['ten', '0x10', ' 1', '1e999', 'NaN', '--1', 'Infinity'],
  boolean: ['yes', '1', '0', 'TRUE', 'tru', 'null', 'on'],
};

const encoded = (path: PathValues): PathValues =>
  Object.fromEntries(Object.entries(path).map(([name, value]) => [name, encodeURIComponent(value)]));
