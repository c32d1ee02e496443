import { type Context, curlOf } from './context.ts';
import type { Outcome } from './finding.ts';
import { presentStep } from './steps.ts';

/** Returns the report as JSON for scripts: `failures`, `coverage` and statistics of the run. */
export function jsonReport(outcome: Outcome, context: Context): string {
  const { findings, known = [], vanished = [], coverage, seed, end } = outcome;
  const { requests, milliseconds, excludedChecks, limitations, undeleted } = outcome;
  const { title, version } = context.contract;
  const failures = findings.map((finding) => ({
    operation: finding.operation,
    check: finding.check,
    message: finding.message,
    expected: finding.expected,
    cause: finding.cause,
    title: finding.plan.title,
    steps: finding.exchanges.map(presentStep),
    curl: curlOf(finding, context),
    seed: finding.seed,
    otherOperations: finding.otherOperations,
    repeatable: finding.repeatable,
  }));
  const operationsIn = (state: string) =>
    coverage.filter((entry) => entry.state === state).map(({ operation }) => operation);
  const report = {
    failures,
    known: known.map(({ operation, check, cause, message }) => ({ operation, check, cause, message })),
    vanished,
    coverage,
    contract: { title, version },
    url: context.url,
    seed,
    end,
    requests,
    milliseconds: Math.round(milliseconds),
    notImplemented: operationsIn('not-implemented'),
    notTested: operationsIn('not-tested'),
    limitations,
    excludedChecks,
    undeleted,
    command: context.command,
  };
  return JSON.stringify(report, null, 2);
}
