import fc from 'fast-check';
import { isJsonPatch } from '../../media-types.ts';
import type { Contract, Operation, Parameter } from '../../model/contract/contract.ts';
import { isReading } from '../../model/plan/effects.ts';
import type { Value } from '../../model/plan/plan.ts';
import type { SchemaArbitraries } from '../../model/schema/arbitraries.ts';
import { bounds } from '../../model/schema/numbers.ts';
import { ifUsable, kindsOf, UnusableSchema } from '../../model/schema/schema.ts';
import { type BodyFormat, bodyFormatsOf, bodyValues, writeBody } from './bodies.ts';
import { BodyFiller } from './fill.ts';
import { hasFurtherRule } from './further-rules.ts';
import { componentName, isIdentifier, isVersionPrecondition } from './identifier-fields.ts';
import { type PatchableField, patchBodies } from './json-patch.ts';
import {
  edgesOf,
  isList,
  isSendable,
  type ParameterEdge,
  type SerializedParameter,
  schemaOf,
  valuesOf,
  write,
} from './parameters.ts';
import type { BodyPiece, FieldLocation, Parts, Piece, RequestInputs } from './parts.ts';

/** Replacements of parts of a valid request. */
export interface Change {
  /** Replacements of parameters. */
  parameters?: ReadonlyMap<Parameter, fc.Arbitrary<Piece>>;
  /** Additional query pairs. */
  query?: fc.Arbitrary<SerializedParameter>;
  body?: fc.Arbitrary<BodyPiece>;
}

const LETTERS = fc.string({
  unit: fc.constantFrom(...'abcdefghijklmnopqrstuvwxyz'),
  minLength: 24,
  maxLength: 24,
});

/** Generates the parts of requests of an operation. */
export class PartsGenerator {
  readonly contract: Contract;
  readonly operation: Operation;
  readonly arbitraries: SchemaArbitraries;
  /** Whether requests may change resources, so that invented identifiers must be unused. */
  readonly mayChange: boolean;
  /** Supported formats of the body; empty if there is no body or no supported format. */
  readonly formats: readonly BodyFormat[];
  readonly #fillers = new Map<BodyFormat, BodyFiller>();
  readonly #edges = new Map<Parameter, readonly ParameterEdge[]>();

  readonly #patchable: readonly PatchableField[];

  /** @param patchable fields of the resource that a JSON Patch can set */
  constructor(
    contract: Contract,
    operation: Operation,
    arbitraries: SchemaArbitraries,
    patchable: readonly PatchableField[] = [],
  ) {
    this.#patchable = patchable;
    this.contract = contract;
    this.operation = operation;
    this.arbitraries = arbitraries;
    this.mayChange = !isReading(operation.method);
    this.formats = operation.body ? bodyFormatsOf(arbitraries.schemas, operation.body.content) : [];
  }

