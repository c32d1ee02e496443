import { describe, expect, test } from 'vitest';
import { print, printedText } from '../../support/pdf/printing.ts';

const pathsIn = async (markdown: string) => (await print({ markdown })).pages[0]?.paths ?? 0;

describe('an icon', () => {
  test.each([
    ['in a line', 'a <i class="fa-ship">:ship:</i> b', 'a b'],
    ['of a brand', 'a <i class="fa-github">:github:</i> b', 'a b'],
    ['with a color', 'a <i class="fa-ship" style="color:#ff0000;">:ship:</i> b', 'a b'],
    ['of a tab', '{% tabs %}\n{% tab title="npm" icon="npm" %}\nb\n{% endtab %}\n{% endtabs %}', 'npm b'],
    ['of a button', '<a href="https://example.com" class="button" data-icon="ship">a</a>', 'a'],
  ])('is drawn, not spelled: %s', async (_, markdown, text) => {
    expect((await printedText(markdown)).replace(/\s+/g, ' ').trim()).toBe(text);
    const without = markdown.replace(/<i.*<\/i>/, '').replace(/ (data-)?icon="\w+"/, '');
    expect(await pathsIn(markdown)).toBe((await pathsIn(without)) + 1);
  });

  test.each([
    ['in a line', 'a <i class="fa-no-such-icon">:no-such-icon:</i> b', 'a b'],
    ['of a button', '<a href="https://example.com" class="button" data-icon="nothing">a</a>', 'a'],
  ])('of an unknown name is omitted: %s', async (_, markdown, text) => {
    expect((await printedText(markdown)).replace(/\s+/g, ' ').trim()).toBe(text);
  });

  test('precedes the title of its page', async () => {
    const [plain, icon, emoji] = await Promise.all(
      [{}, { icon: 'fa-solid fa-book' }, { emoji: '1f4d8' }].map((page) => print({ markdown: 'x', ...page })),
    );
    expect(icon?.pages[0]?.paths).toBe((plain?.pages[0]?.paths ?? 0) + 1);
    expect(emoji?.pages[0]?.text).toMatch(/^📘 Page 0/);
  });
});

test('an emoji is printed instead of its name', async () => {
  expect(await printedText('Well :tada: done, and :unheard_of: too')).toBe(
    'Well 🎉 done, and :unheard_of: too',
  );
});

describe('buttons', () => {
  test('are drawn apart from each other', async () => {
    const markdown =
      '<a href="https://example.com/a" class="button primary">One</a><a href="https://example.com/b" class="button secondary">Two</a>';
    const { pages } = await print({ markdown });
    const [one, two] = pages[0]?.areas ?? [];
    expect(pages[0]?.links).toEqual(['https://example.com/a', 'https://example.com/b']);
    expect(pages[0]?.paths).toBeGreaterThanOrEqual(2);
    expect(two?.[1]).toBe(one?.[1]);
    expect((two?.[0] ?? 0) - (one?.[2] ?? 0)).toBeGreaterThanOrEqual(5);
  });

  test('without a link have the text of their labels', async () => {
    expect(await printedText('<button type="button" class="button">Ask me</button>')).toBe('Ask me');
  });
});

describe('the head of a table', () => {
  const rows = Array.from({ length: 200 }, (_, at) => `| row ${at} | first<br>second ${at} |`);
  const table = (head: string) => [head, '|---|---|', ...rows].join('\n');

  test('is repeated on each page that the table continues on', async () => {
    const { pages } = await print({ markdown: `${table('| Name | Value |')}\n\nAfter` });
    expect(pages.length).toBeGreaterThan(6);
    for (const [at, { text }] of pages.entries()) {
      const start = at === 0 ? /^Page 0\s+Name\s+Value\s+row 0\b/ : /^Name\s+Value\s+row \d+/;
      expect(text).toMatch(start);
      expect(text.match(/Name/g)).toHaveLength(1);
    }
    const all = pages.map(({ text }) => text).join(' ');
    expect(all.match(/row \d+/g)).toEqual(rows.map((_, at) => `row ${at}`));
  });

  test('is repeated where a row is split', async () => {
    const cell = Array.from({ length: 120 }, (_, at) => `line ${at}`).join('<br>');
    const { pages } = await print({ markdown: `| Name |\n|---|\n| ${cell} |` });
    expect(pages.map(({ text }) => text.match(/Name/g)?.length)).toEqual(pages.map(() => 1));
    expect(pages.flatMap(({ text }) => text.match(/line \d+/g) ?? [])).toHaveLength(120);
  });

  test('is not repeated if it is tall', async () => {
    const { pages } = await print({ markdown: table(`| Name ${'and more '.repeat(500)} | Value |`) });
    expect(pages.filter(({ text }) => /Name/.test(text))).toHaveLength(1);
  });
});

test('a link to a missing anchor leads to the start of its page', async () => {
  const { pages } = await print(
    { markdown: '[Missing](#nowhere) and [there](#here)\n\n## Here' },
    { markdown: 'More' },
  );
  expect(pages[1]?.links).toEqual([2, 2]);
});
