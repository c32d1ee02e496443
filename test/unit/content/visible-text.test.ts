import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { array, assert, constantFrom, double, property } from 'fast-check';
import { expect, test } from 'vitest';
import { conditionsHold, writeConditions } from '../../../server/content/expressions/stored-conditions.ts';
import {
  conditionalParts,
  conditionProblems,
  unconditionalText,
} from '../../../server/content/expressions/visible-text.ts';
import { renderPage } from '../../../server/content/html/page.ts';
import { printPage } from '../../../server/content/html/print.ts';
import { MAX_PARSED_CHARACTERS } from '../../../server/content/markdown/limits.ts';
import { parseMarkdown, printMarkdown } from '../../../server/content/markdown/markdown.ts';
import { contentTasks } from '../../../server/content/threads/tasks.ts';
import { CONDITION, literalPlacements, placements } from '../../support/content/conditional-placements.ts';
import { costRatio } from '../../support/processes/processor-time.ts';
import { runs } from '../../support/seed.ts';

type VisitorClaims = Record<string, boolean>;

const WORD = 'Quillwortfern';
const ADMITTED: VisitorClaims = { beta: true };
const OTHERS: readonly VisitorClaims[] = [{ beta: false }, {}];
const variables = { space: {}, page: {} };
const targets = new Map();

/** Everything that is made of the text of a page for a visitor. */
const OUTPUTS: Record<string, (markdown: string, claims: VisitorClaims) => unknown> = {
  page: (markdown, claims) => renderPage({ markdown, claims, options: { targets } }),
  'page that exceeds a limit': (markdown, claims) =>
    renderPage({ markdown, claims, options: { targets }, exceeded: 'time-limit' }),
  'included text': (markdown, claims) => {
    const included = new Map([['key', { markdown, targets }]]);
    const options = {
      targets: new Map([['a.md', { kind: 'reusable-content', title: '', included: 'key' } as const]]),
    };
    return renderPage({ markdown: '{% include "a.md" %}', claims, options, included });
  },
  Markdown: (markdown, claims) => printPage({ markdown, claims, targets, base: 'https://example.com' }),
  'evaluated Markdown': (markdown, claims) => contentTasks.evaluate({ markdown, variables, claims }),
  'printed document': (markdown, claims) =>
    Buffer.from(contentTasks.readPrinted({ markdown, variables, claims })).toString(),
  search: (markdown, claims) =>
    conditionalParts(markdown)
      .filter((part) => {
        const stored = writeConditions(part, variables);
        return stored === null || conditionsHold(stored, claims);
      })
      .map((part) => part.markdown),
};
const outputs = (markdown: string, claims: VisitorClaims) =>
  Object.entries(OUTPUTS).map(([name, output]) => [name, JSON.stringify(output(markdown, claims))] as const);

test.each(placements(WORD))('a condition in $name selects who sees its text', ({ markdown, isShown }) => {
  for (const claims of OTHERS) {
    for (const [name, output] of outputs(markdown, claims)) {
      expect(output, name).not.toContain(WORD);
      expect(output, name).not.toContain('visitor.claims');
    }
  }
  for (const [name, output] of outputs(markdown, ADMITTED)) {
    expect([name, output.includes(WORD)]).toEqual([name, isShown]);
    expect(output, name).not.toContain('endif');
  }
  expect(conditionProblems(markdown).length > 0).toBe(!isShown);
});

test.each(placements(WORD))('a condition in $name is the same after an edit of the page', ({ markdown }) => {
  const printed = printMarkdown(parseMarkdown(markdown));
  for (const claims of OTHERS) {
    for (const [name, output] of outputs(printed, claims)) {
      expect(output, name).not.toContain(WORD);
    }
  }
});

test.each(literalPlacements(WORD))('tags are text in $name', ({ markdown }) => {
  for (const claims of [ADMITTED, ...OTHERS]) {
    for (const [name, output] of outputs(markdown, claims)) {
      // Without a parser, nothing is certain to be code.
      if (name !== 'page that exceeds a limit') {
        expect(output, name).toContain(WORD);
      }
    }
  }
  expect(conditionProblems(markdown)).toEqual([]);
});

test('text that was removed leaves no markup behind', () => {
  const visible = (markdown: string) => contentTasks.evaluate({ markdown, variables, claims: {} });
  const hidden = `{% if ${CONDITION} %}x{% endif %}`;
  expect(visible(`a **${hidden}** b`)).toBe('a  b');
  expect(visible(`*a ${hidden}* b`)).toBe('*a* b');
  expect(visible(`- a\n- ${hidden}\n- b`)).toBe('- a\n\n- b');
  expect(visible(`# a\n\n## ${hidden}\n\nb`)).toBe('# a\n\n\n\nb');
  expect(visible(`|a|\n|-|\n{% if ${CONDITION} %}\n|x|\n{% endif %}\n|b|`)).toBe('|a|\n|-|\n|b|');
  expect(visible(`> a\n> ${hidden}\n> b`)).toBe('> a\n>\n> b');
});