  /**
   * @param full whether to include optional fields and any values; otherwise only required fields with simple values
   * @throws {UnusableSchema} if a required value cannot be generated
   */
  parts(inputs: RequestInputs, full: boolean, change: Change = {}): fc.Arbitrary<Parts> {
    const parameters = this.operation.parameters.map((parameter) => {
      const replacement = change.parameters?.get(parameter);
      return (replacement ?? this.#parameter(parameter, inputs, full)).map((piece) => ({
        parameter,
        ...piece,
      }));
    });
    return fc
      .tuple(
        fc.tuple(...parameters),
        change.query ?? fc.constant<SerializedParameter>([]),
        change.body ?? this.body(inputs, full),
      )
      .map(([pieces, query, { body, headers = [], inventedFields }]) => {
        const of = (location: Parameter['in']) =>
          pieces.filter(({ parameter }) => parameter.in === location).flatMap(({ serialized }) => serialized);
        const cookie = of('cookie').map(([name, value]) => `${name}=${String(value)}`);
        return {
          path: Object.fromEntries(of('path')),
          query: [...of('query'), ...query],
          headers: [
            ...of('header'),
            ...(cookie.length > 0 ? [['cookie', cookie.join('; ')] satisfies [string, Value]] : []),
            ...headers,
          ],
          ...(body && { body }),
          inventedFields: [...pieces.flatMap((piece) => piece.inventedFields), ...inventedFields],
        };
      });
  }

  #parameter(parameter: Parameter, inputs: RequestInputs, full: boolean): fc.Arbitrary<Piece> {
    const none = fc.constant<Piece>({ serialized: [], inventedFields: [] });
    const { required } = parameter;
    // Servers may require a precondition of every request that changes a resource (RFC 6585, 3).
    const isPrecondition = isVersionPrecondition(parameter);
    if (!required && !full && !isPrecondition) {
      return none;
    }
    const pieces = this.ordinary(parameter, inputs, full);
    return pieces && (required || (isPrecondition && !full))
      ? pieces
      : pieces
        ? fc.oneof(none, pieces)
        : none;
  }

  /** Creates values of a parameter; returns undefined for an optional identifier without available values. */
  ordinary(parameter: Parameter, inputs: RequestInputs, full = true): fc.Arbitrary<Piece> | undefined {
    const { name, in: location, required } = parameter;
    const value = location === 'path' ? inputs.path[name] : undefined;
    if (value !== undefined) {
      return fc.constant({ serialized: [[name, value]], inventedFields: [] });
    }
    const field = this.location(parameter);
    const isSupplied = isIdentifier(this.contract, field);
    const values = isSupplied ? inputs.values?.(field) : undefined;
    if (values) {
      return values.map(
        (value): Piece => ({ serialized: this.#supplied(parameter, value), inventedFields: [] }),
      );
    }
    if (isSupplied && !required) {
      return undefined;
    }
    const inventedFields = isSupplied || this.#hasFurtherRule(parameter) ? [`${location} ${name}`] : [];
    const generated =
      isSupplied && (location === 'path' || this.mayChange)
        ? this.#unknown(parameter)
        : this.#valid(parameter, full);
    return generated.map((value): Piece => ({ serialized: write(parameter, value), inventedFields }));
  }

  /** Returns the values of a parameter at the limits of its schema. They are tried once. */
  edgesOf(parameter: Parameter): readonly ParameterEdge[] {
    const edges = this.#edges.get(parameter) ?? edgesOf(this.arbitraries, parameter);
    this.#edges.set(parameter, edges);
    return edges;
  }

  /** Returns whether generated values of a parameter are invented identifiers. */
  isInvented(parameter: Parameter): boolean {
    return isIdentifier(this.contract, this.location(parameter));
  }

  /** Returns whether a server may reject generated values of a parameter: identifiers, and those with further rules. */
  isRejectable(parameter: Parameter): boolean {
    return this.isInvented(parameter) || this.#hasFurtherRule(parameter);
  }

  #hasFurtherRule({ schema }: Parameter): boolean {
    return hasFurtherRule(schema) || hasFurtherRule(this.arbitraries.schemas.flat(schema));
  }

  /** Returns the location of a parameter's values; for lists, that of the items. */
  location(parameter: Parameter): FieldLocation {
    const { name, in: location } = parameter;
    const { items } = isList(this.arbitraries.schemas, parameter)
      ? this.arbitraries.schemas.flat(parameter.schema)
      : {};
    const schema = items ?? schemaOf(this.arbitraries.schemas, parameter);
    const component = componentName(schema);
    return { in: location, name, pointer: '', schema, ...(component !== undefined && { component }) };
  }

  #supplied(parameter: Parameter, value: Value): SerializedParameter {
    const plain = typeof value === 'string' ? value : undefined;
    if (plain !== undefined) {
      return write(parameter, isList(this.arbitraries.schemas, parameter) ? [plain] : plain);
    }
    // References to earlier responses are serialized once they are resolved.
    return write(parameter, 'x').map(([name]): SerializedParameter[number] => [name, value]);
  }

  #valid(parameter: Parameter, full: boolean): fc.Arbitrary<unknown> {
    const values = valuesOf(full ? this.arbitraries : this.arbitraries.sparse, parameter);
    const examples = this.#examples(parameter);
    // Other values probably violate the rule.
    if (examples.length > 0 && !full && this.#hasFurtherRule(parameter)) {
      return fc.constantFrom(...examples);
    }
    return examples.length > 0 && full
      ? fc.oneof({ weight: 5, arbitrary: values }, { weight: 1, arbitrary: fc.constantFrom(...examples) })
      : values;
  }

  #examples(parameter: Parameter): unknown[] {
    const valid = (value: unknown) =>
      isSendable(parameter, value) && this.arbitraries.schemas.accepts(parameter.schema, value);
    return parameter.examples.filter(valid);
  }

  /** Creates identifiers that do not exist: long random texts, or numbers close to the maximum of 32 bits. */
  #unknown(parameter: Parameter): fc.Arbitrary<unknown> {
    const { schemas } = this.arbitraries;
    const schema = schemaOf(schemas, parameter);
    const flat = schemas.flat(schema);
    if (kindsOf(flat)[0] === 'integer') {
      const { min, max } = bounds(flat, true);
      const most = Math.min(max, Math.max(min, 2 ** 31 - 1));
      const large = fc.integer({ min: Math.max(min, most - 1000), max: most });
      return flat.multipleOf === undefined ? large : valuesOf(this.arbitraries, parameter);
    }
    if (schemas.accepts(schema, 'a'.repeat(24)) && schemas.accepts(schema, 'unknownunknownunknownxyz')) {
      return LETTERS.filter((text) => schemas.accepts(schema, text));
    }
    const longer = { ...parameter, schema: { allOf: [schema, { minLength: 20 }] } };
    return (
      ifUsable(() => valuesOf(this.arbitraries.sparse, longer)) ??
      valuesOf(this.arbitraries.sparse, parameter)
    );
  }

  /** Creates valid bodies. @throws {UnusableSchema} if a required body cannot be generated */
  body(inputs: RequestInputs, full: boolean): fc.Arbitrary<BodyPiece> {
    const { body } = this.operation;
    const none = fc.constant<BodyPiece>({ inventedFields: [] });
    if (!body || (this.formats.length === 0 && !body.required)) {
      return none;
    }
    const [first] = this.formats;
    if (!first) {
      throw new UnusableSchema(
        `Bodies of ${Object.keys(body.content).join(' or ') || 'no media type'} cannot be generated.`,
      );
    }
    const serialized = full
      ? this.formats.map((format) => this.#bodies(format, inputs, true))
      : [this.#bodies(first, inputs, false)];
    const bodies = fc.oneof(...serialized);
    return body.required || !full
      ? bodies
      : fc.oneof({ weight: 4, arbitrary: bodies }, { weight: 1, arbitrary: none });
  }

  #bodies(format: BodyFormat, inputs: RequestInputs, full: boolean): fc.Arbitrary<BodyPiece> {
    const patches = isJsonPatch(format.mediaType)
      ? patchBodies(this.contract, full ? this.arbitraries : this.arbitraries.sparse, format, this.#patchable)
      : undefined;
    if (patches) {
      return patches;
    }
    const values = bodyValues(full ? this.arbitraries : this.arbitraries.sparse, format);
    const examples = full ? this.#examplesOf(format) : [];
    const examplesOrValues =
      examples.length > 0
        ? fc.oneof({ weight: 5, arbitrary: values }, { weight: 1, arbitrary: fc.constantFrom(...examples) })
        : values;
    const strip = full ? fc.nat({ max: 3 }).map((chance) => chance > 0) : fc.constant(true);
    return fc
      .tuple(examplesOrValues, this.filler(format).chooseValues(inputs), strip)
      .map(([value, picks, leave]) => this.serialized(format, value, picks, leave));
  }

  /** Creates bodies of the first example in the contract, with identifiers of resources of the run. */
  exampleBody(inputs: RequestInputs): fc.Arbitrary<BodyPiece> | undefined {
    for (const format of this.formats) {
      const [example] = this.#examplesOf(format);
      if (example !== undefined) {
        return this.filler(format)
          .chooseValues(inputs)
          .map((picks) => this.serialized(format, example, picks, true));
      }
    }
    return undefined;
  }

  #examplesOf({ schema, examples }: BodyFormat): unknown[] {
    return examples.filter((example) => this.arbitraries.schemas.accepts(schema, example));
  }

  filler(format: BodyFormat): BodyFiller {
    let filler = this.#fillers.get(format);
    if (!filler) {
      filler = new BodyFiller(this.contract, format.schema);
      this.#fillers.set(format, filler);
    }
    return filler;
  }

  /** Serializes a body with its identifiers filled in. Only JSON supports references to earlier responses. */
  serialized(
    format: BodyFormat,
    generated: unknown,
    picks: Parameters<BodyFiller['fill']>[1],
    strip: boolean,
    fault?: readonly (string | number)[],
  ): BodyPiece {
    const filled = this.filler(format).fill(generated, picks, strip, fault);
    const { value, references } = filled;
    // A server may reject content of such a format, for example an invalid image.
    const inventedFields = format.isOpaque ? [...filled.inventedFields, 'body '] : filled.inventedFields;
    const body = writeBody(format, value);
    if ('json' in body) {
      return { body: { ...body, references }, inventedFields };
    }
    return {
      body,
      inventedFields: [...inventedFields, ...references.map(({ at }) => `body /${at.join('/')}`)],
    };
  }
}
