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
import type { Faulty, FaultyParts, RequestInputs } from './parts.ts';

/** Names of undeclared parameters, including properties of JavaScript objects. */
const UNKNOWN = ['unknown', 'Limit', 'page[]', '__proto__', 'constructor'];

/** Creates requests with one fault in the path, the query, a header or a cookie. */
export function faultyParameters(maker: PartsMaker, inputs: RequestInputs): Faulty[] {
  const { parameters } = maker.operation;
  const declaredNames = new Set(
    parameters.filter(({ in: location }) => location === 'query').map(({ name }) => name),
  );
  // A map in the query accepts any name.
  const open = parameters.some((parameter) => isOpen(maker, parameter));
  const unknown = open ? [] : UNKNOWN.filter((name) => !declaredNames.has(name));
  return [
    ...parameters.flatMap((parameter) => {
      const ways = parameter.in === 'path' ? inPath(maker, parameter) : elsewhere(maker, parameter);
      return ways.map((way) => faulty(maker, inputs, parameter, way));
    }),
    ...unknown.map((name) => unknownQuery(maker, inputs, name)),
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
  const { name, in: location, required } = parameter;
  const ways: Way[] = [];
  // Values serialized in parts or in a media type are not a single text.
  const flat = maker.make.schemas.flat(schemaOf(maker.make.schemas, parameter));
  const simple = parameter.mediaType === undefined && flat.properties === undefined;
  if (simple) {
    const invalid = texts(maker, parameter).map(({ what, texts }) => ({
      what,
      written: texts.map((text): Written => [[name, text]]),
    }));
    ways.push(...invalid);
    if (location === 'query') {
      if (!accepts(maker, parameter, '')) {
        ways.push({ what: 'empty', written: fc.constant<Written>([[name, '']]) });
      }
      ways.push(badEncoding(name));
      const several = isList(maker.make.schemas, parameter);
      ways.push(...(several ? wrongLists(maker, parameter) : twice(maker, parameter)));
    }
  }
  if (required) {
    ways.push({ what: 'missing', written: fc.constant<Written>([]) });
  }
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
    if (!(error instanceof UnusableSchema)) {
      throw error;
    }
    return [];
  }
}

/** Returns invalid texts that can be sent in the parameter's part of a request. */
function texts(maker: PartsMaker, parameter: Parameter): ReturnType<typeof invalidTextsOf> {
  const { schemas } = maker.make;
  const carried = { ...parameter, schema: {} };
  let ways: ReturnType<typeof invalidTextsOf>;
  try {
    ways = invalidTextsOf(maker.make, schemaOf(schemas, parameter));
  } catch (error) {
    if (!(error instanceof UnusableSchema)) {
      throw error;
    }
    return [];
  }
  return ways.flatMap(({ what, texts }) => {
    const carries = (text: string) => parameter.in === 'query' || canCarry(carried, text);
    if (!fc.sample(texts, { numRuns: 8, seed: 1 }).some(carries)) {
      return [];
    }
    return [{ what, texts: texts.filter(carries) }];
  });
}

/** Returns whether a text is a valid value of a parameter, or a valid item. */
function accepts(maker: PartsMaker, parameter: Parameter, text: string): boolean {
  const { schemas } = maker.make;
  const schema = schemaOf(schemas, parameter);
  const { items = true } = schemas.flat(schema);
  return schemas.accepts(isList(schemas, parameter) ? items : schema, text);
}

/** Creates lists with too many, too few or duplicate items. */
function wrongLists(maker: PartsMaker, parameter: Parameter): Way[] {
  return maker.make
    .invalidVariants(parameter.schema)
    .filter(({ keyword, location }) => location === '' && LIST_FAULTS.has(keyword))
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

function faulty(
  maker: PartsMaker,
  inputs: RequestInputs,
  parameter: Parameter,
  { what, written, raw }: Way,
): Faulty {
  const { in: location, name } = parameter;
  const as = written.map((pairs): Piece => ({ written: pairs, madeUp: [] }));
  const fault: Fault = { name: `${location} ${name}: ${what}`, kind: 'input' };
  const parts = fc
    .tuple(maker.parts(inputs, false, { parameter: { of: parameter, as } }), raw ?? fc.constant(undefined))
    .map(
      ([parts, text]): FaultyParts => ({
        ...parts,
        fault:
          text === undefined
            ? fault
            : { ...fault, [location === 'path' ? 'rawPath' : 'rawQuery']: { [name]: text } },
        at: name,
      }),
    );
  return { name: fault.name, kind: fault.kind, in: location, vague: false, parts };
}

function unknownQuery(maker: PartsMaker, inputs: RequestInputs, name: string): Faulty {
  const fault: Fault = { name: 'query unknown', kind: 'undeclared' };
  const query = fc.constant<Written>([[name, '1']]);
  const parts = maker
    .parts(inputs, false, { query })
    .map((parts): FaultyParts => ({ ...parts, fault, at: name }));
  return { name: `query ${name}: unknown`, kind: fault.kind, in: 'query', vague: false, parts };
}
