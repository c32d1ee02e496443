import fc from 'fast-check';
import type { Contract, Operation, Parameter } from '../../model/contract/contract.ts';
import type { SchemaArbitraries } from '../../model/schema/arbitraries.ts';
import { ifUsable } from '../../model/schema/schema.ts';
import { faultyBodies, type InvalidBody, invalidBodiesOf } from './faulty-bodies.ts';
import { faultyParameters, type InvalidParameter, invalidParametersOf } from './faulty-parameters.ts';
import { PartsGenerator } from './generator.ts';
import type { PatchableField } from './json-patch.ts';
import { type PairRequests, pairRequests } from './pairs.ts';
import type { BodyPiece, Edge, Faulty, Parts, Piece, RequestInputs } from './parts.ts';

export { isIdentifier } from './identifier-fields.ts';
export type { Edge, Faulty, FaultyParts, FieldLocation, Parts, RequestInputs } from './parts.ts';

/** Generates valid and invalid requests of an operation. */
export class OperationRequests {
  readonly #generator: PartsGenerator;
  #invalidParameters: readonly InvalidParameter[] | undefined;
  #invalidBodies: readonly InvalidBody[] | undefined;

  /** @param patchable fields of the resource that a JSON Patch can set */
  constructor(
    contract: Contract,
    operation: Operation,
    make: SchemaArbitraries,
    patchable: readonly PatchableField[] = [],
  ) {
    this.#generator = new PartsGenerator(contract, operation, make, patchable);
  }

  /**
   * Creates requests with any valid values and optional fields.
   * @throws {UnusableSchema} if no request can be generated, with the reason
   */
  valid(inputs: RequestInputs): fc.Arbitrary<Parts> {
    return this.#generator.parts(inputs, true);
  }

  /** Creates requests with only required fields and simple values. @throws {UnusableSchema} like `valid` */
  minimal(inputs: RequestInputs): fc.Arbitrary<Parts> {
    return this.#generator.parts(inputs, false);
  }

  /** Creates requests like those of `minimal`, with the body of an example of the contract; undefined without one. */
  example(inputs: RequestInputs): fc.Arbitrary<Parts> | undefined {
    const body = this.#generator.exampleBody(inputs);
    return body && this.#generator.parts(inputs, false, { body });
  }

  /**
   * Creates valid requests, each with one value at a limit of its schema: shortest, longest, minimum, maximum, each
   * member of an enum, unusual characters, present and absent. Values that a server may reject are marked as invented.
   * @throws {UnusableSchema} like `valid`
   */
  edges(inputs: RequestInputs): Edge[] {
    return [
      ...this.#edgesOfParameters(inputs),
      ...this.#edgesOfBodies(inputs),
      ...this.#unpairedCharacters(inputs),
    ];
  }

  /**
   * Creates requests with one fault each. Their other parts are like those of `minimal`.
   * @throws {UnusableSchema} like `valid`
   */
  faulty(inputs: RequestInputs): Faulty[] {
    this.#invalidParameters ??= invalidParametersOf(this.#generator);
    this.#invalidBodies ??= invalidBodiesOf(this.#generator);
    return [
      ...faultyParameters(this.#generator, inputs, this.#invalidParameters),
      ...faultyBodies(this.#generator, inputs, this.#invalidBodies),
    ];
  }

  /** Creates requests with every pair of value classes of two parameters. @throws {UnusableSchema} like `valid` */
  pairs(inputs: RequestInputs): PairRequests {
    return pairRequests(this.#generator, inputs);
  }

  #edgesOfParameters(inputs: RequestInputs): Edge[] {
    const { operation, mayChange } = this.#generator;
    // At a limit, an identifier may be that of an existing resource.
    const isPathIdentifier = (parameter: Parameter) =>
      parameter.in === 'path' &&
      (inputs.path[parameter.name] !== undefined || (mayChange && this.#generator.isInvented(parameter)));
    return operation.parameters
      .filter((parameter) => !isPathIdentifier(parameter))
      .flatMap((parameter) => {
        const { in: part, name } = parameter;
        const inventedFields = this.#generator.isRejectable(parameter) ? [`${part} ${name}`] : [];
        return this.#generator.edgesOf(parameter).map(({ keyword, location, values }): Edge => {
          const field = [name, location].filter((segment) => segment !== '').join('.');
          const pieces = values.map((serialized): Piece => ({ serialized, inventedFields }));
          const parts = this.#generator.parts(inputs, false, { parameters: new Map([[parameter, pieces]]) });
          return { name: `${part} ${field}: ${keyword}`, in: part, keyword, parts };
        });
      });
  }

  #edgesOfBodies(inputs: RequestInputs): Edge[] {
    const { formats, arbitraries, operation } = this.#generator;
    const absent = fc.constant<BodyPiece>({ inventedFields: [] });
    const none =
      formats.length > 0 && !operation.body?.required
        ? [this.#bodyEdge(inputs, 'body: absent', 'absent', absent)]
        : [];
    const edges = formats
      .filter(({ form }) => form !== 'bytes')
      .flatMap((format) =>
        (ifUsable(() => arbitraries.edgeVariants(format.schema)) ?? []).map(
          ({ keyword, location, values }) => {
            const body = fc
              .tuple(values, this.#generator.filler(format).chooseValues(inputs))
              .map(([{ value }, picks]) => this.#generator.serialized(format, value, picks, true));
            return this.#bodyEdge(inputs, `body ${location}: ${keyword}`, keyword, body);
          },
        ),
      );
    return [...none, ...edges];
  }

  /** Creates bodies with unpaired surrogates, which JSON can represent (RFC 8259, section 8.2), and U+0000. */
  #unpairedCharacters(inputs: RequestInputs): Edge[] {
    const json = this.#generator.formats.find(({ form }) => form === 'json');
    if (!json) {
      return [];
    }
    const bodies = fc
      .tuple(this.#generator.body(inputs, true), fc.constantFrom(...UNPAIRED_CHARACTERS), fc.nat())
      .map(([{ body }, character, which]): BodyPiece => {
        const text = body && 'json' in body ? JSON.stringify(body.json) : '""';
        const texts = [...text.matchAll(/"(?:[^"\\]|\\.)*"(?!:)/g)];
        const target = texts[which % Math.max(1, texts.length)];
        const broken = target
          ? `${text.slice(0, target.index)}"${character}"${text.slice(target.index + target[0].length)}`
          : `{"title":"${character}"}`;
        return { body: { mediaType: json.mediaType, text: broken }, inventedFields: ['body '] };
      });
    return [this.#bodyEdge(inputs, 'body: unpaired characters', 'unpaired characters', bodies)];
  }

  #bodyEdge(inputs: RequestInputs, name: string, keyword: string, body: fc.Arbitrary<BodyPiece>): Edge {
    return { name, in: 'body', keyword, parts: this.#generator.parts(inputs, false, { body }) };
  }
}

/** Unpaired surrogates, a noncharacter, and U+0000, which many databases reject. */
const UNPAIRED_CHARACTERS = ['\\ud800', 'a\\udc00', '\\ud83d\\ud83d', '\\ufffe', '\\u0000'];
