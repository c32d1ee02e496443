import { assert, constantFrom, property, shuffledSubarray } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readRepository } from '../../../server/content/repository/read/repository.ts';
import type { ExportedContent, ExportedDocument } from '../../../server/content/repository/write/types.ts';
import { DEFAULT_LAYOUT } from '../../../server/content/tree/records.ts';
import { runs } from '../../support/seed.ts';
import { comparable, exported, type Files, inMemory, written } from './writing-samples.ts';

/** Changes the page `one.md` of a repository, and returns the texts that are written. */
function change(head: Files, values: Partial<ExportedDocument>, treeURL?: string): Map<string, string> {
  const content = exported(readRepository(inMemory(head), '', { treeURL }));
  const given: ExportedContent = {
    ...content,
    pages: content.pages.map((page) =>
      page.type === 'document' && page.git?.path === 'one.md' ? { ...page, ...values } : page,
    ),
  };
  const { texts, after } = written(given, head, { treeURL });
  expect(comparable(exported(readRepository(inMemory(after), '', { treeURL })))).toEqual(comparable(given));
  return new Map(texts);
}

const SUMMARY = '# Table of contents\n\n* [One](one.md)\n';

const MATTER = [
  '---',
  'cover: .gitbook/assets/A cover (1).png   # the cover',
  'coverY:   0',
  'tags: [a, b]',
  'layout:',
  '  cover:',
  '    visible: true',
  '    size: hero',
  '  # about the title',
  '  title:',
  '    visible: true',
  '  outline: { visible: false }',
  'actions:',
  '  - "one": 1',
  "description: 'It''s all here'",
  'og_image: x.png',
  'vars:',
  '    version: "1.10"',
  '    name: Harbour # the product',
  '---',
].join('\n');

const page = (matter: string, body = '\n# One\n\nFirst words.\n\nMore words.\n') => ({
  'SUMMARY.md': SUMMARY,
  'one.md': `${matter}\n${body}`,
  '.gitbook/assets/A cover (1).png': 'x',
});

