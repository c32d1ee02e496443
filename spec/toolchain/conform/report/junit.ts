import { type Context, curlOf } from './context.ts';
import type { Coverage, Finding, Outcome } from './finding.ts';
import { stepLines } from './steps.ts';

/**
 * A run as JUnit XML, which CI systems show: a test case for each operation, its failures in it. Operations that are
 * not implemented or were never tested are skipped.
 */
export function junitReport(outcome: Outcome, context: Context): string {
  const { findings, coverage, milliseconds, seed } = outcome;
  const byOperation = Map.groupBy(findings, ({ operation }) => operation);
  const known = new Set(coverage.map(({ operation }) => operation));
  // A finding is told even where nothing counted its operation.
  const extra: Coverage = [...byOperation.keys()]
    .filter((operation) => !known.has(operation))
    .map((operation) => ({
      operation,
      method: '',
      path: '',
      state: 'tested',
      statuses: {},
      missing: [],
      parameters: {},
      unjudged: 0,
    }));
  const cases = [...coverage, ...extra].map((one) =>
    caseOf(one, byOperation.get(one.operation) ?? [], context),
  );
  const failing = byOperation.size;
  const skipped = coverage.filter((one) => one.state !== 'tested' && !byOperation.has(one.operation)).length;
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
  const { operation, method, path, state, why } = covered;
  const head = `    <testcase classname=${attribute(`${method} ${path}`.trim() || 'conform')} name=${attribute(operation)}`;
  if (findings.length === 0 && state === 'tested') return `${head}/>`;
  const inner =
    findings.length > 0
      ? findings.map((finding) => failureOf(finding, context))
      : [
          `      <skipped message=${attribute(state === 'not-implemented' ? 'answers 501: not implemented' : (why ?? 'never tested'))}/>`,
        ];
  return [`${head}>`, ...inner, '    </testcase>'].join('\n');
}

function failureOf(finding: Finding, context: Context): string {
  const { check, message, says, exchanges, alsoAt } = finding;
  const text = [
    message,
    `The contract: ${says}`,
    ...(alsoAt.length > 0 ? [`Also at: ${alsoAt.join(', ')}`] : []),
    ...exchanges.flatMap((exchange, index) => stepLines(exchange, index + 1)),
    ...curlOf(finding, context),
    `The same run again: ${context.again}`,
  ].join('\n');
  return `      <failure type=${attribute(check)} message=${attribute(message)}>${escaped(text)}</failure>`;
}

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Text for XML 1.0, in which most control characters and two others cannot stand at all (XML, 2.2). */
function escaped(text: string): string {
  return text
    .toWellFormed()
    .replace(
      /(?![\t\n])[\p{Cc}\ufffe\uffff]/gu,
      (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
    )
    .replace(/[&<>"]/g, (sign) => ENTITIES[sign] ?? sign);
}

const attribute = (text: string): string =>
  `"${escaped(text).replaceAll('\n', '&#10;').replaceAll('\t', '&#9;')}"`;
