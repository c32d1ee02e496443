import fc from 'fast-check';
import type { Parameter } from '../../model/contract/contract.ts';
import { coveringChoices, pairCount } from './covering.ts';
import type { PartsGenerator } from './generator.ts';
import type { BodyPiece, Parts, Piece, RequestInputs } from './parts.ts';

/** Requests that cover every pair of value classes of two parameters. */
export interface PairRequests {
  requests: fc.Arbitrary<Parts>[];
  /** Number of pairs. */
  total: number;
}

/** Maximum number of classes of a parameter. */
const MAX_CLASSES = 12;
/** Class of edge values that are too long to be combined. */
const LONG_TEXT = 'long text';

/**
 * Creates valid requests for pairs of value classes. The classes of a parameter are: absent, any value, and each value
 * at a limit of its schema or member of its enum. The body is a parameter, too: absent, minimal, or any.
 * @throws {UnusableSchema} like `PartsGenerator.parts`
 */
export function pairRequests(generator: PartsGenerator, inputs: RequestInputs): PairRequests {
  const parameters = generator.operation.parameters
    .map((parameter) => ({ parameter, classes: classesOf(generator, parameter, inputs) }))
    .filter(({ classes }) => classes.length > 1);
  const bodies = bodyClassesOf(generator, inputs);
  const counts = [
    ...parameters.map(({ classes }) => classes.length),
    ...(bodies.length > 1 ? [bodies.length] : []),
  ];
  const requests = coveringChoices(counts).map((choice) => {
    const body = bodies.length > 1 ? bodies[choice.at(-1) ?? 0] : undefined;
    const replaced = new Map(
      parameters.flatMap(({ parameter, classes }, at): [Parameter, fc.Arbitrary<Piece>][] => {
        const pieces = classes[choice[at] ?? 0];
        return pieces ? [[parameter, pieces]] : [];
      }),
    );
    return generator
      .parts(inputs, false, { parameters: replaced, ...(body && { body }) })
      .map((parts): Parts => ({ ...parts, choice }));
  });
  return { requests, total: pairCount(counts) };
}

function classesOf(
  generator: PartsGenerator,
  parameter: Parameter,
  inputs: RequestInputs,
): fc.Arbitrary<Piece>[] {
  const absent = fc.constant<Piece>({ serialized: [], inventedFields: [] });
  const ordinary = generator.ordinary(parameter, inputs);
  if (!ordinary) {
    return [absent];
  }
  const edges = generator.isRejectable(parameter)
    ? []
    : generator.edgesOf(parameter).filter(({ keyword }) => keyword !== LONG_TEXT);
  const isEnumerated =
    edges.length > 0 && edges.every(({ keyword }) => /^(enum |true$|false$)/.test(keyword));
  return [
    ...(parameter.required ? [] : [absent]),
    ...(isEnumerated ? [] : [ordinary]),
    ...edges.map(({ values }) => values.map((serialized): Piece => ({ serialized, inventedFields: [] }))),
  ].slice(0, MAX_CLASSES);
}

function bodyClassesOf(generator: PartsGenerator, inputs: RequestInputs): fc.Arbitrary<BodyPiece>[] {
  const { body } = generator.operation;
  if (!body || generator.formats.length === 0) {
    return [];
  }
  const absent = fc.constant<BodyPiece>({ inventedFields: [] });
  return [
    ...(body.required ? [] : [absent]),
    generator.body(inputs, false),
    generator.body(inputs, true).filter((piece) => piece.body !== undefined),
  ];
}
