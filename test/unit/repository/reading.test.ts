import { describe, expect, test } from 'vitest';
import { imageDimensions } from '../../../server/content/repository/read/assets.ts';
import { readRepository } from '../../../server/content/repository/read/repository.ts';
import { sampleRepositories } from '../../support/content/repositories.ts';
import { png } from '../../support/pdf/pngs.ts';
import { documents, type Files, inMemory, page, read } from './reading-samples.ts';

const platform = sampleRepositories.find((sample) => sample.name === 'as the platform writes it');

describe('a page', () => {
  // The sample contains neither links nor submodules.
  const content = read(platform?.files as Files);
  const byPath = new Map(documents(content.pages).map((document) => [document.git.path, document]));

  test('has all properties of its front matter', () => {
    expect(byPath.get('README.md')).toMatchObject({
      title: 'Welcome',
      description: 'Where it all begins',
      icon: 'house',
      cover: {
        ref: { kind: 'file', path: '.gitbook/assets/cover (1).png' },
        refDark: { kind: 'file', path: '.gitbook/assets/cover-dark.png' },
        yPos: -12.5,
      },
      layout: {
        width: 'wide',
        cover: true,
        coverSize: 'full',
        coverMask: 'none',
        title: true,
        description: false,
        tableOfContents: true,
        outline: false,
        pagination: false,
        metadata: true,
        tags: true,
        actions: true,
        anchors: true,
      },
      hidden: false,
      noIndex: false,
      noRobotsIndex: false,
      git: { oid: expect.stringMatching(/^[0-9a-f]{40}$/), path: 'README.md' },
    });
    expect(byPath.get('readme/what-is-new.md')).toMatchObject({
      hidden: true,
      noIndex: true,
      noRobotsIndex: true,
    });
    expect(byPath.get('getting-started/quick-start.md')?.variables).toEqual({
      version: 'v2.1.0',
      port: '8080',
      beta: 'true',
    });
  });

  test('has a text without front matter and title', () => {
    expect(byPath.get('getting-started/quick-start.md')?.markdown).toBe('Run it.\n');
    expect(byPath.get('README.md')?.markdown).toMatch(/^\{% include/);
  });

  test('has reusable contents, variables, computed entries and files', () => {
    expect(content.reusableContents).toEqual([
      {
        title: 'Support',
        markdown: 'Write to us.\n',
        git: { oid: expect.any(String), path: '.gitbook/includes/support.md' },
      },
    ]);
    expect(content.variables).toEqual({ latest_version: 'v3.0.4', year: '2026' });
    expect(content.files[0]).toEqual({
      name: 'cover (1).png',
      contentType: 'image/png',
      size: png(40, 30).length,
      dimensions: { width: 40, height: 30 },
      git: { oid: expect.any(String), path: '.gitbook/assets/cover (1).png' },
    });
    const api = byPath.get('sdks/api/README.md');
    expect(api?.pages).toEqual([
      {
        type: 'computed',
        key: expect.stringMatching(/^computed:/),
        title: 'Pet store',
        computed: {
          type: 'builtin:openapi',
          props: { models: true, downloadLink: true },
          dependencies: { spec: { ref: { kind: 'openapi', spec: 'pet-store' } } },
        },
      },
    ]);
  });
});

describe("a page's title", () => {
  test.each([
    ['# Plain\n\nText', 'Plain', 'Text'],
    ['# Closed ##\nText', 'Closed', 'Text'],
    ['#Not a heading\n\nText', 'Page', '#Not a heading\n\nText'],
    ['Underlined\n===\n\nText', 'Underlined', 'Text'],
    ['\n\n# `Code` **bold** [link](x) &amp; \\* <a id="x"></a>\n', 'Code bold link & *', ''],
    ['## Second level\n\n# First\n', 'First', '## Second level\n\n# First\n'],
    ['![badge](b.svg)\n\n# Below a badge\n\nText', 'Below a badge', '![badge](b.svg)\n\nText'],
    ['~~~\n# Code\n~~~\n\n# Title\n', 'Title', '~~~\n# Code\n~~~\n\n'],
    ['    # Code\n', 'Page', '    # Code\n'],
    ['<!-- # Comment -->\n# Title\n', 'Title', '<!-- # Comment -->\n'],
    ['---\ntitle: From the front matter\n---\nText', 'From the front matter', 'Text'],
    ['---\ntitle: "Two  spaces\\n"\n---\nText', 'Two spaces', 'Text'],
    ['#\n\nText', 'Page', '#\n\nText'],
    ['', 'Page', ''],
  ])('of %j', (text, title, markdown) => {
    expect(page(text)).toMatchObject({ title, markdown });
  });

  test('is that of the table of contents, and an equal heading is removed', () => {
    const title = (entry: string, heading: string) =>
      documents(read({ 'SUMMARY.md': `* [${entry}](a.md)`, 'a.md': `# ${heading}\n\nText\n` }).pages)[0];
    expect(title('Start', 'Start')).toMatchObject({ title: 'Start', markdown: 'Text\n' });
    expect(title('🚀 Start', 'start')).toMatchObject({ title: '🚀 Start', markdown: 'Text\n' });
    expect(title('Start', 'Getting started')).toMatchObject({
      title: 'Start',
      markdown: '# Getting started\n\nText\n',
    });
    expect(title('C', 'C++')).toMatchObject({ title: 'C', markdown: '# C++\n\nText\n' });
    expect(title('', 'From the page')).toMatchObject({ title: 'From the page', markdown: 'Text\n' });
  });
});

describe('unusual texts', () => {
  test.each([
    ['nested lists', `${'* '.repeat(3_000)}a`],
    ['emphasis', `* ${'*a_'.repeat(10_000)}`],
    ['images', `* ${'![a]('.repeat(20_000)}`],
    ['indentation', Array.from({ length: 500 }, (_, at) => `${' '.repeat(2 * at)}* a`).join('\n')],
  ])('do not stop an import: a table of contents of %s', (_name, summary) => {
    const content = read({ 'SUMMARY.md': summary, 'README.md': '# Still here\n' });
    expect(documents(content.pages).map((document) => document.title)).toEqual(['Still here']);
    expect(content.problems).toMatchObject([
      { path: 'SUMMARY.md', message: expect.stringContaining('was ignored') },
    ]);
  });

  test.each(['[a](', '](<', 'src="', '# ', '#', '`', ' ', '\n', '[', '<!--', '---\n', '=', ' #', '\u200B'])(
    'are read to the end: a page of %j',
    (part) => {
      page(`# ${part.repeat(300_000)}`);
      page(part.repeat(300_000));
      page(`---\n${part.repeat(3_000)}`);
    },
  );

  test('are skipped if they are too long', () => {
    const files = inMemory({ 'README.md': '# Here\n', 'long.md': '' });
    const content = readRepository({
      ...files,
      read: (path) => (path === 'long.md' ? undefined : files.read(path)),
    });
    expect(documents(content.pages)).toHaveLength(1);
    expect(content.problems).toMatchObject([
      { path: 'long.md', message: expect.stringContaining('8388608 bytes') },
    ]);
  });

  test('in deep lists and deep folders are flattened', () => {
    const path = `${'d/'.repeat(100)}page.md`;
    expect(documents(read({ [path]: '# Deep\n' }).pages)).toHaveLength(1);
    const summary = Array.from({ length: 50 }, (_, at) => `${'  '.repeat(at)}* [P${at}](p${at}.md)`).join(
      '\n',
    );
    const files = Object.fromEntries(Array.from({ length: 50 }, (_, at) => [`p${at}.md`, '']));
    const content = read({ ...files, 'SUMMARY.md': summary });
    expect(documents(content.pages)).toHaveLength(50);
    expect(Math.max(...documents(content.pages).map((document) => document.path.split('/').length))).toBe(32);
  });
});

test('in a long table of contents are parsed as in a short one', () => {
  const item = (at: number) => {
    const page = `* [Page ${at}](p${at}.md)\n  * [Below](b${at}.md)\n`;
    if (at % 7 === 0) {
      return `## Group ${at}\n\n${page}`;
    }
    if (at % 11 === 0) {
      return `***\n\n${page}`;
    }
    if (at % 13 === 0) {
      return `* \`\`\`yaml\n  type: builtin:openapi\n${'  # * no\n'.repeat(90)}  \`\`\`\n${page}`;
    }
    return `${page}${at % 5 === 0 ? '* [Gone](gone.md)\n' : ''}`;
  };
  const summary = Array.from({ length: 200 }, (_, at) => item(at)).join('');
  const files = Object.fromEntries(
    Array.from({ length: 200 }, (_, at) => [`p${at}.md`, `b${at}.md`]).flatMap((pair) =>
      pair.map((path) => [path, '']),
    ),
  );
  // A definition makes the reader parse the text as a whole.
  const [parts, complete] = [summary, `${summary}\n[x]: y\n`].map((text) =>
    read({ ...files, 'SUMMARY.md': text }),
  );
  expect(documents(parts?.pages ?? [])).toHaveLength(400);
  expect(parts).toEqual(complete);
  // Code that the end of the list truncates.
  const unusual = summary.replaceAll('  # * no', '* [no](item.md)');
  const [unusualParts, unusualWhole] = [unusual, `${unusual}\n[x]: y\n`].map((text) =>
    read({ ...files, 'SUMMARY.md': text }),
  );
  expect(unusualParts).toEqual(unusualWhole);
});

test('have the same accents in any encoding', () => {
  const content = read({ 'SUMMARY.md': '* [Apart](gro\u0308\u00dfe.md)', 'gr\u00f6\u00dfe.md': '' });
  expect(documents(content.pages).map((document) => document.git.path)).toEqual(['gr\u00f6\u00dfe.md']);
});

describe('an image', () => {
  test.each([
    ['a PNG', png(12, 34), { width: 12, height: 34 }],
    [
      'an SVG with lengths',
      Buffer.from('<?xml version="1.0"?>\n<svg width="30" height="20px"></svg>'),
      { width: 30, height: 20 },
    ],
    ['an SVG with a view box', Buffer.from('<svg viewBox="0 0 8 4"></svg>'), { width: 8, height: 4 }],
    ['an empty file', new Uint8Array(), undefined],
    ['a text', Buffer.from('P3 is no image here'), undefined],
    ['half a PNG', png(12, 34).subarray(0, 12), undefined],
    ['an SVG without end', Buffer.from('<svg '.repeat(100_000)), undefined],
  ])('%s has its size, or none', (_name, content, expected) => {
    expect(imageDimensions(content)).toEqual(expected);
  });
});

test('an entry without a target is reported with its line', () => {
  const { problems } = read({ 'README.md': '', 'SUMMARY.md': '# Contents\n\n* [Gone](gone.md)\n' });
  expect(problems).toEqual([
    { path: 'SUMMARY.md', line: 3, reason: 'not_found', message: expect.stringContaining('"gone.md"') },
  ]);
});
