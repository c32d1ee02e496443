import fc from 'fast-check';
import type { Contract, Operation } from '../contract/contract.ts';
import type { SchemaArbitraries } from '../schema/arbitraries.ts';
import { UnusableSchema } from '../schema/schema.ts';
import { faultyBodies } from './faulty-bodies.ts';
import { faultyParameters } from './faulty-parameters.ts';
import { type BodyPiece, PartsMaker, type Piece } from './maker.ts';
import { canCarry, schemaOf, write } from './parameters.ts';
import type { Faulty, Given, Parts } from './parts.ts';

export type { Faulty, FaultyParts, Given, Parts, Place } from './parts.ts';
export { idShaped } from './places.ts';

/** Makes requests of one operation that keep to the contract, and ones that do not. */
export class OperationRequests {
  readonly #maker: PartsMaker;

  constructor(contract: Contract, operation: Operation, make: SchemaArbitraries) {
    this.#maker = new PartsMaker(contract, operation, make);
  }

  /**
   * Requests with any valid values, in which what may be left out is there at times.
   * @throws {UnusableSchema} where no request can be made, with the reason
   */
  good(given: Given): fc.Arbitrary<Parts> {
    return this.#maker.parts(given, true);
  }

  /** Requests with nothing in them that can be left out, and simple values. @throws {UnusableSchema} as `good` does */
  least(given: Given): fc.Arbitrary<Parts> {
    return this.#maker.parts(given, false);
  }

  /**
   * Good requests with one value each at a limit of its schema: shortest, longest, least, largest, each member of an
   * enum, odd characters, present and absent. What can be tried but is not promised to be accepted counts as made up.
   * @throws {UnusableSchema} as `good` does
   */
  edges(given: Given): fc.Arbitrary<Parts>[] {
    return [...this.#edgesOfParameters(given), ...this.#edgesOfBodies(given), ...this.#halfCharacters(given)];
  }

  /**
   * Requests that are wrong in one way each; their other parts are as in `least`.
   * @throws {UnusableSchema} as `good` does
   */
  faulty(given: Given): Faulty[] {
    return [...faultyParameters(this.#maker, given), ...faultyBodies(this.#maker, given)];
  }

  #edgesOfParameters(given: Given): fc.Arbitrary<Parts>[] {
    const { operation, make } = this.#maker;
    return operation.parameters
      .filter(({ in: place, name }) => place !== 'path' || given.path[name] === undefined)
      .flatMap((parameter) => {
        const edges = usable(() => make.edgeVariants(schemaOf(make.schemas, parameter)));
        return edges.flatMap(({ values }) => {
          const carried = values.map(({ value }) => value);
          if (!fc.sample(carried, { numRuns: 8, seed: 1 }).some((value) => canCarry(parameter, value)))
            return [];
          const madeUp = this.#maker.isMadeUp(parameter) ? [`${parameter.in} ${parameter.name}`] : [];
          const as = carried
            .filter((value) => canCarry(parameter, value))
            .map((value): Piece => ({ written: write(parameter, value), madeUp }));
          return [this.#maker.parts(given, false, { parameter: { of: parameter, as } })];
        });
      });
  }

  #edgesOfBodies(given: Given): fc.Arbitrary<Parts>[] {
    const { ways, make, operation } = this.#maker;
    const absent = fc.constant<BodyPiece>({ madeUp: [] });
    const none = ways.length > 0 && !operation.body?.required ? [absent] : [];
    const edges = ways
      .filter(({ form }) => form !== 'bytes')
      .flatMap((way) =>
        usable(() => make.edgeVariants(way.schema)).map(({ values }) =>
          fc
            .tuple(values, this.#maker.filler(way).picks(given))
            .map(([{ value }, picks]) => this.#maker.written(way, value, picks, true)),
        ),
      );
    return [...none, ...edges].map((body) => this.#maker.parts(given, false, { body }));
  }

  /** Texts of which JSON can say what Unicode has no character for (RFC 8259, section 8.2), and U+0000. */
  #halfCharacters(given: Given): fc.Arbitrary<Parts>[] {
    const json = this.#maker.ways.find(({ form }) => form === 'json');
    if (!json) return [];
    const bodies = fc
      .tuple(this.#maker.body(given, true), fc.constantFrom(...HALVES), fc.nat())
      .map(([{ body }, half, which]): BodyPiece => {
        const text = body && 'json' in body ? JSON.stringify(body.json) : '""';
        const texts = [...text.matchAll(/"(?:[^"\\]|\\.)*"(?!:)/g)];
        const found = texts[which % Math.max(1, texts.length)];
        const broken = found
          ? `${text.slice(0, found.index)}"${half}"${text.slice(found.index + found[0].length)}`
          : `{"title":"${half}"}`;
        return { body: { mediaType: json.mediaType, text: broken }, madeUp: ['body '] };
      });
    return [this.#maker.parts(given, false, { body: bodies })];
  }
}

/** Half of a surrogate pair, a character that is none, and the one that many databases do not take. */
const HALVES = ['\\ud800', 'a\\udc00', '\\ud83d\\ud83d', '\\ufffe', '\\u0000'];

/** What can be made of a schema; nothing where nothing can. */
function usable<Made>(make: () => Made[]): Made[] {
  try {
    return make();
  } catch (error) {
    if (!(error instanceof UnusableSchema)) throw error;
    return [];
  }
}
