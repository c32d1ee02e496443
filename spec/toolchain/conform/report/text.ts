import { knownLine } from './baseline.ts';
import { type Context, curlOf, endOf, failureCount, section } from './context.ts';
import { coverageLines, coverageSummary } from './coverage.ts';
import type { Finding, Outcome } from './finding.ts';
import { stepLines } from './steps.ts';

/** Returns the report as text: failures and how to reproduce them, then coverage. Has no trailing newline. */
export function textReport(outcome: Outcome, context: Context): string {
  const { findings, known = [], vanished = [], coverage, excludedChecks } = outcome;
  const { limitations, undeleted, seed } = outcome;
  const { title, version } = context.contract;
  const lines = [
    `${context.url} against ${title} ${version}`.trim(),
    endOf(outcome),
    coverageSummary(coverage),
  ];
  for (const [number, finding] of findings.entries()) {
    lines.push('', ...findingLines(finding, number + 1, context));
  }
  lines.push(
    ...section('Known failures of the baseline', known.map(knownLine)),
    ...section(
      'Failures of the baseline that did not occur: remove them from it if they are fixed',
      vanished.map(knownLine),
    ),
  );
  lines.push(...section('Coverage', coverageLines(coverage)));
  lines.push(
    ...section(
      'Not implemented (501, not a failure)',
      coverage.filter(({ state }) => state === 'not-implemented').map(({ operation }) => operation),
    ),
    ...section(
      'Not tested',
      coverage
        .filter(({ state }) => state === 'not-tested')
        .map(({ operation, reason }) => `${operation}: ${reason ?? 'limit of time or requests reached'}`),
    ),
    ...section(
      'Without a success, and the last rejection of a valid request',
      coverage
        .filter(({ state, reason }) => state === 'tested' && reason !== undefined)
        .map(({ operation, reason }) => `${operation}: ${reason}`),
    ),
    ...section('Not tested of tested operations', limitations),
    ...section(
      'Inconclusive: rejections of valid input that are not failures, because the contract does not specify their reason',
      coverage
        .filter(({ inconclusive }) => inconclusive > 0)
        .map(({ operation, inconclusive }) => `${operation}: ${inconclusive}`),
    ),
    ...section('Excluded checks', excludedChecks),
    ...section('Created resources that could not be deleted', undeleted),
  );
  lines.push(
    '',
    verdictOf(findings.length, known.length),
    `Repeat this run (seed ${seed}): ${context.command}`,
  );
  return lines.join('\n');
}

const verdictOf = (failures: number, known: number): string => {
  const number = failureCount(failures);
  return known === 0 ? `${number}.` : `${number} that the baseline does not contain, and ${known} known.`;
};

function findingLines(finding: Finding, number: number, context: Context): string[] {
  const { operation, check, message, expected, plan, exchanges, otherOperations, repeatable } = finding;
  const also = otherOperations.length === 0 ? [] : [`Also affects: ${otherOperations.join(', ')}`];
  const once = repeatable
    ? []
    : ['Not reproducible with the same requests: the failure depends on earlier requests.'];
  return [
    `${number}. ${operation}: ${check}`,
    ...[message, `Expected: ${expected}`, ...also, ...once, `Plan: ${plan.title}`].map(
      (line) => `   ${line}`,
    ),
    ...exchanges.flatMap((exchange, index) => stepLines(exchange, index + 1)).map((line) => `     ${line}`),
    '   Reproduce in bash:',
    ...curlOf(finding, context).map((line) => `     ${line}`),
  ];
}
