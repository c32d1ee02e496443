import fc from 'fast-check';
import type { Parameter } from '../contract/contract.ts';
import type { Fault } from '../plan/plan.ts';
import { UnusableSchema } from '../schema/schema.ts';
import { sifted } from '../schema/sift.ts';
import type { PartsMaker, Piece } from './maker.ts';
import {
  BAD_ENCODING,
  canCarry,
  invalidTextsOf,
  isList,
  schemaOf,
  valuesOf,
  type Written,
  write,
} from './parameters.ts';
import type { Faulty, FaultyParts, Given } from './parts.ts';

/** Names of parameters that no document is likely to have, among them ones that objects of JavaScript know. */
const UNKNOWN = ['unknown', 'Limit', 'page[]', '__proto__', 'constructor'];

/** Requests of an operation with one fault in the path, the query, a header or a cookie. */
export function faultyParameters(maker: PartsMaker, given: Given): Faulty[] {
  const { parameters } = maker.operation;
  const known = new Set(parameters.filter(({ in: place }) => place === 'query').map(({ name }) => name));
  // A map in the query takes any name.
  const open = parameters.some((parameter) => isOpen(maker, parameter));
  const unknown = open ? [] : UNKNOWN.filter((name) => !known.has(name));
  return [
    ...parameters.flatMap((parameter) => {
      const ways = parameter.in === 'path' ? inPath(maker, parameter) : elsewhere(maker, parameter);
      return ways.map((way) => faulty(maker, given, parameter, way));
    }),
    ...unknown.map((name) => unknownQuery(maker, given, name)),
  ];
}

interface Way {
  what: string;
  written: fc.Arbitrary<Written>;
  raw?: fc.Arbitrary<string>;
}

function inPath(maker: PartsMaker, parameter: Parameter): Way[] {
  const { name } = parameter;
  const ways = texts(maker, parameter).map(({ what, texts }) => ({
    what,
    written: texts.map((text): Written => [[name, text]]),
  }));
  return [...ways, badEncoding(name)];
}

const badEncoding = (name: string): Way => ({
  what: 'bad encoding',
  written: fc.constant([[name, 'x']]),
  raw: fc.constantFrom(...BAD_ENCODING),
});

function elsewhere(maker: PartsMaker, parameter: Parameter): Way[] {
  const { name, in: place, required } = parameter;
  const ways: Way[] = [];
  // Of what is written by its parts, or in a media type, no single text is the value.
  const flat = maker.make.schemas.flat(schemaOf(maker.make.schemas, parameter));
  const simple = parameter.mediaType === undefined && flat.properties === undefined;
  if (simple) {
    const invalid = texts(maker, parameter).map(({ what, texts }) => ({
      what,
      written: texts.map((text): Written => [[name, text]]),
    }));
    ways.push(...invalid);
    if (place === 'query') {
      if (!accepts(maker, parameter, ''))
        ways.push({ what: 'empty', written: fc.constant<Written>([[name, '']]) });
      ways.push(badEncoding(name));
      const several = isList(maker.make.schemas, parameter);
      ways.push(...(several ? wrongLists(maker, parameter) : twice(maker, parameter)));
    }
  }
  if (required) ways.push({ what: 'missing', written: fc.constant<Written>([]) });
  return ways;
}

function twice(maker: PartsMaker, parameter: Parameter): Way[] {
  try {
    const values = valuesOf(maker.make, parameter);
    return [
      {
        what: 'twice',
        written: values.map((value) => [...write(parameter, value), ...write(parameter, value)]),
      },
    ];
  } catch (error) {
    if (!(error instanceof UnusableSchema)) throw error;
    return [];
  }
}

/** Invalid texts that the parameter's part of a request can carry. */
function texts(maker: PartsMaker, parameter: Parameter): ReturnType<typeof invalidTextsOf> {
  const { schemas } = maker.make;
  const carried = { ...parameter, schema: {} };
  let ways: ReturnType<typeof invalidTextsOf>;
  try {
    ways = invalidTextsOf(maker.make, schemaOf(schemas, parameter));
  } catch (error) {
    if (!(error instanceof UnusableSchema)) throw error;
    return [];
  }
  return ways.flatMap(({ what, texts }) => {
    const carries = (text: string) => parameter.in === 'query' || canCarry(carried, text);
    if (!fc.sample(texts, { numRuns: 8, seed: 1 }).some(carries)) return [];
    return [{ what, texts: texts.filter(carries) }];
  });
}

/** Whether a text may be a value of a parameter, or an item of one. */
function accepts(maker: PartsMaker, parameter: Parameter, text: string): boolean {
  const { schemas } = maker.make;
  const schema = schemaOf(schemas, parameter);
  const { items = true } = schemas.flat(schema);
  return schemas.accepts(isList(schemas, parameter) ? items : schema, text);
}

/** Lists with too many items, too few, or one of them twice. */
function wrongLists(maker: PartsMaker, parameter: Parameter): Way[] {
  return maker.make
    .invalidVariants(parameter.schema)
    .filter(({ keyword, place }) => place === '' && LIST_FAULTS.has(keyword))
    .flatMap(({ keyword, values }) => {
      const carried = sifted(
        values.map(({ value }) => value),
        (value) => canCarry(parameter, value),
      );
      return carried ? [{ what: keyword, written: carried.map((value) => write(parameter, value)) }] : [];
    });
}

const LIST_FAULTS = new Set(['maxItems', 'minItems', 'uniqueItems']);

const isOpen = (maker: PartsMaker, parameter: Parameter) => {
  const { additionalProperties, properties } = maker.make.schemas.flat(parameter.schema);
  return (
    parameter.in === 'query' &&
    (properties !== undefined || additionalProperties !== undefined) &&
    additionalProperties !== false
  );
};

function faulty(maker: PartsMaker, given: Given, parameter: Parameter, { what, written, raw }: Way): Faulty {
  const { in: place, name } = parameter;
  const as = written.map((pairs): Piece => ({ written: pairs, madeUp: [] }));
  const fault: Fault = { name: `${place} ${name}: ${what}`, kind: 'input' };
  const parts = fc
    .tuple(maker.parts(given, false, { parameter: { of: parameter, as } }), raw ?? fc.constant(undefined))
    .map(
      ([made, text]): FaultyParts => ({
        ...made,
        fault:
          text === undefined
            ? fault
            : { ...fault, [place === 'path' ? 'rawPath' : 'rawQuery']: { [name]: text } },
        at: name,
      }),
    );
  return { name: fault.name, kind: fault.kind, in: place, vague: false, parts };
}

function unknownQuery(maker: PartsMaker, given: Given, name: string): Faulty {
  const fault: Fault = { name: 'query unknown', kind: 'undeclared' };
  const query = fc.constant<Written>([[name, '1']]);
  const parts = maker
    .parts(given, false, { query })
    .map((made): FaultyParts => ({ ...made, fault, at: name }));
  return { name: `query ${name}: unknown`, kind: fault.kind, in: 'query', vague: false, parts };
}
