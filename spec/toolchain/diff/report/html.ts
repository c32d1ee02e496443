import { type Html, type HtmlValue, html } from '../../../../server/contract/docs/html.ts';
import { reportPage } from '../../report/page.ts';
import { count } from '../../report/text.ts';
import type { Comparison } from '../comparison.ts';
import { type Entry, entriesOf, limitationEntriesOf, sectionsOf } from '../entries.ts';
import type { Level } from '../rules/rule.ts';
import { STYLE } from './html-style.ts';
import { alternativesOf, explanationsOf, headingOf, locationsOf, reasonsOf, summaryOf } from './parts.ts';

const LEVELS = ['breaking', 'risky', 'safe'] as const;

const LEVEL_TITLES: Record<Level, { title: string; text: string }> = {
  breaking: { title: 'Breaking', text: 'Clients that conform to the previous document fail.' },
  risky: { title: 'Risky', text: 'Some clients or servers are affected.' },
  safe: { title: 'Safe', text: 'Existing clients are unaffected.' },
};

/** Formats a comparison as a page for reviewers. */
export function formatHtml(comparison: Comparison): string {
  const { base, head, changes } = comparison;
  const entries = entriesOf(changes);
  const header = html`<h1>Contract changes</h1>
<p class="note documents"><code>${base.name}</code> (${base.release}) → <code>${head.name}</code> (${head.release})</p>
<p class="summary">${summaryOf(entries, comparison)}</p>
${contentsOf(entries)}`;
  const main = html`${LEVELS.map((level) => levelHtml(level, entries, comparison))}${limitationsHtml(comparison)}`;
  return reportPage({
    title: `Contract changes: ${base.release} → ${head.release}`,
    style: STYLE,
    header,
    main,
  });
}

function contentsOf(entries: readonly Entry[]): HtmlValue {
  const links = LEVELS.flatMap((level) => {
    const count = entries.filter(({ change }) => change.level === level).length;
    return count === 0
      ? []
      : [
          html`<li><a class="${level}" href="#${level}">${LEVEL_TITLES[level].title} <b>${count}</b></a></li>`,
        ];
  });
  return links.length > 0 && html`<nav aria-label="Severities"><ul>${links}</ul></nav>`;
}

function levelHtml(level: Level, entries: readonly Entry[], comparison: Comparison): HtmlValue {
  const ofLevel = entries.filter(({ change }) => change.level === level);
  if (ofLevel.length === 0) {
    return undefined;
  }
  const sections = sectionsOf(ofLevel).map(
    ({ title, entries: list }) =>
      html`<section>\n<h3>${title}</h3>\n${list.map((entry) => entryHtml(entry, comparison))}</section>\n`,
  );
  return html`<section class="${level}" id="${level}">
<h2>${LEVEL_TITLES[level].title} <span class="count">${ofLevel.length}</span></h2>
<p class="note">${LEVEL_TITLES[level].text}</p>
${sections}</section>
`;
}

function entryHtml(entry: Entry, { approvalResult }: Comparison): Html {
  const reasons = reasonsOf(entry, approvalResult);
  const facts = [
    ...explanationsOf(entry).map((why) => fact('Why', why)),
    ...(reasons.length > 0
      ? [fact('Approved', reasons.join(' / '))]
      : alternativesOf(entry).map((alternative) => fact('Fix', alternative))),
  ];
  const places = locationsOf(entry).map((place) => html`<code>${place}</code>`);
  return html`<article>
<p class="message">${entry.message}</p>
<p class="place"><span class="badge">${headingOf(entry, approvalResult)}</span> ${separated(places)}</p>
<dl>${facts}</dl>
${operationsHtml(entry)}</article>
`;
}

function fact(name: string, text: string): Html {
  return html`<div><dt>${name}</dt><dd>${text}</dd></div>`;
}

/** Rules, and operations with their locations; a single operation is the heading of its section. */
function operationsHtml({ all, operations, effects }: Entry): Html {
  const rules = effects.map(({ rule }) => html`<code>${rule}</code>`);
  const footer = html`<p class="note rule">${effects.length === 1 ? 'Rule' : 'Rules'} ${separated(rules)}</p>\n`;
  if (operations.length === 1) {
    return footer;
  }
  const rows = all.map(
    ({ operation, endpoint, location }) =>
      html`<li><b>${operation}</b>${operation !== endpoint && ` ${endpoint}`} <code>${location}</code></li>`,
  );
  return html`<details><summary>${operations.length} operations</summary><ul>${rows}</ul></details>\n${footer}`;
}

function limitationsHtml({ limitations }: Comparison): HtmlValue {
  const limited = limitationEntriesOf(limitations);
  if (limited.length === 0) {
    return undefined;
  }
  const articles = limited.map(
    ({ place, message, operations }) =>
      html`<article>\n<p class="message">${message}</p>\n<p class="place"><code>${place}</code></p>
<details><summary>${count(operations.length, 'operation')}</summary><ul>${operations.map((operation) => html`<li><b>${operation}</b></li>`)}</ul></details>\n</article>\n`,
  );
  return html`<section id="limitations">
<h2>Compared with less precision <span class="count">${limited.length}</span></h2>
${articles}</section>
`;
}

const separated = (parts: readonly Html[]): Html[] => parts.map((part, at) => html`${at > 0 && ', '}${part}`);
