import fc from 'fast-check';
import type { Contract, Operation } from '../contract/contract.ts';
import type { SchemaArbitraries } from '../schema/arbitraries.ts';
import { UnusableSchema } from '../schema/schema.ts';
import { faultyBodies } from './faulty-bodies.ts';
import { faultyParameters } from './faulty-parameters.ts';
import { type BodyPiece, PartsMaker, type Piece } from './maker.ts';
import { canCarry, schemaOf, write } from './parameters.ts';
import type { Faulty, Parts, RequestInputs } from './parts.ts';

export { isIdentifier } from './identifier-fields.ts';
export type { Faulty, FaultyParts, FieldLocation, Parts, RequestInputs } from './parts.ts';

/** Generates valid and invalid requests of an operation. */
export class OperationRequests {
  readonly #maker: PartsMaker;

  constructor(contract: Contract, operation: Operation, make: SchemaArbitraries) {
    this.#maker = new PartsMaker(contract, operation, make);
  }

  /**
   * Creates requests with any valid values and optional fields.
   * @throws {UnusableSchema} if no request can be generated, with the reason
   */
  good(inputs: RequestInputs): fc.Arbitrary<Parts> {
    return this.#maker.parts(inputs, true);
  }

  /** Creates requests with only required fields and simple values. @throws {UnusableSchema} like `good` */
  least(inputs: RequestInputs): fc.Arbitrary<Parts> {
    return this.#maker.parts(inputs, false);
  }

  /**
   * Creates valid requests, each with one value at a limit of its schema: shortest, longest, minimum, maximum, each
   * member of an enum, unusual characters, present and absent. Values that a server may reject are marked as invented.
   * @throws {UnusableSchema} like `good`
   */
  edges(inputs: RequestInputs): fc.Arbitrary<Parts>[] {
    return [
      ...this.#edgesOfParameters(inputs),
      ...this.#edgesOfBodies(inputs),
      ...this.#halfCharacters(inputs),
    ];
  }

  /**
   * Creates requests with one fault each. Their other parts are like those of `least`.
   * @throws {UnusableSchema} like `good`
   */
  faulty(inputs: RequestInputs): Faulty[] {
    return [...faultyParameters(this.#maker, inputs), ...faultyBodies(this.#maker, inputs)];
  }

  #edgesOfParameters(inputs: RequestInputs): fc.Arbitrary<Parts>[] {
    const { operation, make } = this.#maker;
    return operation.parameters
      .filter(({ in: location, name }) => location !== 'path' || inputs.path[name] === undefined)
      .flatMap((parameter) => {
        const edges = usable(() => make.edgeVariants(schemaOf(make.schemas, parameter)));
        return edges.flatMap(({ values }) => {
          const carried = values.map(({ value }) => value);
          if (!fc.sample(carried, { numRuns: 8, seed: 1 }).some((value) => canCarry(parameter, value))) {
            return [];
          }
          const madeUp = this.#maker.isMadeUp(parameter) ? [`${parameter.in} ${parameter.name}`] : [];
          const as = carried
            .filter((value) => canCarry(parameter, value))
            .map((value): Piece => ({ written: write(parameter, value), madeUp }));
          return [this.#maker.parts(inputs, false, { parameter: { of: parameter, as } })];
        });
      });
  }

  #edgesOfBodies(inputs: RequestInputs): fc.Arbitrary<Parts>[] {
    const { ways, make, operation } = this.#maker;
    const absent = fc.constant<BodyPiece>({ madeUp: [] });
    const none = ways.length > 0 && !operation.body?.required ? [absent] : [];
    const edges = ways
      .filter(({ form }) => form !== 'bytes')
      .flatMap((way) =>
        usable(() => make.edgeVariants(way.schema)).map(({ values }) =>
          fc
            .tuple(values, this.#maker.filler(way).picks(inputs))
            .map(([{ value }, picks]) => this.#maker.written(way, value, picks, true)),
        ),
      );
    return [...none, ...edges].map((body) => this.#maker.parts(inputs, false, { body }));
  }

  /** Creates bodies with unpaired surrogates, which JSON can represent (RFC 8259, section 8.2), and U+0000. */
  #halfCharacters(inputs: RequestInputs): fc.Arbitrary<Parts>[] {
    const json = this.#maker.ways.find(({ form }) => form === 'json');
    if (!json) {
      return [];
    }
    const bodies = fc
      .tuple(this.#maker.body(inputs, true), fc.constantFrom(...HALVES), fc.nat())
      .map(([{ body }, half, which]): BodyPiece => {
        const text = body && 'json' in body ? JSON.stringify(body.json) : '""';
        const texts = [...text.matchAll(/"(?:[^"\\]|\\.)*"(?!:)/g)];
        const target = texts[which % Math.max(1, texts.length)];
        const broken = target
          ? `${text.slice(0, target.index)}"${half}"${text.slice(target.index + target[0].length)}`
          : `{"title":"${half}"}`;
        return { body: { mediaType: json.mediaType, text: broken }, madeUp: ['body '] };
      });
    return [this.#maker.parts(inputs, false, { body: bodies })];
  }
}

/** Unpaired surrogates, a noncharacter, and U+0000, which many databases reject. */
const HALVES = ['\\ud800', 'a\\udc00', '\\ud83d\\ud83d', '\\ufffe', '\\u0000'];

/** Returns generated values; an empty array if the schema is unusable. */
function usable<Generated>(make: () => Generated[]): Generated[] {
  try {
    return make();
  } catch (error) {
    if (!(error instanceof UnusableSchema)) {
      throw error;
    }
    return [];
  }
}
