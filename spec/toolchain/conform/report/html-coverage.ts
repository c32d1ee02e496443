import { type Html, type HtmlValue, html } from '../../../../server/contract/docs/html.ts';
import type { Coverage, OperationCoverage } from './finding.ts';

/** Returns the coverage of the tested operations as a section of a page: statuses, parameters and pairs of values. */
export function coverageTable(coverage: Coverage): HtmlValue {
  const tested = coverage.filter(({ state }) => state === 'tested');
  if (tested.length === 0) {
    return undefined;
  }
  return html`<section aria-labelledby="coverage">
<h2 id="coverage">Coverage of operations</h2>
<div class="scroll" tabindex="0" role="region" aria-labelledby="coverage">
<table>
<caption>Responses by status, and values sent as valid/invalid. Dashed outlines mark what was never returned or sent.</caption>
<thead><tr><th scope="col">Operation</th><th scope="col">Statuses</th><th scope="col">Parameters</th><th scope="col">Pairs</th></tr></thead>
<tbody>
${tested.map(rowOf)}</tbody>
</table>
</div>
</section>`;
}

function rowOf(entry: OperationCoverage): Html {
  const { operation, method, path, pairs, inconclusive, reason } = entry;
  return html`<tr>
<th scope="row"><code>${operation}</code><br><span class="note">${method} ${path}</span></th>
<td>${statusesOf(entry)}${reason !== undefined && html`<br><span class="note">${reason}</span>`}${inconclusive > 0 && html`<br><span class="note">${inconclusive} inconclusive</span>`}</td>
<td>${parametersOf(entry)}</td>
<td>${pairs.total === 0 ? '–' : `${pairs.tried} of ${pairs.total}`}</td>
</tr>
`;
}

function statusesOf({ statuses, missing }: OperationCoverage): Html {
  const returned = Object.entries(statuses)
    .sort(([a], [b]) => a.localeCompare(b))
    .map(
      ([status, count]) =>
        html`<span class="status status-${/^\d/.test(status) ? status[0] : '5'}">${status === 'none' ? 'no response' : status} × ${count}</span> `,
    );
  const absent = missing.map((status) => html`<span class="status missing">never ${status}</span> `);
  return html`${returned}${absent}`;
}

function parametersOf({ parameters }: OperationCoverage): Html {
  const items = Object.entries(parameters).map(([name, { valid, invalid }]) => {
    const isMissing = valid === 0 || invalid === 0;
    return html`<span class="parameter${isMissing ? ' missing' : ''}">${name} ${valid}/${invalid}</span> `;
  });
  return items.length === 0 ? html`–` : html`${items}`;
}
