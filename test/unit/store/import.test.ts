import { describe, expect, test } from 'vitest';
import { planContent } from '../../../server/content/edit/plan-content.ts';
import type { ImportedContent } from '../../../server/content/repository/types.ts';
import { planImport } from '../../../server/content/transfer/import.ts';
import { Content, contentAt } from '../../../server/content/tree/content.ts';
import { EMPTY } from '../../../server/content/tree/content-root.ts';
import { addReachable, ReachableSet } from '../../../server/content/tree/reachable.ts';
import { type DocumentRecord, type PageRecord, walk } from '../../../server/content/tree/records.ts';
import { packedHashes } from '../../../server/content/tree/values.ts';
import { document, file, group, imported, link } from '../../support/content/imported-content.ts';
import { Memory } from './memory.ts';

const now = new Date('2026-03-01T00:00:00.000Z');
const later = new Date('2026-04-01T00:00:00.000Z');
const latest = new Date('2026-05-01T00:00:00.000Z');

/** Imports one after the other, without a database. */
function importer() {
  const memory = new Memory();
  let count = 0;
  let root: string | null = null;
  return async (content: ImportedContent, when = now) => {
    const before = root === null ? new Content(EMPTY, memory.load) : await contentAt(root, memory.load);
    const files = new Map(
      content.files
        .filter(({ git }) => git.oid !== 'unreadable')
        .map(({ git }) => [git.oid, { blob: `blob of ${git.oid}`, size: 3 }]),
    );
    const createId = (prefix: string) => `${prefix}_${count++}`;
    const { change, problems } = await planImport(before, content, files, {
      findStored: async () => new Set(),
      createId,
      now: when,
      store: async (texts) => memory.keep(texts),
    });
    const plan = await planContent(root, change, memory.load);
    memory.keep(plan.objects);
    root = plan.root;
    const after = await contentAt(root, memory.load);
    const nodes = [...walk(await after.readTree())];
    const records = new Map(nodes.map(({ record }) => [record.git?.path ?? record.title, record]));
    return { content: after, records, problems, root };
  };
}

const documentOf = (record: PageRecord | undefined): DocumentRecord => {
  if (record?.type !== 'document') {
    throw new Error('There is no such document.');
  }
  return record;
};

describe('pages of a repository', () => {
  test('store values that differ from the defaults, and no others', async () => {
    const run = importer();
    const plain = document('plain.md');
    const { records } = await run(
      imported({
        pages: [
          plain,
          document('full.md', {
            emoji: 'e'.repeat(51),
            icon: 'rocket',
            description: 'About.',
            hidden: true,
            noIndex: true,
            layout: { ...plain.layout, width: 'wide', outline: false },
            variables: { version: '3' },
          }),
        ],
      }),
    );
    expect(Object.keys(documentOf(records.get('plain.md'))).sort()).toEqual(
      ['body', 'createdAt', 'documentId', 'git', 'id', 'parent', 'slug', 'title', 'type'].sort(),
    );
    const full = documentOf(records.get('full.md'));
    expect(full).toMatchObject({
      icon: 'rocket',
      description: 'About.',
      hidden: true,
      noIndex: true,
      layout: { width: 'wide', outline: false },
      variables: { version: '3' },
    });
    expect(full.emoji).toBeUndefined();
    expect(full.layout).toEqual({ width: 'wide', outline: false });
  });

  test('have the date of the import that changed them', async () => {
    const run = importer();
    const both = (markdown: string) =>
      imported({ pages: [document('a.md', { markdown }), document('b.md')] });
    await run(both('one'));
    await run(both('two'), later);
    const { records } = await run(both('two'), latest);
    const dates = (path: string) => [records.get(path)?.createdAt, records.get(path)?.updatedAt];
    expect(dates('a.md')).toEqual([now.toISOString(), later.toISOString()]);
    expect(dates('b.md')).toEqual([now.toISOString(), undefined]);
  });

  test('keep the id of their body when the text changes', async () => {
    const run = importer();
    const first = await run(imported({ pages: [document('a.md', { markdown: 'one' })] }));
    const second = await run(imported({ pages: [document('a.md', { markdown: 'two' })] }));
    const [was, is] = [first, second].map(({ records }) => documentOf(records.get('a.md')));
    expect(is?.documentId).toBe(was?.documentId);
    expect(is?.body).not.toBe(was?.body);
  });

  test('keep their ids when they move within the tree', async () => {
    const run = importer();
    const first = await run(imported({ pages: [document('a.md'), group('group:G', [document('b.md')])] }));
    const second = await run(
      imported({ pages: [group('group:G', [document('a.md', { pages: [document('b.md')] })])] }),
    );
    for (const path of ['a.md', 'b.md', 'G']) {
      expect(second.records.get(path)?.id).toBe(first.records.get(path)?.id);
    }
    expect(second.records.get('b.md')?.parent).toBe(first.records.get('a.md')?.id);
  });

  test('have the same root for any history', async () => {
    const content = imported({ pages: [document('a.md'), document('b.md')] });
    const run = importer();
    const first = await run(content);
    await run(imported({ pages: [document('a.md')] }));
    expect((await run(imported({ ...content, pages: [document('a.md')] }))).root).not.toBe(first.root);
    const again = importer();
    expect((await again(content)).root).toBe(first.root);
  });

  test('omit what engines cannot store equally', async () => {
    const { content, records } = await importer()(
      imported({ pages: [document('a.md', { markdown: 'nul\0 and \ud800.' })] }),
    );
    expect(await content.readBody(documentOf(records.get('a.md')))).toBe('nul\ufffd and \ufffd.');
  });
});

