import fc from 'fast-check';
import type { Parameter } from '../../model/contract/contract.ts';
import type { Fault } from '../../model/plan/plan.ts';
import { filterValuesIfAny, somePass } from '../../model/schema/filter.ts';
import { ifUsable } from '../../model/schema/schema.ts';
import type { PartsGenerator } from './generator.ts';
import {
  INVALID_ENCODINGS,
  invalidTextsOf,
  isList,
  isSendable,
  type SerializedParameter,
  schemaOf,
  valuesOf,
  write,
} from './parameters.ts';
import type { Faulty, FaultyParts, Piece, RequestInputs } from './parts.ts';
import { INVALID_UNUSED_INTEGERS, identifierKindOf, isUnused, UNUSED_NUMBER, UNUSED_TEXT } from './unused.ts';

/** Names of undeclared parameters, including properties of JavaScript objects. */
const UNKNOWN = ['unknown', 'Limit', 'page[]', '__proto__', 'constructor'];

/** Values of a parameter with the same fault. */
export interface InvalidParameter extends InvalidValues {
  parameter: Parameter;
}

/** Creates the invalid values of all parameters. */
export const invalidParametersOf = (generator: PartsGenerator): InvalidParameter[] =>
  generator.operation.parameters.flatMap((parameter) => {
    const invalidValues =
      parameter.in === 'path' ? inPath(generator, parameter) : outsidePath(generator, parameter);
    return invalidValues.map((invalid) => ({ parameter, ...invalid }));
  });

/** Creates requests with one fault in the path, the query, a header or a cookie. */
export function faultyParameters(
  generator: PartsGenerator,
  inputs: RequestInputs,
  invalidParameters: readonly InvalidParameter[],
): Faulty[] {
  const { parameters } = generator.operation;
  const declaredNames = new Set(
    parameters.filter(({ in: location }) => location === 'query').map(({ name }) => name),
  );
  // A map in the query accepts any name.
  const open = parameters.some((parameter) => isOpen(generator, parameter));
  const unknown = open ? [] : UNKNOWN.filter((name) => !declaredNames.has(name));
  return [
    ...invalidParameters.map((invalid) => faulty(generator, inputs, invalid)),
    ...unknown.map((name) => unknownQuery(generator, inputs, name)),
  ];
}

interface InvalidValues {
  fault: string;
  written: fc.Arbitrary<SerializedParameter>;
  raw?: fc.Arbitrary<string>;
}

function inPath(generator: PartsGenerator, parameter: Parameter): InvalidValues[] {
  const { name } = parameter;
  const invalidValues = texts(generator, parameter).flatMap(({ fault, texts }) => {
    const sent = generator.mayChange ? unused(generator, parameter, fault, texts) : texts;
    return sent ? [{ fault, written: sent.map((text): SerializedParameter => [[name, text]]) }] : [];
  });
  return [
    ...invalidValues,
    invalidEncoding(name, generator.mayChange ? unusedStart(generator, parameter) : ''),
  ];
}

/** Returns invalid texts that identify no resource of a lenient server either; undefined if there are none. */
function unused(
  generator: PartsGenerator,
  parameter: Parameter,
  fault: string,
  texts: fc.Arbitrary<string>,
): fc.Arbitrary<string> | undefined {
  const { schemas } = generator.arbitraries;
  const schema = schemaOf(schemas, parameter);
  const kind = identifierKindOf(schemas, schema);
  if (kind === 'number') {
    return fault === 'type'
      ? fc.constantFrom(...INVALID_UNUSED_INTEGERS)
      : filterValuesIfAny(texts, (text) => isUnused(text, kind));
  }
  const longer = texts.chain((text) => fc.constantFrom(text, UNUSED_TEXT + text, text + UNUSED_TEXT));
  return filterValuesIfAny(
    longer,
    (text) => isUnused(text, kind) && isSendable(parameter, text) && !schemas.accepts(schema, text),
  );
}

const unusedStart = ({ arbitraries: { schemas } }: PartsGenerator, parameter: Parameter): string =>
  identifierKindOf(schemas, schemaOf(schemas, parameter)) === 'number' ? UNUSED_NUMBER : UNUSED_TEXT;

const invalidEncoding = (name: string, before = ''): InvalidValues => ({
  fault: 'invalid encoding',
  written: fc.constant([[name, 'x']]),
  raw: fc.constantFrom(...INVALID_ENCODINGS.map((encoding) => before + encoding)),
});

