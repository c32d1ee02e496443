import type { Program } from '@typespec/compiler';
import { getOpenAPI3, type OpenAPI3ServiceRecord } from '@typespec/openapi3';
import { messageOf } from '../../../server/contract/errors.ts';
import type { Problem } from '../problem.ts';
import { restoreNames, withoutInheritedNames } from './inherited-names.ts';

/** Options of the emitter. */
export type EmitterOptions = NonNullable<Parameters<typeof getOpenAPI3>[1]>;

/** What the emitter emitted. */
export interface Emission {
  records: OpenAPI3ServiceRecord[];
  /** Faults of the emitter. */
  problems: Problem[];
}

/** States of the compiler that contain the examples of a contract. */
const EXAMPLES = [Symbol.for('TypeSpec.examples'), Symbol.for('TypeSpec.opExamples')];

/**
 * Emits the OpenAPI documents of a program. The emitter throws for some contracts, usually because of an example; then it
 * emits the contract without examples.
 */
export async function emit(program: Program, options: EmitterOptions): Promise<Emission> {
  try {
    return { records: await records(program, options), problems: [] };
  } catch (error) {
    const examples = EXAMPLES.map((key) => program.stateMap(key));
    if (examples.every(({ size }) => size === 0)) {
      return { records: [], problems: [failure(error)] };
    }
    for (const map of examples) {
      map.clear();
    }
    try {
      const emitted = await records(program, options);
      const message = `The emitter failed because of an example (${reasonOf(error)}), so the document has none. Correct the values of @example and @opExample, or remove them.`;
      return { records: emitted, problems: [{ severity: 'warning', code: 'emitter', message }] };
    } catch (other) {
      return { records: [], problems: [failure(other)] };
    }
  }
}

/** Calls the emitter. */
async function records(program: Program, options: EmitterOptions): Promise<OpenAPI3ServiceRecord[]> {
  const { result, renamed } = await withoutInheritedNames(program, () => getOpenAPI3(program, options));
  return result.map((record) =>
    record.versioned
      ? {
          ...record,
          versions: record.versions.map((version) => ({
            ...version,
            document: restoreNames(version.document, renamed),
          })),
        }
      : { ...record, document: restoreNames(record.document, renamed) },
  );
}

function failure(error: unknown): Problem {
  return {
    severity: 'error',
    code: 'emitter',
    message: `The emitter @typespec/openapi3 failed: ${reasonOf(error)}. This is a fault of the emitter: express differently what you changed last.`,
  };
}

function reasonOf(error: unknown): string {
  const text = messageOf(error);
  return (text.split('\n')[0] ?? '').replace(/\.$/, '');
}
