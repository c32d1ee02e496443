import {
  describePlace,
  refusalReasons,
  type UnsupportedPlace,
  unsupportedPlaces,
} from '../../../server/contract/request/values/unsupported-places.ts';
import { METHODS, type OpenApiDocument } from '../document.ts';
import { formatProblem, type Problem, UNSUPPORTED } from '../problem.ts';
import type { Project } from '../project.ts';

type ServedDocument = Parameters<typeof unsupportedPlaces>[0];

/** Returns notes about all places that the server runtime cannot serve, and why it refuses operations, by their id. */
export function unsupportedOperations(
  { contract }: Pick<Project, 'contract'>,
  document: OpenApiDocument,
): { notes: Problem[]; reasons: Map<string, string> } {
  // Both interfaces describe parts of the same document.
  const served = document as ServedDocument;
  const notes = unsupportedPlaces(served).map((place) => noteOf(contract, place));
  const byOperation = refusalReasons(served);
  const reasons = new Map<string, string>();
  for (const [path, item] of Object.entries(document.paths)) {
    for (const method of METHODS) {
      const id = item[method]?.operationId;
      const reason = byOperation.get(`${method} ${path}`);
      if (id !== undefined && reason !== undefined) {
        reasons.set(id, reason);
      }
    }
  }
  return { notes, reasons };
}

const noteOf = (file: string, place: UnsupportedPlace): Problem => ({
  severity: 'note',
  code: UNSUPPORTED,
  message: `${describePlace(place)} The server responds with 501.`,
  file,
});

/** Returns the notes among the problems of a contract, each as a line. */
export const unsupportedLines = ({ problems }: { problems: readonly Problem[] }): string[] =>
  problems.filter(({ code }) => code === UNSUPPORTED).map(formatProblem);
