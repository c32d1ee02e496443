import { type Context, curlOf } from './context.ts';
import type { Outcome } from './finding.ts';
import { toldStep } from './steps.ts';

/** A run as JSON for scripts: `failures` and `coverage`, and how the run went. */
export function jsonReport(outcome: Outcome, context: Context): string {
  const { findings, coverage, seed, end, requests, milliseconds, leftOut, leftBehind } = outcome;
  const { title, version } = context.contract;
  const failures = findings.map((finding) => ({
    operation: finding.operation,
    check: finding.check,
    message: finding.message,
    says: finding.says,
    cause: finding.cause,
    title: finding.plan.title,
    steps: finding.exchanges.map(toldStep),
    curl: curlOf(finding, context),
    seed: finding.seed,
    alsoAt: finding.alsoAt,
    repeatable: finding.repeatable,
  }));
  const operationsIn = (state: string) =>
    coverage.filter((one) => one.state === state).map(({ operation }) => operation);
  const report = {
    failures,
    coverage,
    contract: { title, version },
    url: context.url,
    seed,
    end,
    requests,
    milliseconds: Math.round(milliseconds),
    notImplemented: operationsIn('not-implemented'),
    neverTested: operationsIn('never'),
    leftOut,
    leftBehind,
    again: context.again,
  };
  return JSON.stringify(report, null, 2);
}
