import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { convertArchive } from '../../../server/content/convert/archives/archive.ts';
import { unpack } from '../../../server/content/convert/archives/zip.ts';
import {
  confluenceSummary,
  withoutNotionIds,
  withoutSpaceName,
} from '../../../server/content/convert/exports.ts';
import { planAddition } from '../../../server/content/convert/plan.ts';
import { countConverted, type SourceFiles } from '../../../server/content/convert/types.ts';
import type { ImportedPage } from '../../../server/content/repository/types.ts';
import {
  FREE_INFLATION_BYTES,
  MAX_INFLATION_RATIO,
} from '../../../server/contract/limits/inflation-ratio.ts';
import { ScratchFile } from '../../../server/threads/scratch-file.ts';
import { PNG, type ZipEntry, zip } from '../../support/zip.ts';

type Files = Record<string, string | Uint8Array | ZipEntry>;

let folder: string;
let scratch: ScratchFile;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'colophon-archive-'));
  scratch = new ScratchFile(folder);
});
afterAll(async () => {
  scratch[Symbol.dispose]();
  expect(await readdir(folder)).toEqual([]);
  await rm(folder, { recursive: true });
});

/** Unpacks an archive, which is deleted afterwards. */
async function unpacked(archive: Uint8Array, bytes = 1_000_000): Promise<SourceFiles> {
  using packed = new ScratchFile(folder);
  packed.append(archive);
  return await unpack(packed, bytes, scratch);
}

const convert = async (files: Files, options = {}) =>
  convertArchive(await unpacked(zip(files)), { pages: 1_000, scratch, ...options });

const outline = (pages: readonly ImportedPage[], indent = ''): string[] =>
  pages.flatMap((page) => [
    `${indent}${page.type} ${page.title}${'slug' in page ? ` /${page.slug}` : ''}`,
    ...('pages' in page ? outline(page.pages, `${indent}  `) : []),
  ]);

describe('an archive', () => {
  test('becomes a tree of its folders and names, in natural order', async () => {
    const { pages, sourceEntries } = await convert({
      'docs/step-10.md': '# Step ten\n\nText',
      'docs/step-9.md': '# Step nine\n\nText',
      'docs/README.md': '---\ndescription: All of it\n---\n\n# Welcome\n\nHello',
      'docs/guide/index.html': '<title>Guide</title><main><p>About</p></main>',
      'docs/guide/a.markdown': '# A',
      'docs/more/b.htm': '<title>B</title><main><h1>The b</h1><p>Text</p></main>',
    });
    expect(outline(pages)).toEqual([
      'document Welcome /readme',
      'document Guide /guide',
      '  document A /a',
      'group More /more',
      '  document The b /b',
      'document Step nine /step-9',
      'document Step ten /step-10',
    ]);
    expect(pages[0]).toMatchObject({ description: 'All of it', markdown: 'Hello' });
    expect(sourceEntries).toBe(6);
  });

  test('follows its own table of contents', async () => {
    const converted = await convert({
      'SUMMARY.md': '# Summary\n\n* [Two](b.md)\n  * [One](a.md)\n* [Site](https://example.com)\n',
      'a.md': '# A',
      'b.md': '# B',
      'unlisted.md': '# C',
    });
    expect(outline(converted.pages)).toEqual(['document Two /b', '  document One /a', 'link Site']);
    expect([countConverted(converted), converted.sourceEntries]).toEqual([2, 3]);
  });

  test('includes the files that its pages use, and resolves links', async () => {
    const converted = await convert({
      'a/one.md': '![Dot](<../img/a dot.png>) [Two](two.html#part) [B](../b/) [Gone](gone.md)',
      'a/two.html': `<main><img src="../img/a%20dot.png"><img src="data:image/png;base64,${PNG.toString('base64')}"></main>`,
      'b/README.md': '# B',
      'img/a dot.png': PNG,
      'img/unused.png': PNG,
    });
    expect(
      converted.files.map(({ name, contentType, dimensions }) => [name, contentType, dimensions]),
    ).toEqual([
      [expect.stringMatching(/^embedded-[\w-]+\.png$/), 'image/png', { width: 1, height: 1 }],
      ['a dot.png', 'image/png', { width: 1, height: 1 }],
    ]);
    const lead = (address: string) => converted.target(address, 'a/one.md');
    expect(lead('../img/a%20dot.png')).toEqual({ kind: 'file', key: 'img/a dot.png' });
    expect(lead('two.html#part')).toEqual({ kind: 'page', key: 'a/two.md' });
    expect(lead('../b/')).toEqual({ kind: 'page', key: 'b/README.md' });
    expect(lead('../b')).toEqual({ kind: 'page', key: 'b/README.md' });
    for (const address of ['gone.md', '../../etc/passwd', 'https://example.com/two.html', '#part']) {
      expect(lead(address)).toBeUndefined();
    }
    expect(converted.sourceEntries).toBe(6);
  });

  test('is imported up to the limit, with a report of the rest', async () => {
    const files: Files = {};
    for (let at = 0; at < 30; at++) {
      files[`page-${at}.md`] = `# Page ${at}`;
    }
    const converted = await convert(files, { pages: 5 });
    expect(outline(converted.pages).at(-1)).toBe('document Page 4 /page-4');
    expect([countConverted(converted), converted.sourceEntries]).toEqual([5, 30]);
    expect(converted.problems).toEqual([
      { path: 'page-5.md', reason: 'too_large', message: expect.stringContaining('Skipped pages: 25') },
    ]);
  });

  test('is rejected without a page', async () => {
    await expect(convert({ 'a.csv': '1,2' })).rejects.toThrow('no Markdown or HTML');
  });
});

