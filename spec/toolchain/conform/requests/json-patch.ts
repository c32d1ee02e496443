import fc from 'fast-check';
import { formatPointer } from '../../../../server/contract/json-values.ts';
import type { Json } from '../../document.ts';
import type { Contract } from '../../model/contract/contract.ts';
import type { SchemaArbitraries } from '../../model/schema/arbitraries.ts';
import { ifUsable, type Schema } from '../../model/schema/schema.ts';
import type { BodyFormat } from './bodies.ts';
import { BodyFiller } from './fill.ts';
import type { BodyPiece } from './parts.ts';

/** A field of a resource that a JSON Patch can set. */
export interface PatchableField {
  name: string;
  schema: Schema;
  /** Whether the resource always has the field, so that it can be replaced. */
  isRequired: boolean;
}

/**
 * Creates JSON Patches that set one field of a resource. The schema of a patch does not specify which paths and values
 * apply to a resource, so that others are usually rejected.
 *
 * @returns undefined if the schema of the body accepts none
 */
export function patchBodies(
  contract: Contract,
  arbitraries: SchemaArbitraries,
  { mediaType, schema }: BodyFormat,
  fields: readonly PatchableField[],
): fc.Arbitrary<BodyPiece> | undefined {
  const { schemas } = arbitraries;
  const bodies = fields.flatMap((field): fc.Arbitrary<BodyPiece>[] => {
    const values = ifUsable(() => arbitraries.validValue(field.schema));
    const filler = new BodyFiller(contract, { type: 'object', properties: { [field.name]: field.schema } });
    const path = formatPointer([field.name]);
    const [sample] = values ? fc.sample(values, { numRuns: 1, seed: 1 }) : [];
    const op = operationsOn(field).find((name) =>
      schemas.accepts(schema, [{ op: name, path, value: sample }]),
    );
    if (!values || op === undefined) {
      return [];
    }
    return [
      values.map((value) => {
        const { inventedFields } = filler.fill({ [field.name]: value }, new Map(), false);
        // Generated values are JSON.
        const json = [{ op, path, value: value as Json }];
        return { body: { mediaType, json, references: [] }, inventedFields };
      }),
    ];
  });
  return bodies.length === 0 ? undefined : fc.oneof(...bodies);
}

/** Only existing fields can be replaced (RFC 6902, 4.3); adding a field that exists replaces it. */
const operationsOn = ({ isRequired }: PatchableField): string[] =>
  isRequired ? ['replace', 'add'] : ['add'];
