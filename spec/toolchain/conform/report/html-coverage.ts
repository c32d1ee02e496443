import { escapeXml } from './escape.ts';
import type { Coverage, OperationCoverage } from './finding.ts';

/** Returns the coverage of the tested operations as a section of a page: statuses, parameters and pairs of values. */
export function coverageTable(coverage: Coverage): string {
  const tested = coverage.filter(({ state }) => state === 'tested');
  if (tested.length === 0) {
    return '';
  }
  return `<section aria-labelledby="coverage">
<h2 id="coverage">Coverage of operations</h2>
<div class="scroll" tabindex="0" role="region" aria-labelledby="coverage">
<table>
<caption>Responses by status, and values sent as valid/invalid. Dashed outlines mark what was never returned or sent.</caption>
<thead><tr><th scope="col">Operation</th><th scope="col">Statuses</th><th scope="col">Parameters</th><th scope="col">Pairs</th></tr></thead>
<tbody>
${tested.map(rowOf).join('\n')}
</tbody>
</table>
</div>
</section>`;
}

function rowOf(entry: OperationCoverage): string {
  const { operation, method, path, pairs, inconclusive, reason } = entry;
  return `<tr>
<th scope="row"><code>${escapeXml(operation)}</code><br><span class="note">${escapeXml(`${method} ${path}`)}</span></th>
<td>${statusesOf(entry)}${reason === undefined ? '' : `<br><span class="note">${escapeXml(reason)}</span>`}${inconclusive === 0 ? '' : `<br><span class="note">${inconclusive} inconclusive</span>`}</td>
<td>${parametersOf(entry)}</td>
<td>${pairs.total === 0 ? '–' : `${pairs.tried} of ${pairs.total}`}</td>
</tr>`;
}

function statusesOf({ statuses, missing }: OperationCoverage): string {
  const returned = Object.entries(statuses)
    .sort(([a], [b]) => a.localeCompare(b))
    .map(
      ([status, count]) =>
        `<span class="status status-${/^\d/.test(status) ? status[0] : '5'}">${status === 'none' ? 'no response' : escapeXml(status)} × ${count}</span>`,
    );
  const absent = missing.map((status) => `<span class="status missing">never ${escapeXml(status)}</span>`);
  return [...returned, ...absent].join(' ');
}

function parametersOf({ parameters }: OperationCoverage): string {
  const items = Object.entries(parameters).map(([name, { valid, invalid }]) => {
    const isMissing = valid === 0 || invalid === 0;
    return `<span class="parameter${isMissing ? ' missing' : ''}">${escapeXml(name)} ${valid}/${invalid}</span>`;
  });
  return items.length === 0 ? '–' : items.join(' ');
}
