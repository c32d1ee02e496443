import type { Comparison } from '../comparison.ts';
import { type Entry, entriesOf, limitationEntriesOf, sectionsOf } from '../entries.ts';
import type { Level } from '../rules/rule.ts';
import { styles } from './html-styles.ts';
import { alternativesOf, explanationsOf, headingOf, locationsOf, reasonsOf, summaryOf } from './parts.ts';

const titles: Record<Level, { title: string; text: string }> = {
  breaking: { title: 'Breaking', text: 'Clients that conform to the previous document fail.' },
  risky: { title: 'Risky', text: 'Some clients or servers are affected.' },
  safe: { title: 'Safe', text: 'Existing clients are unaffected.' },
};

/** Formats a comparison as one HTML file without scripts and external resources, for reviewers. */
export function formatHtml(comparison: Comparison): string {
  const { base, head, changes } = comparison;
  const entries = entriesOf(changes);
  const title = `${base.release} → ${head.release}`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Contract changes: ${escapeHtml(title)}</title>
<style>${styles}</style>
</head>
<body>
<header>
<h1>Contract changes</h1>
<p class="documents"><code>${escapeHtml(base.name)}</code> (${escapeHtml(base.release)}) → <code>${escapeHtml(head.name)}</code> (${escapeHtml(head.release)})</p>
<p class="summary">${escapeHtml(summaryOf(entries, comparison))}</p>
${contentsOf(entries)}
</header>
<main>
${(['breaking', 'risky', 'safe'] as const).map((level) => levelHtml(level, entries, comparison)).join('')}${limitationsHtml(comparison)}</main>
</body>
</html>`;
}

function contentsOf(entries: readonly Entry[]): string {
  const links = (['breaking', 'risky', 'safe'] as const).flatMap((level) => {
    const count = entries.filter(({ change }) => change.level === level).length;
    return count === 0
      ? []
      : [`<li><a class="${level}" href="#${level}">${titles[level].title} <b>${count}</b></a></li>`];
  });
  return links.length === 0 ? '' : `<nav aria-label="Severities"><ul>${links.join('')}</ul></nav>`;
}

function levelHtml(level: Level, entries: readonly Entry[], comparison: Comparison): string {
  const ofLevel = entries.filter(({ change }) => change.level === level);
  if (ofLevel.length === 0) {
    return '';
  }
  const sections = sectionsOf(ofLevel).map(
    ({ title, entries: list }) =>
      `<section>\n<h3>${escapeHtml(title)}</h3>\n${list.map((entry) => entryHtml(entry, comparison)).join('')}</section>\n`,
  );
  return `<section class="${level}" id="${level}">
<h2>${titles[level].title} <span class="count">${ofLevel.length}</span></h2>
<p class="note">${titles[level].text}</p>
${sections.join('')}</section>
`;
}

function entryHtml(entry: Entry, { approvalResult }: Comparison): string {
  const reasons = reasonsOf(entry, approvalResult);
  const facts = [
    ...explanationsOf(entry).map((why) => fact('Why', why)),
    ...(reasons.length > 0
      ? [fact('Approved', reasons.join(' / '))]
      : alternativesOf(entry).map((alternative) => fact('Fix', alternative))),
  ];
  const places = locationsOf(entry).map((place) => `<code>${escapeHtml(place)}</code>`);
  return `<article>
<p class="message">${escapeHtml(entry.message)}</p>
<p class="place"><span class="badge">${escapeHtml(headingOf(entry, approvalResult))}</span> ${places.join(', ')}</p>
<dl>${facts.join('')}</dl>
${operationsHtml(entry)}</article>
`;
}

function fact(name: string, text: string): string {
  return `<div><dt>${escapeHtml(name)}</dt><dd>${escapeHtml(text)}</dd></div>`;
}

/** Rules, and operations with their locations; a single operation is the heading of its section. */
function operationsHtml({ all, operations, effects }: Entry): string {
  const rules = effects.map(({ rule }) => `<code>${rule}</code>`).join(', ');
  const footer = `<p class="rule">${effects.length === 1 ? 'Rule' : 'Rules'} ${rules}</p>\n`;
  if (operations.length === 1) {
    return footer;
  }
  const rows = all.map(
    ({ operation, endpoint, location }) =>
      `<li><b>${escapeHtml(operation)}</b>${operation === endpoint ? '' : ` ${escapeHtml(endpoint)}`} <code>${escapeHtml(location)}</code></li>`,
  );
  return `<details><summary>${operations.length} operations</summary><ul>${rows.join('')}</ul></details>\n${footer}`;
}

function limitationsHtml({ limitations }: Comparison): string {
  const limited = limitationEntriesOf(limitations);
  if (limited.length === 0) {
    return '';
  }
  const articles = limited.map(
    ({ place, message, operations }) =>
      `<article>\n<p class="message">${escapeHtml(message)}</p>\n<p class="place"><code>${escapeHtml(place)}</code></p>
<details><summary>${operations.length} operation${operations.length === 1 ? '' : 's'}</summary><ul>${operations
        .map((operation) => `<li><b>${escapeHtml(operation)}</b></li>`)
        .join('')}</ul></details>\n</article>\n`,
  );
  return `<section id="limitations">
<h2>Compared with less precision <span class="count">${limited.length}</span></h2>
${articles.join('')}</section>
`;
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? character);
}