describe('unpacking', () => {
  test('skips links and files of operating systems', async () => {
    const files = await unpacked(
      zip({
        'a.md': 'a',
        'link.md': { content: '/etc/passwd', mode: 0o120777 },
        '__MACOSX/a.md': 'x',
        'b/.DS_Store': 'x',
      }),
      1_000,
    );
    expect([...files.keys()]).toEqual(['a.md']);
  });

  test.each<[string, Files, RegExp]>([
    ['what leads out of it', { '../a.md': 'a' }, /invalid relative path/],
    ['what leads out of it the Windows way', { '..\\a.md': 'a' }, /invalid relative path/],
    ['an absolute path', { '/etc/a.md': 'a' }, /absolute path/],
    ['an encrypted file', { 'a.md': { content: 'a', encrypted: true } }, /encrypted/],
    ['more than the limit', { 'a.md': 'a'.repeat(2_000) }, /exceeds 1000 bytes/],
    [
      'more bytes than it declares',
      { 'a.md': { content: 'a'.repeat(900), declaredBytes: 10 } },
      /cannot be extracted/,
    ],
  ])('rejects %s', async (_name, files, message) => {
    await expect(unpacked(zip(files), 1_000)).rejects.toThrow(message);
  });

  test('rejects an archive whose compression ratio is too high, unless it is small', async () => {
    const swelling = zip({ 'a.md': 'a'.repeat(600_000), 'b.md': 'b'.repeat(600_000) });
    await expect(unpacked(swelling, 10_000_000)).rejects.toThrow(
      `compression ratio of ${MAX_INFLATION_RATIO}`,
    );
    const files = await unpacked(zip({ 'a.md': 'a'.repeat(FREE_INFLATION_BYTES) }), 10_000_000);
    expect(files.get('a.md')?.size).toBe(FREE_INFLATION_BYTES);
  });

  test('rejects data that is not an archive', async () => {
    await expect(unpacked(Buffer.from('no archive'), 1_000)).rejects.toThrow('cannot be extracted');
  });

  test('keeps unpacked files on disk, and reads each on demand', async () => {
    const archive = zip({ 'empty.md': '', 'a.md': 'Text of a', 'b.bin': PNG });
    const files = await unpacked(archive);
    archive.fill(0);
    const read = [...files].map(([path, file]) => [path, file.size, String(Buffer.from(file.read()))]);
    expect(read).toEqual([
      ['empty.md', 0, ''],
      ['a.md', 9, 'Text of a'],
      ['b.bin', PNG.length, String(Buffer.from(PNG))],
    ]);
  });

  test('keeps no converted content in memory', () => {
    let version = 1;
    const read = (text: string) => ({ size: 1, read: () => Buffer.from(`${text}${version}`) });
    const files = new Map([
      ['a.md', read('[file](a.bin) text ')],
      ['a.bin', read('bytes ')],
    ]);
    const { pages, files: imported } = convertArchive(files, { pages: 10, scratch });
    const { bytes } = planAddition(
      { pages, files: imported, variables: {}, target: () => undefined, sourceEntries: 2, problems: [] },
      { createId: (kind) => `${kind}_1`, now: new Date(0) },
    );
    version = 2;
    expect(pages).toMatchObject([{ markdown: '[file](a.bin) text 2' }]);
    expect([...bytes].map(String)).toEqual(['bytes 2']);
  });
});

