import { type Html, type HtmlValue, html } from '../../../../server/contract/docs/html.ts';
import { reportPage } from '../../report/page.ts';
import { checks } from '../checks/checks.ts';
import { SEQUENCE_RULES } from '../checks/sequences.ts';
import { knownLine } from './baseline.ts';
import { type Context, curlOf, endOf, failureCount } from './context.ts';
import { coverageSummary, pairShare } from './coverage.ts';
import type { Finding, Outcome } from './finding.ts';
import { coverageTable } from './html-coverage.ts';
import { STYLE } from './html-style.ts';
import { type PresentedStep, presentStep } from './steps.ts';

/** Returns the report as a page for readers. */
export function htmlReport(outcome: Outcome, context: Context): string {
  const { findings, known = [], vanished = [], coverage, seed } = outcome;
  const { excludedChecks, limitations, undeleted } = outcome;
  const title = `Conformance of ${context.contract.title} ${context.contract.version}`.trim();
  const untested = coverage.filter(({ state }) => state !== 'tested');
  const header = html`<h1>${title}</h1>
<p class="verdict ${findings.length === 0 ? 'passed' : 'failed'}">${failureCount(findings.length)}</p>
<p>${context.url}. ${endOf(outcome)} ${coverageSummary(coverage)}</p>`;
  const main = html`<section aria-labelledby="summary">
<h2 id="summary">Coverage at a glance</h2>
<ul class="tiles">
${tilesOf(outcome).map(
  ({
    label,
    part,
    all,
  }) => html`<li><span class="label">${label}</span> <strong>${part} of ${all}</strong><span class="bar" aria-hidden="true"><span style="width:${all === 0 ? 0 : (100 * part) / all}%"></span></span></li>
`,
)}</ul>
</section>
${findings.length > 0 && html`<section aria-labelledby="failures">\n<h2 id="failures">Failures</h2>\n${findings.map((finding, at) => findingOf(finding, at + 1, context))}</section>`}
${listOf('known', 'Known failures of the baseline', known.map(knownLine))}
${listOf('vanished', 'Failures of the baseline that did not occur', vanished.map(knownLine))}
${coverageTable(coverage)}
${listOf(
  'not-tested',
  'Not tested',
  untested.map(
    ({ operation, state, reason }) =>
      `${operation}: ${state === 'not-implemented' ? 'not implemented (501), which is not a failure' : (reason ?? 'not tested')}`,
  ),
)}
${listOf('limitations', 'Not tested of tested operations', limitations)}
${listOf('excluded', 'Excluded checks', excludedChecks)}
${listOf('undeleted', 'Created resources that could not be deleted', undeleted)}
<section aria-labelledby="repeat">
<h2 id="repeat">Repeat this run</h2>
<p>Seed ${seed}:</p>
${code(context.command, 'Command')}
</section>`;
  return reportPage({ title, style: STYLE, header, main });
}

interface Tile {
  label: string;
  part: number;
  all: number;
}

function tilesOf({ coverage }: Outcome): Tile[] {
  const tested = coverage.filter(({ state }) => state === 'tested');
  const parameters = tested.flatMap((entry) => Object.values(entry.parameters));
  const isSuccess = (status: string) => /^2/.test(status);
  const returned = tested.reduce(
    (sum, { statuses }) => sum + Object.keys(statuses).filter(isSuccess).length,
    0,
  );
  const missing = tested.reduce((sum, entry) => sum + entry.missing.length, 0);
  const pairs = pairShare(coverage);
  return [
    { label: 'Operations tested', part: tested.length, all: coverage.length },
    {
      label: 'Operations with a success',
      part: tested.filter(({ statuses }) => Object.keys(statuses).some((status) => /^[123]/.test(status)))
        .length,
      all: coverage.length,
    },
    { label: 'Success statuses returned', part: returned, all: returned + missing },
    {
      label: 'Parameters with valid and invalid values',
      part: parameters.filter(({ valid, invalid }) => valid > 0 && invalid > 0).length,
      all: parameters.length,
    },
    ...(pairs ? [{ label: 'Pairs of values tried', part: pairs.tried, all: pairs.total }] : []),
  ];
}

function findingOf(finding: Finding, number: number, context: Context): Html {
  const { operation, check, message, expected, otherOperations, repeatable, exchanges } = finding;
  const rule = [...checks, ...SEQUENCE_RULES].find(({ name }) => name === check)?.rule;
  const id = `failure-${number}`;
  return html`<article aria-labelledby="${id}">
<h3 id="${id}">${number}. <code>${operation}</code>: ${check}</h3>
<p>${message}</p>
<p>Expected: ${expected}</p>
${rule && html`<p class="note">Rule: ${rule}</p>`}
${otherOperations.length > 0 && html`<p>Also affects: ${otherOperations.map((other, at) => html`${at > 0 && ', '}<code>${other}</code>`)}</p>`}
${!repeatable && html`<p>Not reproducible with the same requests: the failure depends on earlier requests.</p>`}
<h4>Requests</h4>
<ol>
${exchanges.map((exchange) => stepOf(presentStep(exchange)))}</ol>
<h4>Reproduce in bash</h4>
${code(curlOf(finding, context).join('\n'), `Commands of failure ${number}`)}
</article>
`;
}

const CALLERS: Record<string, string> = {
  second: 'second token',
  anonymous: 'no token',
  malformed: 'malformed token',
  unknown: 'unknown token',
};

function stepOf({ caller, request, response, failure }: PresentedStep): Html {
  const by = CALLERS[caller];
  const line = `${request.method} ${request.target}`;
  const headers = (list: [string, string][]) => list.map(([name, value]) => `${name}: ${value}`).join('\n');
  const responseText = response
    ? [headers(Object.entries(response.headers)), response.body ?? '']
        .filter((part) => part !== '')
        .join('\n\n')
    : '';
  const requestText = [headers(request.headers), request.body ?? '']
    .filter((part) => part !== '')
    .join('\n\n');
  return html`<li><p><code>${line}</code>${by && ` (${by})`}</p>
${requestText !== '' && code(requestText, `Request: ${line}`)}
<p>${response ? html`<span class="status status-${String(response.status)[0]}">${response.status}</span>` : `No response. ${failure ?? ''}`}</p>
${responseText !== '' && code(responseText, `Response to ${line}`)}</li>
`;
}

/** Long lines scroll, so the element can be reached with the keyboard. */
const code = (text: string, label: string): Html =>
  html`<pre tabindex="0" role="group" aria-label="${label}"><code>${text}</code></pre>`;

const listOf = (id: string, title: string, lines: readonly string[]): HtmlValue =>
  lines.length > 0 &&
  html`<section aria-labelledby="${id}">\n<h2 id="${id}">${title}</h2>\n<ul>\n${lines.map((line) => html`<li>${line}</li>\n`)}</ul>\n</section>`;
