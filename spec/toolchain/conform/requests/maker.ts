import fc from 'fast-check';
import type { Contract, Operation, Parameter } from '../contract/contract.ts';
import type { Body, Value } from '../plan/plan.ts';
import type { SchemaArbitraries } from '../schema/arbitraries.ts';
import { bounds } from '../schema/numbers.ts';
import { kindsOf, UnusableSchema } from '../schema/schema.ts';
import { type BodyWay, bodyValues, waysOf, writeBody } from './bodies.ts';
import { BodyFiller } from './fill.ts';
import { canCarry, isList, schemaOf, valuesOf, type Written, write } from './parameters.ts';
import type { Given, Parts, Place } from './parts.ts';
import { idShaped, namedBy } from './places.ts';

/** How a parameter is written, or a body, with the places that hold an invented value. */
export interface Piece {
  written: Written;
  madeUp: string[];
}
/** A body, if there is one. */
export interface BodyPiece {
  body?: Body;
  headers?: [name: string, value: Value][];
  madeUp: string[];
}

/** What departs from good parts. */
export interface Change {
  /** Written in place of this parameter. */
  parameter?: { of: Parameter; as: fc.Arbitrary<Piece> };
  /** Pairs of the query beside those of the parameters. */
  query?: fc.Arbitrary<Written>;
  body?: fc.Arbitrary<BodyPiece>;
}

const LETTERS = fc.string({
  unit: fc.constantFrom(...'abcdefghijklmnopqrstuvwxyz'),
  minLength: 24,
  maxLength: 24,
});

/** Makes the parts of requests of one operation, each of which can be replaced. */
export class PartsMaker {
  readonly contract: Contract;
  readonly operation: Operation;
  readonly make: SchemaArbitraries;
  /** How its body can be written; none where it has no body, or only such as nothing can be made of. */
  readonly ways: readonly BodyWay[];
  readonly #fillers = new Map<BodyWay, BodyFiller>();

  constructor(contract: Contract, operation: Operation, make: SchemaArbitraries) {
    this.contract = contract;
    this.operation = operation;
    this.make = make;
    this.ways = operation.body ? waysOf(make.schemas, operation.body.content) : [];
  }

  /**
   * @param full whether what may be left out is there at times, and values are any; else they are as simple as can be
   * @throws {UnusableSchema} where a value that must be there cannot be made
   */
  parts(given: Given, full: boolean, change: Change = {}): fc.Arbitrary<Parts> {
    const parameters = this.operation.parameters.map((parameter) => {
      const own = change.parameter?.of === parameter ? change.parameter.as : undefined;
      return (own ?? this.#parameter(parameter, given, full)).map((piece) => ({ parameter, ...piece }));
    });
    return fc
      .tuple(
        fc.tuple(...parameters),
        change.query ?? fc.constant<Written>([]),
        change.body ?? this.body(given, full),
      )
      .map(([pieces, query, { body, headers = [], madeUp }]) => {
        const of = (place: Parameter['in']) =>
          pieces.filter(({ parameter }) => parameter.in === place).flatMap(({ written }) => written);
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
          madeUp: [...pieces.flatMap((piece) => piece.madeUp), ...madeUp],
        };
      });
  }

  #parameter(parameter: Parameter, given: Given, full: boolean): fc.Arbitrary<Piece> {
    const none = fc.constant<Piece>({ written: [], madeUp: [] });
    const { name, in: place, required } = parameter;
    const known = place === 'path' ? given.path[name] : undefined;
    if (known !== undefined) return fc.constant({ written: [[name, known]], madeUp: [] });
    if (!required && !full) return none;
    const asked = this.place(parameter);
    const supplied = idShaped(this.contract, asked);
    const values = supplied ? given.values?.(asked) : undefined;
    if (values) {
      const pieces = values.map(
        (value): Piece => ({ written: this.#supplied(parameter, value), madeUp: [] }),
      );
      return required ? pieces : fc.oneof(none, pieces);
    }
    // What would have to be made up is left out where it may be.
    if (supplied && !required) return none;
    const madeUp = supplied ? [`${place} ${name}`] : [];
    const made = place === 'path' && supplied ? this.#unknown(parameter) : this.#valid(parameter, full);
    const pieces = made.map((value): Piece => ({ written: write(parameter, value), madeUp }));
    return required ? pieces : fc.oneof(none, pieces);
  }

  /** Whether values of a parameter that are made here name something, and do not exist. */
  isMadeUp(parameter: Parameter): boolean {
    return idShaped(this.contract, this.place(parameter));
  }

  /** The place of a parameter's values; for lists, of their items. */
  place(parameter: Parameter): Place {
    const { name, in: place } = parameter;
    const { items } = isList(this.make.schemas, parameter) ? this.make.schemas.flat(parameter.schema) : {};
    const schema = items ?? schemaOf(this.make.schemas, parameter);
    const component = namedBy(schema);
    return { in: place, name, pointer: '', schema, ...(component !== undefined && { component }) };
  }

  #supplied(parameter: Parameter, value: Value): Written {
    const plain = typeof value === 'string' ? value : undefined;
    if (plain !== undefined) return write(parameter, isList(this.make.schemas, parameter) ? [plain] : plain);
    // What an earlier answer holds is put in as it is, encoded when it is known.
    return write(parameter, 'x').map(([name]): Written[number] => [name, value]);
  }