describe('an export', () => {
  const [first, second] = ['0123456789abcdef0123456789abcdef', 'fedcba9876543210fedcba9876543210'];

  test('of Notion has the names of its pages', async () => {
    const files = withoutNotionIds(
      await unpacked(
        zip({
          [`Home ${first}.md`]: `# Home\n\n[Plan](Home%20${first}/Plan%20${second}.md) ![Dot](Home%20${first}/dot.png)`,
          [`Home ${first}/Plan ${second}.md`]: '# Plan\n\nText',
          [`Home ${first}/dot.png`]: PNG,
        }),
      ),
    );
    const converted = convertArchive(files, { pages: 10, scratch });
    expect(outline(converted.pages)).toEqual(['document Home /home', '  document Plan /plan']);
    expect(converted.target('Home/Plan.md', 'Home.md')).toEqual({ kind: 'page', key: 'Home/Plan.md' });
    expect(converted.files.map(({ key }) => key)).toEqual(['Home/dot.png']);
  });

  test('of Notion keeps the ids of pages with the same name', async () => {
    const files = await unpacked(
      zip({
        [`Note ${first}.md`]: `# Note\n\n[Other](Note%20${second}.md)`,
        [`Note ${second}.md`]: '# Note',
      }),
    );
    expect([...withoutNotionIds(files).keys()]).toEqual(['Note.md', `Note ${second}.md`]);
    expect(String(withoutNotionIds(files).get('Note.md')?.read())).toContain(`(Note%20${second}.md)`);
  });

  test('of Notion keeps a file that has the name of a page without its ID', async () => {
    const files = await unpacked(zip({ [`Note ${first}.md`]: '# Page', 'Note.md': '# File' }));
    expect([...withoutNotionIds(files).keys()].sort()).toEqual([`Note ${first}.md`, 'Note.md']);
  });

  test('of Confluence has no order if its index is nested too deeply', async () => {
    const index = '<ul><li><a href="a.html">a</a>'.repeat(3_000);
    expect(confluenceSummary(await unpacked(zip({ 'index.html': index })))).toBeUndefined();
  });

  test('of Confluence follows its index', async () => {
    const files = await unpacked(
      zip({
        'DOC/index.html':
          '<div id="main-content"><ul><li><a href="Home_1.html">Home</a><ul><li><a href="Set-up_2.html">Set up [all]</a></li></ul></li></ul></div>',
        'DOC/Home_1.html':
          '<title>Docs : Home</title><div id="main-header"><h1 id="title-heading">Docs : Home</h1></div><div id="main-content" class="wiki-content"><p><a href="Set-up_2.html">Next</a></p></div>',
        'DOC/Set-up_2.html':
          '<title>Docs : Set up</title><div id="main-content" class="wiki-content"><p>Text</p></div>',
      }),
    );
    const summary = confluenceSummary(files) ?? '';
    const converted = convertArchive(files, { pages: 10, scratch, summary, titleOf: withoutSpaceName });
    expect(outline(converted.pages)).toEqual(['document Home /home-1', '  document Set up [all] /set-up-2']);
    expect(converted.target('Set-up_2.html', 'DOC/Home_1.md')).toEqual({
      kind: 'page',
      key: 'DOC/Set-up_2.md',
    });
  });
});