function outsidePath(generator: PartsGenerator, parameter: Parameter): InvalidValues[] {
  const { name, in: location, required, allowsEmpty = false } = parameter;
  const invalidValues: InvalidValues[] = [];
  // Values serialized in parts or in a media type are not a single text.
  const flat = generator.arbitraries.schemas.flat(schemaOf(generator.arbitraries.schemas, parameter));
  const simple = parameter.mediaType === undefined && flat.properties === undefined;
  if (simple) {
    const invalid = texts(generator, parameter).map(({ fault, texts }) => ({
      fault,
      written: texts.map((text): SerializedParameter => [[name, text]]),
    }));
    invalidValues.push(...invalid);
    if (location === 'query') {
      if (!allowsEmpty && !accepts(generator, parameter, '')) {
        invalidValues.push({ fault: 'empty', written: fc.constant<SerializedParameter>([[name, '']]) });
      }
      invalidValues.push(invalidEncoding(name));
      const several = isList(generator.arbitraries.schemas, parameter);
      invalidValues.push(
        ...(several ? invalidLists(generator, parameter) : duplicates(generator, parameter)),
      );
    }
  }
  if (required) {
    invalidValues.push({ fault: 'missing', written: fc.constant<SerializedParameter>([]) });
  }
  return invalidValues;
}

function duplicates(generator: PartsGenerator, parameter: Parameter): InvalidValues[] {
  const values = ifUsable(() => valuesOf(generator.arbitraries, parameter));
  return values
    ? [
        {
          fault: 'twice',
          written: values.map((value) => [...write(parameter, value), ...write(parameter, value)]),
        },
      ]
    : [];
}

/** Returns invalid texts that can be sent in the parameter's part of a request. */
function texts(generator: PartsGenerator, parameter: Parameter): ReturnType<typeof invalidTextsOf> {
  const { schemas } = generator.arbitraries;
  const unconstrained = { ...parameter, schema: {} };
  const invalidValues = ifUsable(() => invalidTextsOf(generator.arbitraries, schemaOf(schemas, parameter)));
  return (invalidValues ?? []).flatMap(({ fault, texts }) => {
    const isSendableText = (text: string) => parameter.in === 'query' || isSendable(unconstrained, text);
    if (!somePass(texts, isSendableText)) {
      return [];
    }
    return [{ fault, texts: texts.filter(isSendableText) }];
  });
}

/** Returns whether a text is a valid value of a parameter, or a valid item. */
function accepts(generator: PartsGenerator, parameter: Parameter, text: string): boolean {
  const { schemas } = generator.arbitraries;
  const schema = schemaOf(schemas, parameter);
  const { items = true } = schemas.flat(schema);
  return schemas.accepts(isList(schemas, parameter) ? items : schema, text);
}

/** Creates lists with too many, too few or duplicate items. */
function invalidLists(generator: PartsGenerator, parameter: Parameter): InvalidValues[] {
  return generator.arbitraries
    .invalidVariants(parameter.schema)
    .filter(({ keyword, location }) => location === '' && LIST_FAULTS.has(keyword))
    .flatMap(({ keyword, values }) => {
      const sendable = filterValuesIfAny(
        values.map(({ value }) => value),
        (value) => isSendable(parameter, value),
      );
      return sendable ? [{ fault: keyword, written: sendable.map((value) => write(parameter, value)) }] : [];
    });
}

const LIST_FAULTS = new Set(['maxItems', 'minItems', 'uniqueItems']);

const isOpen = (generator: PartsGenerator, parameter: Parameter) => {
  const { additionalProperties, properties } = generator.arbitraries.schemas.flat(parameter.schema);
  return (
    parameter.in === 'query' &&
    (properties !== undefined || additionalProperties !== undefined) &&
    additionalProperties !== false
  );
};

function faulty(
  generator: PartsGenerator,
  inputs: RequestInputs,
  { parameter, fault: problem, written, raw }: InvalidParameter,
): Faulty {
  const { in: location, name } = parameter;
  const as = written.map((pairs): Piece => ({ serialized: pairs, inventedFields: [] }));
  const fault: Fault = { name: `${location} ${name}: ${problem}`, kind: 'input' };
  const parts = fc
    .tuple(
      generator.parts(inputs, false, { parameters: new Map([[parameter, as]]) }),
      raw ?? fc.constant(undefined),
    )
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
  return { name: fault.name, kind: fault.kind, in: location, isImprecise: false, parts };
}

function unknownQuery(generator: PartsGenerator, inputs: RequestInputs, name: string): Faulty {
  const fault: Fault = { name: 'query unknown', kind: 'undeclared' };
  const query = fc.constant<SerializedParameter>([[name, '1']]);
  const parts = generator
    .parts(inputs, false, { query })
    .map((parts): FaultyParts => ({ ...parts, fault, at: name }));
  return { name: `query ${name}: unknown`, kind: fault.kind, in: 'query', isImprecise: false, parts };
}
