import { expect, test } from 'vitest';
import { renderPage } from '../../../server/content/html/page.ts';
import { printPage } from '../../../server/content/html/print.ts';
import { MAX_PARSED_CHARACTERS } from '../../../server/content/markdown/limits.ts';
import { parseMarkdown, printMarkdown } from '../../../server/content/markdown/markdown.ts';
import { contentTasks } from '../../../server/content/threads/tasks.ts';

const CONDITIONAL = '{% if visitor.claims.beta %}\nSecretstep\n{% endif %}\n\nOpenstep\n';
/** A text that exceeds a limit of the parser, so that it is kept verbatim. */
const TOO_LONG = CONDITIONAL + 'x'.repeat(MAX_PARSED_CHARACTERS);
const variables = { space: {}, page: {} };
const targets = new Map();

const shown = (markdown: string, claims: { beta: boolean } | undefined): string[] => [
  renderPage({ markdown, claims, options: { targets } }).html,
  contentTasks.evaluate({ markdown, variables, claims }),
  printPage({ markdown, claims, targets, base: 'https://example.com' }),
  Buffer.from(contentTasks.readPrinted({ markdown, variables, claims })).toString(),
];

test('conditional blocks are shown to the visitors that they select', () => {
  expect(shown(CONDITIONAL, { beta: true }).map((text) => /Secretstep.*Openstep/s.test(text))).toEqual(
    Array(4).fill(true),
  );
  for (const text of shown(CONDITIONAL, { beta: false })) {
    expect(text).toContain('Openstep');
    expect(text).not.toContain('Secretstep');
  }
});

test.each([
  [
    'caption',
    (text: string) => `<figure><img src="a.png" alt=""><figcaption>\n\n${text}\n\n</figcaption></figure>`,
  ],
  ['header of a table', (text: string) => `<table><thead><tr><th>\n\n${text}\n\n</th></tr></thead></table>`],
  ['heading', (text: string) => `<h2>\n\n${text}\n\n</h2>`],
])('a condition in a %s, where only a line is possible, is not shown', (_, around) => {
  for (const text of shown(around(CONDITIONAL), { beta: false })) {
    expect(text).not.toContain('Secretstep');
  }
});

test('a condition in a cell remains when its table is printed again', () => {
  const cell = `<table><tbody><tr><td>\n\n${CONDITIONAL}\n</td></tr></tbody></table>`;
  const printed = printMarkdown(parseMarkdown(cell));
  for (const text of shown(printed, { beta: false })) {
    expect(text).toContain('Openstep');
    expect(text).not.toContain('Secretstep');
  }
  for (const text of shown(printed, { beta: true })) {
    expect(text).toContain('Secretstep');
  }
});

test('a text that is kept verbatim is not shown if parts of it are conditional', () => {
  for (const claims of [{ beta: false }, { beta: true }]) {
    for (const text of shown(TOO_LONG, claims)) {
      expect(text).not.toContain('Secretstep');
    }
  }
  // Without adaptive content, everyone sees it.
  for (const text of shown(TOO_LONG, undefined)) {
    expect(text).toContain('Secretstep');
  }
});
