import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readableText } from '../../../server/content/expressions/visible-text.ts';
import { parseMarkdown } from '../../../server/content/markdown/markdown.ts';
import { listSegments, translatePage } from '../../../server/content/translation/page.ts';
import { repairTranslation } from '../../../server/content/translation/repair.ts';
import { placements } from '../../support/content/conditional-placements.ts';
import { reversed } from '../../support/translations/translation-service.ts';
import { page } from '../markdown/arbitrary.ts';

const NO_TERMS = new Map<string, string>();

/** Translates a text as the platform does, with a translator of segments. */
function translate(
  markdown: string,
  translator: (html: string) => string = reversed,
  glossary: ReadonlyMap<string, string> = NO_TERMS,
) {
  const texts = { title: 'Title', markdown };
  const translations = new Map<string, string>();
  for (const { hash, html } of listSegments(texts, glossary, 'en')) {
    const repaired = repairTranslation(html, translator(html), 'de');
    if (repaired !== undefined) {
      translations.set(hash, repaired);
    }
  }
  return { ...translatePage(texts, glossary, translations), translations };
}

/** Lists what a translation must not change: code, formulas, variables, the targets of links, and the kinds of blocks. */
function fixedIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) {
    return [];
  }
  if (Array.isArray(value)) {
    return value.flatMap(fixedIn);
  }
  const node = value as Record<string, unknown>;
  const own: string[] = [];
  if (node.object === 'block' || node.object === 'inline') {
    own.push(String(node.type));
  }
  for (const name of [
    'ref',
    'refDark',
    'url',
    'formula',
    'expression',
    'code',
    'icon',
    'style',
    'attributes',
  ]) {
    if (node[name] !== undefined) {
      own.push(`${name} ${JSON.stringify(node[name])}`);
    }
  }
  if (node.object === 'block' && node.type === 'code') {
    own.push(JSON.stringify(node.nodes).replace(/"key":"[^"]*",?/g, ''));
  }
  if (node.object === 'leaf') {
    const isCode = /"(?:code|keyboard)"/.test(JSON.stringify(node.marks));
    own.push(...(isCode || node.raw ? [`code ${node.text}`] : []));
    own.push(...(String(node.text).match(/\{\{[^{}]*\}\}|https?:\/\/[^\s<>"']+/g) ?? []));
  }
  return [...own, ...Object.values(node).flatMap(fixedIn)];
}

test('translations of arbitrary pages keep code, links, variables and structure', {
  timeout: 120_000,
}, () => {
  let problems = 0;
  fc.assert(
    fc.property(page, (markdown) => {
      const result = translate(markdown);
      problems += result.problems;
      const [before, after] = [parseMarkdown(markdown), parseMarkdown(result.markdown ?? '')];
      expect(fixedIn(after.nodes).sort()).toEqual(fixedIn(before.nodes).sort());
    }),
    { numRuns: 15 * Number(process.env.COLOPHON_TEST_RUNS ?? 1) },
  );
  // The structure is kept by translating, not by leaving blocks in the source language.
  expect(problems).toBe(0);
});

test('untranslated blocks keep their text as written', () => {
  const markdown = 'Setext\n===\n\n*  One\n*  Two\n\n| A|B |\n|--|--|\n| `x`|2 |\n';
  expect(translate(markdown, () => '<broken').markdown).toBe(markdown);
  const { markdown: partly } = translate(markdown, (html) => (html === 'Two' ? 'Zwei' : '<broken'));
  expect(partly).toBe(markdown.replace('Two', 'Zwei'));
});

test('a block whose structure would change keeps its text, and counts as a problem', () => {
  const texts = { title: 'Title', markdown: 'One {{ x }}.\n\nTwo.\n' };
  const segments = listSegments(texts, NO_TERMS, 'en');
  const translations = new Map(segments.map(({ hash, html }) => [hash, reversed(html)]));
  const [, first] = segments;
  // Stored by hand: the service can not lose an element unnoticed.
  translations.set(first?.hash ?? '', 'ENO.');
  expect(translatePage(texts, NO_TERMS, translations)).toEqual({
    title: 'ELTIT',
    markdown: 'One {{ x }}.\n\nOWT.\n',
    problems: 1,
  });
});

test('titles of tabs, alternative texts, labels and notes are translated', () => {
  const markdown = [
    '{% tabs %}\n{% tab title="First tab" %}\nText[^1].\n{% endtab %}\n{% endtabs %}',
    '<figure><img src="a.png" alt="A picture"><figcaption><p>The caption</p></figcaption></figure>',
    '<a href="b.md" class="button primary">Press here</a>',
    '[^1]: A note.\n',
  ].join('\n\n');
  expect(translate(markdown).markdown).toBe(
    markdown
      .replace('First tab', 'TSRIF BAT')
      .replace('Text', 'TXET')
      .replace('A picture', 'A ERUTCIP')
      .replace('The caption', 'EHT NOITPAC')
      .replace('Press here', 'SSERP EREH')
      .replace('A note', 'A ETON'),
  );
});

test('cells of columns without text, and options, are not translated', () => {
  const markdown =
    '<table><thead><tr><th>Done</th><th data-type="checkbox">Yes</th></tr></thead><tbody><tr><td>Text</td><td>true</td></tr></tbody></table>\n';
  expect(translate(markdown).markdown).toBe(
    markdown.replace('Done', 'ENOD').replace('Yes', 'SEY').replace('Text', 'TXET'),
  );
});

test('headings keep the anchors that links refer to', () => {
  const { markdown } = translate('## Set up\n\n## Set up\n\n## Own {#mine}\n\n[See](#set-up-1)\n');
  expect(markdown).toMatch(/id="set-up"[\s\S]*id="set-up-1"[\s\S]*mine[\s\S]*\(#set-up-1\)/);
});

test('glossary terms are replaced, and changing one changes only the segments that contain it', () => {
  const markdown = 'A space has pages.\n\nAnother text.\n\n## Space\n\n`space` and spaces\n';
  const glossary = new Map([
    ['space', 'Bereich'],
    ['Space', 'Bereich'],
  ]);
  expect(translate(markdown, reversed, glossary).markdown).toBe(
    'A Bereich SAH SEGAP.\n\nREHTONA TXET.\n\n## Bereich <a href="#space" id="space"></a>\n\n`space` DNA SECAPS\n',
  );
  const hashes = (terms: ReadonlyMap<string, string>) =>
    listSegments({ title: '', markdown }, terms, 'en').map(({ hash }) => hash);
  const changed = new Map([...glossary, ['space', 'Raum']]);
  expect(new Set(hashes(changed)).difference(new Set(hashes(glossary))).size).toBe(1);
});

test('words to translate are counted without code, links and variables', () => {
  const words = (markdown: string, language = 'en') =>
    listSegments({ title: '', markdown }, NO_TERMS, language).map((segment) => segment.words);
  expect(words("Don't run `npm start` at https://example.com with {{ x.y }}.\n\n12 apples\n\n42\n")).toEqual([
    4, 2,
  ]);
  expect(words('東京へ行きます\n', 'ja')).toEqual([4]);
});

test.each(placements('Quillwortfern').filter(({ isShown }) => isShown))(
  'a translator cannot move text out of a condition in $name',
  ({ markdown }) => {
    // Words in their order, after all elements.
    const moved = (html: string) => {
      const elements = html.match(/<[^>]*\/>|<(\w+)[^>]*>[^<]*<\/\1>/g) ?? [];
      return elements.join('') + elements.reduce((rest, element) => rest.replace(element, ' '), html);
    };
    const { markdown: translated = '' } = translate(markdown, moved);
    expect(readableText({ markdown: translated, claims: { beta: true } })).toContain('Quillwortfern');
    expect(readableText({ markdown: translated, claims: {} })).not.toContain('Quillwortfern');
  },
);
