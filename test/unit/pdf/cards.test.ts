import { describe, expect, test } from 'vitest';
import { png } from '../../support/pdf/pngs.ts';
import { print } from '../../support/pdf/printing.ts';

const cards = (rows: string) =>
  `<table data-view="cards"><thead><tr><th></th><th></th><th data-hidden></th><th data-hidden data-card-target data-type="content-ref"></th><th data-hidden data-card-cover data-type="files"></th></tr></thead><tbody>${rows}</tbody></table>`;

const card = (title: string, target = '', cover = '') =>
  `<tr><td><strong>${title}</strong></td><td>About ${title}</td><td>secret</td><td>${target}</td><td>${cover}</td></tr>`;

describe('cards', () => {
  test('have their texts, without hidden columns', async () => {
    const { pages } = await print({ markdown: cards(card('One') + card('Two') + card('Three')) });
    const text = pages[0]?.text.replace(/\s+/g, ' ') ?? '';
    expect(text).toBe('Page 0 One About One Two About Two Three About Three 1');
  });

  test('lead to their targets with their titles and covers', async () => {
    const { pages } = await print(
      {
        markdown: cards(
          card('One', '<a href="/pages/page_1">x</a>', '<a href="c.png">c.png</a>') +
            card('Two', '<a href="https://example.com/two">https://example.com/two</a>'),
        ),
        images: { 'c.png': png(40, 20) },
      },
      { markdown: 'x' },
    );
    expect(pages[1]?.images).toBe(1);
    expect(pages[1]?.links).toEqual([3, 3, 'https://example.com/two']);
    expect(pages[1]?.text).not.toContain('example.com');
  });

  test('are next to each other, and on the next page where there is no space', async () => {
    const rows = Array.from({ length: 60 }, (_, at) => card(`Card${at}.`)).join('');
    const { pages } = await print({ markdown: cards(rows) });
    const at = (title: string) => {
      const words = pages.flatMap(({ words }) => words);
      const found = words.find(({ text }) => text === title);
      return { left: found?.left ?? Number.NaN, baseline: found?.baseline ?? Number.NaN };
    };
    expect(at('Card1.').baseline).toBeCloseTo(at('Card0.').baseline);
    expect(at('Card1.').left).toBeGreaterThan(at('Card0.').left + 100);
    expect(at('Card2.').left).toBeCloseTo(at('Card0.').left);
    expect(pages.length).toBeGreaterThan(1);
    expect(pages.flatMap(({ text }) => text.match(/^Card\d+/gm) ?? [])).toHaveLength(60);
    const lowest = Math.min(...pages.flatMap(({ words }) => words.map(({ baseline }) => baseline)));
    expect(lowest).toBeGreaterThan(20);
  });

  test('that are taller than a page continue on the next one', async () => {
    const long = Array.from({ length: 120 }, (_, at) => `line ${at}`).join('<br>');
    const { pages } = await print({ markdown: cards(card(long)) });
    expect(pages.length).toBeGreaterThan(1);
    const lines = pages.flatMap(({ text }) => text.match(/line \d+/g) ?? []);
    expect(lines.slice(0, 120)).toEqual(Array.from({ length: 120 }, (_, at) => `line ${at}`));
  });

  test('without a title have that of their target', async () => {
    const { pages } = await print({
      markdown:
        '<table data-view="cards"><thead><tr><th data-hidden data-card-target data-type="content-ref"></th></tr></thead><tbody><tr><td><a href="/pages/page_0">x</a></td></tr></tbody></table>',
    });
    expect(pages[0]?.links).toEqual([1]);
  });
});

test('cells have the labels of options and the titles of pages', async () => {
  const { pages } = await print({
    markdown:
      '<table><thead><tr><th>A</th><th data-type="select">B</th><th data-type="checkbox">C</th></tr></thead><tbody><tr><td>x</td><td><span data-option="o">Label</span></td><td>true</td></tr></tbody></table>',
  });
  expect(pages[0]?.text.replace(/\s+/g, ' ')).toBe('Page 0 A B C x Label ☑ 1');
});