describe('a page that is edited', () => {
  const head = page(MATTER);
  const before = head['one.md'];

  test('keeps its front matter when a word of its text changes', () => {
    expect(change(head, { markdown: 'First word.\n\nMore words.\n' })).toEqual(
      new Map([['one.md', before.replace('First words', 'First word')]]),
    );
  });

  const edits: [string, Partial<ExportedDocument>, [string, string][]][] = [
    ['a description', { description: "It isn't" }, [["'It''s all here'", "'It isn''t'"]]],
    ['no description', { description: undefined as never }, [["description: 'It''s all here'\n", '']]],
    ['an icon', { icon: 'star' }, [['Harbour # the product\n', 'Harbour # the product\nicon: star\n']]],
    ['a slug', { slug: 'first' }, [['Harbour # the product\n', 'Harbour # the product\nslug: first\n']]],
    [
      'a wide layout',
      { layout: { ...DEFAULT_LAYOUT, outline: false, width: 'wide' } },
      [['outline: { visible: false }\n', 'outline: { visible: false }\n  width: wide\n']],
    ],
    ['a visible outline', { layout: DEFAULT_LAYOUT }, [['{ visible: false }', '{ visible: true }']]],
    [
      'a hidden title',
      { layout: { ...DEFAULT_LAYOUT, outline: false, title: false } },
      [['title:\n    visible: true', 'title:\n    visible: false']],
    ],
    [
      'other variables',
      { variables: { version: '1.20', edition: 'a: b' } },
      [
        ['"1.10"', '"1.20"'],
        ['    name: Harbour # the product\n', '    edition: "a: b"\n'],
      ],
    ],
    ['a title', { title: 'Two & more' }, [['# One', '# Two & more']]],
  ];
  test.each(edits)('changes only the lines of %s', (_, values, replacements) => {
    const expected = replacements.reduce((text, [from, to]) => {
      expect(text).toContain(from);
      return text.replace(from, to);
    }, before);
    expect(change(head, values).get('one.md')).toBe(expected);
  });

  test('keeps folded descriptions folded', () => {
    const folded = page('---\ndescription: >-\n  Words that go\n  on.\nkey: |\n  kept\n---');
    expect(change(folded, { description: 'Other words: few.' }).get('one.md')).toBe(
      folded['one.md'].replace('>-\n  Words that go\n  on.', '>-\n  Other words: few.'),
    );
  });

  test('gets front matter if it has none, and loses it with its last setting', () => {
    const bare = { 'SUMMARY.md': SUMMARY, 'one.md': '# One\n\nText.\n' };
    expect(change(bare, { icon: 'star' }).get('one.md')).toBe('---\nicon: star\n---\n\n# One\n\nText.\n');
    const last = { ...bare, 'one.md': '---\nicon: star\n---\n\n# One\n\nText.\n' };
    expect(change(last, { icon: undefined as never }).get('one.md')).toBe(bare['one.md']);
  });

  test.each([
    ['a heading that is not the first one', '## A\n\n# One\n', '# First\n\n## A\n\n# One\n'],
    ['no heading', '---\ntags: [a]\n---\n\nText.\n', '---\ntags: [a]\n---\n\n# First\n\nText.\n'],
    ['no text', '', '# First\n'],
    ['a title in its front matter', '---\ntitle: One\n---\nText.\n', '---\ntitle: First\n---\nText.\n'],
  ])('gets a title in its file without a table of contents: %s', (_name, before, after) => {
    expect(change({ 'one.md': before }, { title: 'First' })).toEqual(new Map([['one.md', after]]));
  });

  test('keeps its heading as it is written, and the title that only its front matter has', () => {
    const head = { 'SUMMARY.md': SUMMARY, 'one.md': '---\ntitle: One for engines\n---\nOne\n===\n\nText.\n' };
    expect(change(head, { markdown: 'Words.\n' }).get('one.md')).toBe(
      head['one.md'].replace('Text', 'Words'),
    );
    expect(change(head, { title: 'First' }).get('one.md')).toBe(
      head['one.md'].replace('One\n===', 'First\n==='),
    );
    const plain = { 'SUMMARY.md': SUMMARY, 'one.md': 'No heading.\n' };
    expect(change(plain, { markdown: 'None.\n' }).get('one.md')).toBe('None.\n');
    expect([...change(plain, { title: 'First' }).keys()]).toEqual(['SUMMARY.md']);
  });

  test('keeps a heading that follows other text, and paths outside of the content', () => {
    const head = {
      '.gitbook.yaml': 'root: ./\n',
      'SUMMARY.md': SUMMARY,
      'one.md': '> A quotation.\n\n# One\n\n[code](../src/main.ts)\n\nText.\n',
    };
    expect(change(head, { markdown: '> A quote.\n\n[code](../src/main.ts)\n\nWords.\n' }).get('one.md')).toBe(
      '> A quote.\n\n# One\n\n[code](../src/main.ts)\n\nWords.\n',
    );
  });

  test('keeps its newlines and byte-order mark', () => {
    const windows = page(MATTER);
    const text = `\uFEFF${windows['one.md'].replaceAll('\n', '\r\n')}`;
    const head = { ...windows, 'one.md': text };
    expect(
      change(head, { icon: 'star', markdown: 'First words.\n\nNew words.\nAnd more.\n' }).get('one.md'),
    ).toBe(
      text
        .replace('# the product\r\n', '# the product\r\nicon: star\r\n')
        .replace('More words.', 'New words.\r\nAnd more.'),
    );
  });

  test('changes only the lines of one setting, whatever else its front matter has', () => {
    const lines = [
      'description: Words # words',
      'icon:   "star"',
      'hidden: true',
      'noIndex: yes',
      'tags:\n- a\n- b',
      'layout:\n    title: {visible: false}\n    outline:\n      visible: true\n      depth: 2',
      'title: Longer title',
      '# a comment\nauthor: &a Ada',
      'vars:\n  a: 1.10',
      'emoji: 🚀',
      'nested: {a: [1, {b: c}]}',
      'text: |\n  two\n\n  lines',
    ];
    const edit = constantFrom<[string, Partial<ExportedDocument>]>(
      ['description', { description: 'Other: words' }],
      ['icon', { icon: 'moon' }],
      ['emoji', { emoji: '🌍' }],
      ['vars', { variables: { a: '2', b: '#' } }],
      ['layout', { layout: { ...DEFAULT_LAYOUT, title: false, metadata: false } }],
      ['markdown', { markdown: 'Other.\n' }],
    );
    assert(
      property(shuffledSubarray(lines, { minLength: 1 }), edit, (parts, [key, values]) => {
        const head = { 'SUMMARY.md': SUMMARY, 'one.md': `---\n${parts.join('\n')}\n---\n# One\n\nText.\n` };
        const text = change(head, values).get('one.md') ?? '';
        const isOther = (part: string) => !part.startsWith(key);
        let at = 0;
        for (const part of [...parts.filter(isOther), '---\n# One\n\n']) {
          const found = text.indexOf(`\n${part}`, at);
          expect(found, `${part} in ${text}`).toBeGreaterThanOrEqual(at);
          at = found + part.length;
        }
      }),
      { numRuns: runs(200) },
    );
  });
});

describe('variables and reusable contents that are edited', () => {
  const head = {
    'SUMMARY.md': SUMMARY,
    'one.md': '# One\n',
    '.gitbook/vars.yaml': '# ours\nb: "1" # one\na: two\n',
    '.gitbook/includes/note.md': '---\nowner: Ada\ntitle: "A note"\n---\n\nNoted.\n',
    '.gitbook/includes/bare.md': 'Bare.\n',
  };
  const content = exported(readRepository(inMemory(head)));

  test('keep the lines that are unchanged', () => {
    const { texts } = written(
      {
        ...content,
        variables: { b: '2', c: 'x' },
        reusableContents: content.reusableContents.map((one) => ({
          ...one,
          ...(one.id.includes('note') ? { title: 'Two notes' } : { markdown: 'Barer.\n' }),
        })),
      },
      head,
    );
    expect(Object.fromEntries(texts)).toEqual({
      '.gitbook/vars.yaml': '# ours\nb: "2" # one\nc: x\n',
      '.gitbook/includes/note.md': '---\nowner: Ada\ntitle: "Two notes"\n---\n\nNoted.\n',
      '.gitbook/includes/bare.md': 'Barer.\n',
    });
  });
});

describe('a repository without a table of contents', () => {
  test('gets none while its folders define the tree', () => {
    const head = {
      'README.md': '# Home\n',
      'guide/one.md': '# One\n\nText.\n',
      'one.md': '# One\n\nText.\n',
    };
    expect(change(head, { markdown: 'Words.\n' })).toEqual(new Map([['one.md', '# One\n\nWords.\n']]));
    expect(change(head, { title: 'Two' })).toEqual(new Map([['one.md', '# Two\n\nText.\n']]));
  });
});