  #valid(parameter: Parameter, full: boolean): fc.Arbitrary<unknown> {
    const values = valuesOf(full ? this.make : this.make.sparse, parameter);
    const examples = this.#examples(parameter);
    return examples.length > 0 && full
      ? fc.oneof({ weight: 5, arbitrary: values }, { weight: 1, arbitrary: fc.constantFrom(...examples) })
      : values;
  }

  #examples(parameter: Parameter): unknown[] {
    const valid = (value: unknown) =>
      canCarry(parameter, value) && this.make.schemas.accepts(parameter.schema, value);
    return parameter.examples.filter(valid);
  }

  /** Values which no entity that there is can be named by: long texts at random, or numbers close to the largest. */
  #unknown(parameter: Parameter): fc.Arbitrary<unknown> {
    const { schemas } = this.make;
    const schema = schemaOf(schemas, parameter);
    const flat = schemas.flat(schema);
    if (kindsOf(flat)[0] === 'integer') {
      const { min, max } = bounds(flat, true);
      const large = fc.integer({ min: Math.max(min, max - 1000), max });
      return flat.multipleOf === undefined ? large : valuesOf(this.make, parameter);
    }
    if (schemas.accepts(schema, 'a'.repeat(24)) && schemas.accepts(schema, 'unknownunknownunknownxyz'))
      return LETTERS.filter((text) => schemas.accepts(schema, text));
    try {
      return valuesOf(this.make.sparse, { ...parameter, schema: { allOf: [schema, { minLength: 20 }] } });
    } catch (error) {
      if (!(error instanceof UnusableSchema)) throw error;
      return valuesOf(this.make.sparse, parameter);
    }
  }

  /** The bodies of good requests. @throws {UnusableSchema} where one must be there and cannot be made */
  body(given: Given, full: boolean): fc.Arbitrary<BodyPiece> {
    const { body } = this.operation;
    const none = fc.constant<BodyPiece>({ madeUp: [] });
    if (!body || (this.ways.length === 0 && !body.required)) return none;
    const [first] = this.ways;
    if (!first)
      throw new UnusableSchema(
        `Bodies of ${Object.keys(body.content).join(' or ') || 'no media type'} cannot be generated.`,
      );
    const written = full
      ? this.ways.map((way) => this.#bodies(way, given, true))
      : [this.#bodies(first, given, false)];
    const bodies = fc.oneof(...written);
    return body.required || !full
      ? bodies
      : fc.oneof({ weight: 4, arbitrary: bodies }, { weight: 1, arbitrary: none });
  }

  #bodies(way: BodyWay, given: Given, full: boolean): fc.Arbitrary<BodyPiece> {
    const values = bodyValues(full ? this.make : this.make.sparse, way);
    const examples = full ? way.examples.filter((one) => this.make.schemas.accepts(way.schema, one)) : [];
    const some =
      examples.length > 0
        ? fc.oneof({ weight: 5, arbitrary: values }, { weight: 1, arbitrary: fc.constantFrom(...examples) })
        : values;
    const strip = full ? fc.nat({ max: 3 }).map((chance) => chance > 0) : fc.constant(true);
    return fc
      .tuple(some, this.filler(way).picks(given), strip)
      .map(([value, picks, leave]) => this.written(way, value, picks, leave));
  }

  filler(way: BodyWay): BodyFiller {
    let filler = this.#fillers.get(way);
    if (!filler) {
      filler = new BodyFiller(this.contract, way.schema);
      this.#fillers.set(way, filler);
    }
    return filler;
  }

  /** A body with its places filled; only JSON takes values of earlier answers. */
  written(
    way: BodyWay,
    made: unknown,
    picks: Parameters<BodyFiller['fill']>[1],
    strip: boolean,
    fault?: readonly (string | number)[],
  ): BodyPiece {
    const { value, references, madeUp } = this.filler(way).fill(made, picks, strip, fault);
    const body = writeBody(way, value);
    if ('json' in body) return { body: { ...body, references }, madeUp };
    return { body, madeUp: [...madeUp, ...references.map(({ at }) => `body /${at.join('/')}`)] };
  }
}