describe('references of a repository', () => {
  test('resolve to pages and files by id, or keep their address', async () => {
    const { content, records } = await importer()(
      imported({
        pages: [
          document('a.md'),
          link('to page', { kind: 'file', path: 'a.md' }),
          link('to file', { kind: 'file', path: 'x.png' }),
          link('to nothing', { kind: 'file', path: 'gone.pdf' }),
          link('outside', { kind: 'url', url: 'https://example.com' }),
        ],
        files: [file('x.png', 'x')],
      }),
    );
    const [x] = await content.listFiles();
    expect(records.get('to page')).toMatchObject({ target: { kind: 'page', page: records.get('a.md')?.id } });
    expect(records.get('to file')).toMatchObject({ target: { kind: 'file', file: x?.id } });
    expect(records.get('to nothing')).toMatchObject({ target: { kind: 'url', url: 'gone.pdf' } });
    expect(records.get('outside')).toMatchObject({
      target: { kind: 'url', url: 'https://example.com' },
      href: 'https://example.com',
    });
  });

  test('of a cover omit a missing image', async () => {
    const cover = {
      ref: { kind: 'file' as const, path: 'gone.png' },
      refDark: { kind: 'url' as const, url: 'https://example.com/dark.png' },
      yPos: -4,
    };
    const { records } = await importer()(imported({ pages: [document('a.md', { cover })] }));
    expect(documentOf(records.get('a.md')).cover).toEqual({
      refDark: { kind: 'url', url: 'https://example.com/dark.png' },
      yPos: -4,
    });
  });
});

describe('computed entries of a repository', () => {
  const entry = (title: string, type: string, dependencies: Record<string, { ref: { kind: string } }>) => ({
    type: 'computed' as const,
    key: title,
    title,
    computed: { type, props: { models: true, other: 1 }, dependencies },
  });

  test('are kept if the contract has such a source, or reported', async () => {
    const ref = { kind: 'openapi', spec: 'petstore' };
    const { records, problems } = await importer()(
      imported({
        pages: [
          entry('API', 'builtin:openapi', { spec: { ref } }),
          entry('No spec', 'builtin:openapi', {}),
          entry('Unknown', 'builtin:weather', {}),
          entry('Ours', 'integration:acme:pages', {}),
        ],
      }),
    );
    expect(records.get('API')).toMatchObject({
      computed: { type: 'builtin:openapi', props: { models: true }, dependencies: { spec: { ref } } },
    });
    expect([...records.keys()]).toEqual(['API', 'Ours']);
    expect(problems.map(({ path }) => path)).toEqual(['No spec', 'Unknown']);
  });
});

describe('files and reusable contents', () => {
  test('without bytes are skipped and reported', async () => {
    const { content, problems } = await importer()(
      imported({ files: [file('x.png', 'unreadable'), file('y.png', 'y')] }),
    );
    expect((await content.listFiles()).map(({ name }) => name)).toEqual(['y.png']);
    expect(problems.map(({ path }) => path)).toEqual(['x.png']);
  });

  test('keep their ids by path', async () => {
    const reusable = { title: 'Note', markdown: 'Mind this.', git: { oid: 'r', path: 'includes/note.md' } };
    const run = importer();
    const first = await run(imported({ files: [file('x.png', 'x')], reusableContents: [reusable] }));
    const second = await run(
      imported({ files: [file('x.png', 'y')], reusableContents: [{ ...reusable, markdown: 'Mind that.' }] }),
      later,
    );
    const [was, is] = [await first.content.listFiles(), await second.content.listFiles()];
    expect(is).toEqual([{ ...was[0], blob: 'blob of y', git: { oid: 'y', path: 'x.png' } }]);
    const [note] = await second.content.readReusableContents();
    expect(note?.id).toBe((await first.content.readReusableContents())[0]?.id);
    const bodies = await second.content.readBodies(note ? [note] : []);
    expect([...bodies.values()]).toEqual(['Mind that.']);
  });

  test('that consist only of text do not affect the pages', async () => {
    const run = importer();
    const first = await run(imported({ pages: [document('a.md')], variables: { a: '1' } }));
    const second = await run(
      imported({ pages: [document('a.md')], variables: { a: '2', ['__proto__']: '3' } }),
    );
    expect(second.content.roots.pages).toBe(first.content.roots.pages);
    expect(Object.entries(await second.content.readVariables())).toEqual([
      ['__proto__', '3'],
      ['a', '2'],
    ]);
  });
});

describe('redirects', () => {
  test('lead to pages by ID, and are replaced by each import', async () => {
    const run = importer();
    const pages = [document('a.md')];
    const before = await run(imported({ pages }));
    const redirects = [
      { from: 'old', page: 'a.md', anchor: 'x' },
      { from: 'gone', page: 'missing.md' },
    ];
    const { content, records } = await run(imported({ pages, redirects }));
    expect(await content.readRedirects()).toEqual([
      { from: 'old', page: records.get('a.md')?.id, anchor: 'x' },
    ]);
    // Content without redirects is the same as before.
    expect((await run(imported({ pages }))).root).toBe(before.root);
    expect(await before.content.readRedirects()).toEqual([]);
  });

  test('are reachable, so that no sweep deletes them', async () => {
    const many = Array.from({ length: 500 }, (_, at) => ({ from: `old/${at}`, page: 'a.md' }));
    const { content, root } = await importer()(imported({ pages: [document('a.md')], redirects: many }));
    const packed = content.roots.redirects ? [content.roots.redirects] : [];
    const objects = [...(await packedHashes(packed, content.load))];
    expect(objects.length).toBeGreaterThan(0);
    const reachable = new ReachableSet();
    await addReachable([root], content.load, reachable);
    expect(objects.filter((object) => !reachable.objects.has(object))).toEqual([]);
  });
});
