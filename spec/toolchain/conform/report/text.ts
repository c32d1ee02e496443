import { type Context, curlOf, endOf, section } from './context.ts';
import { coverageLines, coverageSummary } from './coverage.ts';
import type { Finding, Outcome } from './finding.ts';
import { stepLines } from './steps.ts';

/** A run for people: what was found and how to see it again, then what was tried. Ends without a line feed. */
export function textReport(outcome: Outcome, context: Context): string {
  const { findings, coverage, leftOut, leftBehind, seed } = outcome;
  const { title, version } = context.contract;
  const lines = [
    `${context.url} against ${title} ${version}`.trim(),
    endOf(outcome),
    coverageSummary(coverage),
  ];
  for (const [place, finding] of findings.entries())
    lines.push('', ...findingLines(finding, place + 1, context));
  lines.push(...section('Coverage', coverageLines(coverage)));
  lines.push(
    ...section(
      'Not implemented (501), which is no failure',
      coverage.filter(({ state }) => state === 'not-implemented').map(({ operation }) => operation),
    ),
    ...section(
      'Never tested',
      coverage
        .filter(({ state }) => state === 'never')
        .map(({ operation, why }) => `${operation}: ${why ?? 'for want of time or requests'}`),
    ),
    ...section(
      'Refusals of good input that were not judged, because the contract does not tell why they came',
      coverage
        .filter(({ unjudged }) => unjudged > 0)
        .map(({ operation, unjudged }) => `${operation}: ${unjudged}`),
    ),
    ...section('Checks left out', leftOut),
    ...section('Left behind on the server, because it could not be deleted', leftBehind),
  );
  lines.push('', verdictOf(findings.length), `The same run again (seed ${seed}): ${context.again}`);
  return lines.join('\n');
}

const verdictOf = (failures: number): string =>
  failures === 0
    ? 'Nothing was found.'
    : `${failures} ${failures === 1 ? 'failure was' : 'failures were'} found.`;

function findingLines(finding: Finding, place: number, context: Context): string[] {
  const { operation, check, message, says, plan, exchanges, alsoAt, repeatable } = finding;
  const also = alsoAt.length === 0 ? [] : [`Also at: ${alsoAt.join(', ')}`];
  const once = repeatable
    ? []
    : ['It did not come again when the same requests were sent anew: it hangs on what went before.'];
  return [
    `${place}. ${operation}: ${check}`,
    ...[message, `The contract: ${says}`, ...also, ...once, `Tried: ${plan.title}`].map(
      (line) => `   ${line}`,
    ),
    ...exchanges.flatMap((exchange, index) => stepLines(exchange, index + 1)).map((line) => `     ${line}`),
    '   To paste into bash:',
    ...curlOf(finding, context).map((line) => `     ${line}`),
  ];
}
