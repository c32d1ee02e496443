import { alignedLines } from '../../corpus/columns.ts';
import { type Difference, KINDS, type Kind, LISTED } from './compare.ts';

/** Maximum number of operations that a listed difference names. */
const MAX_NAMED_OPERATIONS = 3;

/** Formats differences as a table by operation, followed by those of the listed kinds. */
export function formatDifferences(differences: readonly Difference[]): string {
  // `Object.keys` returns strings.
  const kinds = Object.keys(KINDS) as Kind[];
  const columns = kinds.filter((kind) => kind !== 'missing');
  const operations = [...new Set(differences.flatMap((difference) => difference.operations))]
    .filter((operation) => !isMissing(differences, operation))
    .toSorted();
  const count = (kind: Kind, operation?: string) =>
    String(
      differences.filter(
        (difference) =>
          difference.kind === kind && (operation === undefined || difference.operations.includes(operation)),
      ).length,
    );
  const rows = operations.map((operation) => [operation, ...columns.map((kind) => count(kind, operation))]);
  const table = alignedLines([
    ['operation', ...columns],
    ...rows,
    ['total', ...columns.map((kind) => count(kind))],
  ]);
  const lists = LISTED.map((kind) => {
    const listed = differences.filter((difference) => difference.kind === kind);
    const lines = listed.map((difference) => `  ${difference.text}${reach(difference)}`);
    return [`${listed.length} ${KINDS[kind]}:`, ...lines.toSorted()].join('\n');
  });
  return [table, ...lists].join('\n\n');
}

const isMissing = (differences: readonly Difference[], operation: string): boolean =>
  differences.some(({ kind, operations }) => kind === 'missing' && operations.includes(operation));

function reach({ text, operations }: Difference): string {
  const named = operations.filter((operation) => !text.startsWith(operation));
  return named.length === 0
    ? ''
    : ` (${named.slice(0, MAX_NAMED_OPERATIONS).join(', ')}${named.length > MAX_NAMED_OPERATIONS ? `, ${named.length - MAX_NAMED_OPERATIONS} more` : ''})`;
}