test('a text that is kept verbatim is shown without what its visitor does not see', () => {
  const markdown = `{% if ${CONDITION} %}\n${WORD}\n{% endif %}\n\n${'x'.repeat(MAX_PARSED_CHARACTERS)}`;
  const { html: others } = renderPage({ markdown, claims: {}, options: { targets } });
  expect(others).not.toContain(WORD);
  const { html } = renderPage({ markdown, claims: ADMITTED, options: { targets } });
  expect(html).toContain(WORD);
});

test('titles contain only what all visitors see', () => {
  expect(unconditionalText(`Guide {% if ${CONDITION} %}${WORD}{% endif %}`)).toBe('Guide');
  expect(unconditionalText('Guide {% if a %}')).toBe('Guide');
  expect(unconditionalText('Tags start with {%')).toBe('Tags start with {%');
  expect(unconditionalText('Write `{% if %}`')).toBe('Write `{% if %}`');
});

test('problems have the line of their tag', () => {
  const text = `a\r\n{% if a. %}b{% endif %}\r\n\r\n{% unless a %}c{% endunless %}\n{% endif %}\n{% if a %}\nd`;
  expect(conditionProblems(text).map(({ line, reason }) => [line, reason])).toEqual([
    [2, 'invalid_expression'],
    [4, 'unsupported'],
    [5, 'unmatched'],
    [6, 'unclosed'],
  ]);
});

const FOLDER = join(import.meta.dirname, '../../fixtures/repositories');
const PAGES = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.md'))
  .map((path) => readFileSync(join(FOLDER, path), 'utf8'))
  .filter((text) => text.length < 6000 && !text.includes('{%-'));

test('words under conditions at random places of real pages are in no output for others', () => {
  const tags = constantFrom(
    [`{% if ${CONDITION} %}`, '{% endif %}'],
    [`{%- if ${CONDITION} -%}`, '{%- endif -%}'],
    [`{% IF ${CONDITION} %}`, '{% ENDIF %}'],
    [`\n{% if ${CONDITION} %}\n`, '\n{% endif %}\n'],
    [`\n\n{% if ${CONDITION} %}\n\n`, '\n\n{% endif %}\n\n'],
    [`{% if ${CONDITION} %}`, ''],
    ['{% if visitor.claims. %}', '{% endif %}'],
    ['{% unless visitor.claims.beta %}', '{% endunless %}'],
  );
  const places = double({ min: 0, max: 1, noNaN: true, maxExcluded: true });
  assert(
    property(
      constantFrom(...PAGES),
      array(places, { minLength: 2, maxLength: 2 }),
      tags,
      (page, at, [open, close]) => {
        const [start = 0, end = 0] = at.map((part) => Math.floor(part * page.length)).sort((a, b) => a - b);
        const markdown = `${page.slice(0, start)}${open} ${WORD} ${page.slice(start, end)} ${WORD} ${close}${page.slice(end)}`;
        // Inside code, tags are text.
        if (hasLiteralTag(parseMarkdown(markdown).nodes)) {
          return;
        }
        for (const [name, output] of outputs(markdown, {})) {
          expect(output, name).not.toContain(WORD);
        }
      },
    ),
    { numRuns: runs(60) },
  );
});

/** Returns whether the document of a text contains a tag of a condition as code or in a comment. */
function hasLiteralTag(value: unknown): boolean {
  if (Array.isArray(value)) {
    return value.some(hasLiteralTag);
  }
  if (typeof value !== 'object' || value === null) {
    return false;
  }
  const isLiteral =
    ('type' in value && (value.type === 'code-line' || value.type === 'comment')) ||
    ('marks' in value && JSON.stringify(value.marks).includes('code'));
  return isLiteral
    ? /\{%[^%]*(?:visitor|end)/i.test(JSON.stringify(value))
    : Object.values(value).some(hasLiteralTag);
}

test('dividing takes time in proportion to the text', () => {
  const hostile = (count: number) => [
    '{% if a %}'.repeat(count),
    '{% if a %}{% elif b %}'.repeat(count),
    `{% if a %}${'{% elif b %}'.repeat(count)}`,
    '{%'.repeat(count),
    `{%${' '.repeat(count)}`,
    '`'.repeat(count) + '{% if a %}'.repeat(count),
    '<!-- {% if a %}'.repeat(count),
    '<pre> {% if a %}'.repeat(count),
    '*{% if a. %}*'.repeat(count),
    '|\n{% if a %}\n'.repeat(count),
    '{% a "'.repeat(count),
    '{% x %}a{% endif %}'.repeat(count),
    '{% if a %}b{% endif %}'.repeat(count),
    '\\{%'.repeat(count),
  ];
  const divide = (markdown: string) => () => void contentTasks.divide({ markdown });
  const short = hostile(2_000);
  for (const [at, long] of hostile(16_000).entries()) {
    // Eight times as much text, with a margin for noise: quadratic time would be 64 times as much.
    const ratio = costRatio(divide(long), divide(short[at] ?? ''), 32);
    expect(ratio, long.slice(0, 40)).toBeLessThanOrEqual(32);
  }
});
