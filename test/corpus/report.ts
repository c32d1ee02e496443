import { alignedLines } from './columns.ts';
import type { DocumentResult } from './run-document.ts';
import type { StageName } from './stages.ts';

type Results = readonly (readonly [name: string, result: DocumentResult])[];

/** Formats results as a table, with a line of totals. */
export function formatTable(results: Results, stages: readonly StageName[]): string {
  const rows = results.map(([name, result]) => [
    name,
    ...stages.map((stage) => cellOf(result[stage])),
    String(totalOf(result)),
    String(refusalsOf(result).length),
  ]);
  const passed = stages.map(
    (stage) =>
      `${results.filter(([, result]) => result[stage]?.problems.length === 0).length}/${results.length}`,
  );
  const sum = (count: (result: DocumentResult) => number) =>
    String(results.reduce((total, [, result]) => total + count(result), 0));
  const total = ['total', ...passed, sum(totalOf), sum((result) => refusalsOf(result).length)];
  const lines = [['document', ...stages, 'operations', '501'], ...rows, total];
  return alignedLines(lines);
}

const cellOf = (stage: DocumentResult[StageName]): string =>
  stage === undefined ? '-' : stage.problems.length === 0 ? 'ok' : `${stage.problems.length} failed`;

const totalOf = ({ router }: DocumentResult): number => router?.operations?.total ?? 0;
const refusalsOf = ({ router }: DocumentResult) => router?.operations?.refused ?? [];

/** Formats the reasons of the operations with the status 501, most frequent first. */
export function formatReasons(results: Results): string {
  const counts = new Map<string, { operations: number; documents: Set<string> }>();
  for (const [name, result] of results) {
    for (const reason of refusalsOf(result).flatMap(({ reasons }) => [...new Set(reasons.map(reasonOf))])) {
      const count = counts.get(reason) ?? { operations: 0, documents: new Set() };
      count.operations += 1;
      count.documents.add(name);
      counts.set(reason, count);
    }
  }
  return [...counts]
    .sort(([, a], [, b]) => b.operations - a.operations)
    .map(
      ([reason, { operations, documents }]) =>
        `${String(operations).padStart(5)} operations at 501 in ${documents.size} documents: ${reason}`,
    )
    .join('\n');
}

/** Returns a reason without the names of a document. */
const reasonOf = (reason: string): string =>
  reason
    .replaceAll(/#\/[^\s:]+/g, '#/…')
    .replaceAll(/\b(parameter|property|cookie|header|field|scheme|path|pattern) [^\s,;:]+/g, '$1 …')
    .slice(0, 160);
