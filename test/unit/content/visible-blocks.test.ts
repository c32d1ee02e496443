import { expect, test } from 'vitest';
import { renderPage } from '../../../server/content/html/page.ts';
import { printPage } from '../../../server/content/html/print.ts';
import { MAX_PARSED_CHARACTERS } from '../../../server/content/markdown/limits.ts';
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
