import { alignedLines } from '../../corpus/columns.ts';
import type { IntegrationResults } from './run.ts';

/** Formats results as a table with totals, followed by the reasons. */
export function formatResults(
  results: readonly (readonly [name: string, IntegrationResults])[],
  steps: readonly string[],
): string {
  const cells = results.map(([name, result]) => [name, ...steps.map((step) => result[step]?.state ?? '')]);
  const totals = steps.map((step) => {
    const applied = results.filter(([, result]) => result[step] !== undefined && result[step].state !== '-');
    return `${applied.filter(([, result]) => result[step]?.state === 'ok').length}/${applied.length}`;
  });
  const reasons = results.flatMap(([name, result]) =>
    Object.entries(result).flatMap(([step, outcome]) =>
      'reason' in outcome ? [`${name} · ${step} · ${outcome.state}: ${outcome.reason}`] : [],
    ),
  );
  const table = alignedLines([['integration', ...steps], ...cells, ['total', ...totals]]);
  return [table, ...(reasons.length > 0 ? ['', ...reasons] : [])].join('\n');
}
