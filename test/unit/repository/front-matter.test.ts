import { describe, expect, test } from 'vitest';
import {
  MAX_CONFIGURATION_CHARACTERS,
  MAX_FRONT_MATTER_CHARACTERS,
} from '../../../server/content/repository/yaml.ts';
import { png } from '../../support/pdf/pngs.ts';
import { documents, page, read } from './reading-samples.ts';

describe('front matter', () => {
  test.each([
    ['a byte-order mark', '\uFEFF---\ndescription: here\n---\ntext\n'],
    ['a zero-width space before a key', '---\n\u200Bdescription: here\n---\ntext\n'],
    ['newlines of Windows', '---\r\ndescription: here\r\n---\r\ntext\r\n'],
    ['keys of other tools', '---\nsidebar_position: 3\ntags: [a, b]\ndescription: here\n---\ntext\n'],
    ['anchors', '---\nx: &x here\ndescription: *x\n---\ntext\n'],
    ['a quoted text over lines', '---\ndescription: "here"\nother: "a\n\n  b"\n---\ntext\n'],
    ['a key twice', '---\ndescription: there\ndescription: here\n---\ntext\n'],
  ])('is parsed with %s', (_name, text) => {
    expect(page(text)).toMatchObject({ description: 'here', markdown: 'text\n', problems: [] });
  });

  test('has the layout of newer pages', () => {
    const matter =
      'tags:\n  - tag: beta\nmetaLinks:\n  alternates: [a]\nlayout:\n  width: wide\n  cover:\n    visible: true\n    size: background\n    mask: radial\n  tags:\n    visible: false\n  actions:\n    visible: false\n  anchors:\n    visible: false\n';
    const { layout, problems } = page(`---\n${matter}---\n\n# Title\n`);
    expect(problems).toEqual([]);
    expect(layout).toMatchObject({
      ...{ width: 'wide', cover: true, coverSize: 'background', coverMask: 'radial' },
      ...{ tags: false, actions: false, anchors: false, metadata: true },
    });
    expect(page('---\nlayout: landing\n---\n').problems).toEqual([]);
  });

  test('that is invalid is reported, and remains in the text', () => {
    const block = '---\ndescription: "never closed\n---\n\n';
    expect(page(`${block}# Title\n\nText.\n`)).toMatchObject({
      title: 'Title',
      markdown: `${block}Text.\n`,
      problems: [expect.stringContaining('imported as text')],
    });
  });

  test('is not a thematic break, and is text if it is not closed', () => {
    expect(page('---\n').markdown).toBe('---\n');
    expect(page('text\n\n---\n\nmore\n').markdown).toBe('text\n\n---\n\nmore\n');
  });

  test.each([
    'description: *gone',
    `a: ${'['.repeat(5_000)}`,
    'a: &a [*a]',
    'a: !!js/function x',
    '- a',
    '"',
    'description: "a\\0b"',
  ])('never fails the import: %s', (yaml) => {
    const read = page(`---\n${yaml}\n---\n# Title\n`);
    expect(JSON.stringify(read)).not.toContain('\\u0000');
  });

  test('cannot expand too far', () => {
    const bomb = `a: &a [x,x,x,x,x,x,x,x,x]\n${Array.from('bcdefghi', (name, at) => `${name}: &${name} [${Array(9).fill(`*${'abcdefgh'[at]}`).join(',')}]`).join('\n')}\n`;
    expect(page(`---\n${bomb}---\n# Title\n`).problems).toHaveLength(1);
  });

  test('accepts each notation of a cover', () => {
    const cover = (yaml: string) => read({ 'page.md': `---\n${yaml}\n---\n`, 'a b.png': png(1, 1) }).pages;
    expect(cover('cover: a b.png')).toMatchObject([
      { cover: { ref: { kind: 'file', path: 'a b.png' }, yPos: 0 } },
    ]);
    expect(cover('cover: a%20b.png\ncoverDark: /a b.png')).toMatchObject([
      { cover: { ref: { kind: 'file', path: 'a b.png' }, refDark: { kind: 'file', path: 'a b.png' } } },
    ]);
    expect(cover('cover: >-\n  https://example.com/a.png?x=1&y=2\ncoverY: "12"')).toMatchObject([
      { cover: { ref: { kind: 'url', url: 'https://example.com/a.png?x=1&y=2' }, yPos: 12 } },
    ]);
    expect(cover('cover: javascript:alert(1)')).not.toMatchObject([{ cover: {} }]);
  });

  test('does not affect other pages', () => {
    const content = read({ 'a.md': '---\nlayout:\n  width: wide\nvars:\n  a: b\n---\n', 'b.md': '# B\n' });
    expect(documents(content.pages).map((document) => [document.layout.width, document.variables])).toEqual([
      ['wide', { a: 'b' }],
      ['default', {}],
    ]);
    const unusual = page('---\n__proto__:\n  hidden: true\nvars:\n  __proto__: x\n---\n');
    expect(unusual.hidden).toBe(false);
    expect(({} as Record<string, unknown>).hidden).toBeUndefined();
  });
});

describe('YAML that is too long to parse', () => {
  // Without the limit, parsing these takes more memory than a process has.
  const hostile = '['.repeat(8_000_000);

  test('remains in the text of its page, and is reported', () => {
    const { markdown, problems } = page(`---\ntitle: ${hostile}\n---\n\nText`);
    expect(markdown).toBe(`---\ntitle: ${hostile}\n---\n\nText`);
    expect(problems).toEqual([
      `The front matter was imported as text because its YAML is invalid: it exceeds ${MAX_FRONT_MATTER_CHARACTERS} characters. Correct it and import again.`,
    ]);
  });

  test('is read up to the limit', () => {
    const filler = '#'.repeat(MAX_FRONT_MATTER_CHARACTERS - 'title: Long\n\n'.length);
    expect(page(`---\ntitle: Long\n${filler}\n---\nText`)).toMatchObject({ title: 'Long', problems: [] });
    expect(page(`---\ntitle: Long\n#${filler}\n---\nText`).problems).toHaveLength(1);
  });

  test.each(['.gitbook.yaml', '.gitbook/vars.yaml'])('disables %s, and is reported', (path) => {
    const content = read({ 'README.md': '# Home', [path]: `root: ${hostile}` });
    expect(documents(content.pages)).toHaveLength(1);
    expect(content.problems).toEqual([
      {
        path,
        reason: 'invalid_syntax',
        message: expect.stringContaining(`exceeds ${MAX_CONFIGURATION_CHARACTERS} characters`),
      },
    ]);
  });
});

test('an error in YAML is reported with its line in the file', () => {
  const { problems } = read({
    'README.md': '---\ntitle: ok\nicon: [a\n---\nText',
    '.gitbook.yaml': 'root: ./\n\nstructure: {a: ]\n',
  });
  expect(problems).toEqual([
    {
      path: '.gitbook.yaml',
      line: 3,
      reason: 'invalid_syntax',
      message: expect.stringMatching(/is invalid: [^\n]+\. Correct it/),
    },
    {
      path: 'README.md',
      line: 4,
      reason: 'invalid_syntax',
      message: expect.stringContaining('imported as text'),
    },
  ]);
});
