import fc from 'fast-check';
import type { Schema } from './json-schema.ts';
import type { OperationRequests, Parameter, Parts, PathValues, WireRequest } from './requests.ts';

/** What a server that keeps to the contract answers an invalid request. */
export interface Refusal {
  status: number;
  /** The part of the request at fault; undefined where no field is. */
  in?: 'path' | 'query' | 'body';
  /** Names and indexes joined by dots; empty for the whole part. */
  path: string;
  /** Whether the fault may also be told of a value around this one, or within it. */
  vague: boolean;
}

/** Requests that are all wrong in one way. */
export interface InvalidRequests {
  /** What is wrong, for people. */
  name: string;
  values: fc.Arbitrary<{ request: WireRequest; refusal: Refusal }>;
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

/** Texts that a lenient reader takes for a value of a type. */
const WRONG_TEXTS: Record<string, string[]> = {
  integer: ['ten', '1.5', '0x10', ' 1', '1e999', '-1e999', 'NaN', '--1', '+1', '１', 'null', '[1]', '1,2'],
  number: ['ten', '0x10', ' 1', '1e999', 'NaN', '--1', 'Infinity'],
  boolean: ['yes', '1', '0', 'TRUE', 'tru', 'null', 'on'],
};

/**
 * Requests of one operation that do not keep to its contract, each in one way: in a parameter of the path or
 * of the query, in the body or in how it is sent. All else is as in a good request.
 *
 * @param path the values of the path's parameters
 */
export function invalidRequests(of: OperationRequests, path: PathValues): InvalidRequests[] {
  return [...invalidPaths(of, path), ...invalidQueries(of, path), ...invalidBodies(of, path)];
}

function invalidPaths(of: OperationRequests, path: PathValues): InvalidRequests[] {
  return of.parameters('path').flatMap(({ name, schema }) => {
    const refusal = { status: 400, in: 'path', path: name, vague: false } as const;
    const ways = [
      ...invalidTexts(of, schema),
      { what: 'bad encoding', texts: fc.constantFrom(...BAD_ENCODING) },
    ];
    return ways.map(({ what, texts }) => ({
      name: `path ${name}: ${what}`,
      values: fc
        .tuple(
          of.parts(path),
          texts.filter((text) => text !== ''),
        )
        .map(([parts, text]) => ({
          request: of.request({ ...parts, path: { ...parts.path, [name]: text } }),
          refusal,
        })),
    }));
  });
}

function invalidQueries(of: OperationRequests, path: PathValues): InvalidRequests[] {
  const known = of.parameters('query');
  const unknown = ['unknown', 'Limit', 'page[]', '__proto__', 'constructor'].filter((name) =>
    known.every((one) => one.name !== name),
  );
  const surplus = unknown.map((name) =>
    inQuery(of, path, name, 'unknown', fc.constant([[encodeURIComponent(name), '1']])),
  );
  return [...surplus, ...known.flatMap((parameter) => invalidParameter(of, path, parameter))];
}

function invalidParameter(
  of: OperationRequests,
  path: PathValues,
  { name, schema, required }: Parameter,
): InvalidRequests[] {
  const once = (texts: fc.Arbitrary<string>) => texts.map((text): Pairs => [[name, text]]);
  const twice = of.texts(schema).map(
    ([text = '']): Pairs => [
      [name, text],
      [name, text],
    ],
  );
  const several = of.make.schemas.flat(schema).type === 'array';
  const ways: [what: string, pairs: fc.Arbitrary<Pairs>][] = [
    ...invalidTexts(of, schema).map(({ what, texts }): [string, fc.Arbitrary<Pairs>] => [what, once(texts)]),
    ['empty', once(fc.constant(''))],
    ['bad encoding', once(fc.constantFrom(...BAD_ENCODING))],
    ...(several ? [] : [['twice', twice] satisfies [string, fc.Arbitrary<Pairs>]]),
    ...(required ? [['missing', fc.constant([])] satisfies [string, fc.Arbitrary<Pairs>]] : []),
  ];
  return ways.map(([what, pairs]) => inQuery(of, path, name, what, pairs));
}

type Pairs = Parts['query'];

function inQuery(
  of: OperationRequests,
  path: PathValues,
  name: string,
  what: string,
  pairs: fc.Arbitrary<Pairs>,
): InvalidRequests {
  const refusal = { status: 400, in: 'query', path: name, vague: false } as const;
  return {
    name: `query ${name}: ${what}`,
    values: fc.tuple(of.parts(path), pairs).map(([parts, more]) => ({
      request: of.request({ ...parts, query: [...parts.query.filter((pair) => pair[0] !== name), ...more] }),
      refusal,
    })),
  };
}

function invalidBodies(of: OperationRequests, path: PathValues): InvalidRequests[] {
  if (!of.body) return [];
  const refusal = { status: 400, in: 'body', path: '', vague: false } as const;
  const unsupported = { status: 415, path: '', vague: false };
  const invalid = of.make.invalidVariants(of.body).map(
    ({ keyword, place, vague, values }): InvalidRequests => ({
      name: `body ${place}: ${keyword}`,
      values: fc.tuple(of.parts(path), values).map(([parts, { value, path: at }]) => ({
        request: of.request({ ...parts, body: JSON.stringify(value) }),
        refusal: { ...refusal, path: at.join('.'), vague },
      })),
    }),
  );
  const type = { 'content-type': 'application/json' };
  const way = (name: string, refusal: Refusal, ...ways: Partial<WireRequest>[]): InvalidRequests => ({
    name,
    values: fc.tuple(of.parts(path), fc.constantFrom(...ways)).map(([parts, more]) => ({
      request: of.request(parts, more),
      refusal,
    })),
  });
  return [
    ...invalid,
    ...(of.bodyRequired ? [way('body: missing', refusal, { headers: type, body: '' })] : []),
    way('body: no JSON', refusal, ...NO_JSON.map((body) => ({ body }))),
    way('body: no UTF-8', refusal, { body: Uint8Array.from([0x22, 0xc3, 0x28, 0x22]) }),
    way(
      'body: media type',
      unsupported,
      ...OTHER_TYPES.map((other) => ({ headers: { 'content-type': other } })),
    ),
    way('body: no media type', unsupported, { headers: {} }),
    way('body: content coding', unsupported, { headers: { ...type, 'content-encoding': 'zip' } }),
  ];
}

/** Percent-encoded texts of a parameter that are no valid value. */
function invalidTexts(
  of: OperationRequests,
  schema: Schema,
): { what: string; texts: fc.Arbitrary<string> }[] {
  const flat = of.make.schemas.flat(schema);
  if (flat.type === 'array') return invalidTexts(of, of.make.schemas.flat(flat.items ?? true));
  const beyond = of.make
    .invalidVariants(schema)
    .filter(({ keyword }) => keyword !== 'type' && keyword !== 'null')
    .map(({ keyword, values }) => ({
      what: keyword,
      texts: values.map(({ value }) => encodeURIComponent(String(value))),
    }));
  const wrong = WRONG_TEXTS[String(flat.type)] ?? [];
  return wrong.length === 0
    ? beyond
    : [...beyond, { what: 'type', texts: fc.constantFrom(...wrong).map(encodeURIComponent) }];
}
