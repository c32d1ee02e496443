import { escapeXml } from '../../report/xml.ts';
import { type Context, curlOf } from './context.ts';
import type { Coverage, Finding, Outcome } from './finding.ts';
import { stepLines } from './steps.ts';

/**
 * Returns the report as JUnit XML for CI systems: one test case per operation with its failures. Operations that are
 * not implemented or were not tested are skipped.
 */
export function junitReport(outcome: Outcome, context: Context): string {
  const { findings, coverage, milliseconds, seed } = outcome;
  const byOperation = Map.groupBy(findings, ({ operation }) => operation);
  const coveredOperations = new Set(coverage.map(({ operation }) => operation));
  // Findings of operations without coverage are reported too.
  const extra: Coverage = [...byOperation.keys()]
    .filter((operation) => !coveredOperations.has(operation))
    .map((operation) => ({
      operation,
      method: '',
      path: '',
      state: 'tested',
      statuses: {},
      missing: [],
      parameters: {},
      pairs: { tried: 0, total: 0 },
      inconclusive: 0,
    }));
  const cases = [...coverage, ...extra].map((entry) =>
    caseOf(entry, byOperation.get(entry.operation) ?? [], context),
  );
  const failing = byOperation.size;
  const skipped = coverage.filter(
    (entry) => entry.state !== 'tested' && !byOperation.has(entry.operation),
  ).length;
  const attributes = `name=${attribute(`conform ${context.contract.title}`)} tests="${cases.length}" failures="${failing}" errors="0" skipped="${skipped}" time="${(milliseconds / 1000).toFixed(3)}"`;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<testsuites>',
    `  <testsuite ${attributes}>`,
    `    <properties><property name="seed" value="${seed}"/></properties>`,
    ...cases,
    '  </testsuite>',
    '</testsuites>',
  ].join('\n');
}

function caseOf(covered: Coverage[number], findings: readonly Finding[], context: Context): string {
  const { operation, method, path, state, reason } = covered;
  const head = `    <testcase classname=${attribute(`${method} ${path}`.trim() || 'conform')} name=${attribute(operation)}`;
  if (findings.length === 0 && state === 'tested') {
    return `${head}/>`;
  }
  const inner =
    findings.length > 0
      ? findings.map((finding) => failureOf(finding, context))
      : [
          `      <skipped message=${attribute(state === 'not-implemented' ? 'returns 501: not implemented' : (reason ?? 'not tested'))}/>`,
        ];
  return [`${head}>`, ...inner, '    </testcase>'].join('\n');
}

function failureOf(finding: Finding, context: Context): string {
  const { check, message, expected, exchanges, otherOperations } = finding;
  const text = [
    message,
    `Expected: ${expected}`,
    ...(otherOperations.length > 0 ? [`Also affects: ${otherOperations.join(', ')}`] : []),
    ...exchanges.flatMap((exchange, index) => stepLines(exchange, index + 1)),
    ...curlOf(finding, context),
    `Repeat this run: ${context.command}`,
  ].join('\n');
  return `      <failure type=${attribute(check)} message=${attribute(message)}>${escapeXml(text)}</failure>`;
}

const attribute = (text: string): string =>
  `"${escapeXml(text).replaceAll('\n', '&#10;').replaceAll('\t', '&#9;')}"`;
