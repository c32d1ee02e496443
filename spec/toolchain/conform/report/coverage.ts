import type { Coverage, OperationCoverage } from './finding.ts';

/**
 * Formats the coverage per operation as a table: statuses, missing statuses, pairs of values as `tried/all`, and
 * parameters as `valid/invalid`.
 */
export function coverageLines(coverage: Coverage): string[] {
  const rows = coverage
    .filter(({ state }) => state === 'tested')
    .map((entry) => [entry.operation, statusesOf(entry), pairsOf(entry), parametersOf(entry)]);
  if (rows.length === 0) {
    return [];
  }
  const head = ['operation', 'statuses', 'pairs', 'parameters: valid/invalid'];
  const [first = 0, second = 0, third = 0] = [0, 1, 2].map((column) =>
    Math.max(...[head, ...rows].map((row) => row[column]?.length ?? 0)),
  );
  return [head, ...rows].map(([operation = '', statuses = '', pairs = '', parameters = '']) =>
    `${operation.padEnd(first)}  ${statuses.padEnd(second)}  ${pairs.padEnd(third)}  ${parameters}`.trimEnd(),
  );
}

function statusesOf({ statuses, missing }: OperationCoverage): string {
  const returned = Object.entries(statuses).sort(([a], [b]) => a.localeCompare(b));
  return [
    ...returned.map(([status, count]) => `${status}×${count}`),
    ...missing.map((status) => `no ${status}`),
  ].join(' ');
}

function parametersOf({ parameters }: OperationCoverage): string {
  return Object.entries(parameters)
    .map(([name, { valid, invalid }]) => `${name} ${valid}/${invalid}`)
    .join(', ');
}

const pairsOf = ({ pairs: { tried, total } }: OperationCoverage): string =>
  total === 0 ? '' : `${tried}/${total}`;

/** Returns the share of tried pairs of value classes in percent; undefined if there are none. */
export function pairShare(coverage: Coverage): { tried: number; total: number; percent: number } | undefined {
  const tried = coverage.reduce((sum, { pairs }) => sum + pairs.tried, 0);
  const total = coverage.reduce((sum, { pairs }) => sum + pairs.total, 0);
  return total === 0 ? undefined : { tried, total, percent: Math.floor((100 * tried) / total) };
}

/** Summarizes the coverage: the number of tested operations, and of those that succeeded at least once. */
export function coverageSummary(coverage: Coverage): string {
  const count = (state: OperationCoverage['state']) =>
    coverage.filter((entry) => entry.state === state).length;
  const succeeded = coverage.filter(({ statuses }) =>
    Object.keys(statuses).some((status) => /^[123]/.test(status)),
  );
  const share = pairShare(coverage);
  const pairs = share
    ? ` ${share.percent} % of the pairs of values of two parameters tried (${share.tried} of ${share.total}).`
    : '';
  const rest = [
    [count('not-implemented'), 'not implemented'],
    [count('not-tested'), 'not tested'],
  ].flatMap(([number, text]) => (number === 0 ? [] : [`, ${number} ${text}`]));
  return `${coverage.length} operations: ${count('tested')} tested, ${succeeded.length} with a success${rest.join('')}.${pairs}`;
}
