import { describe, expect, test } from 'vitest';
import type { Edit } from '../../../server/content/edit/types.ts';
import { contentAt } from '../../../server/content/tree/content.ts';
import { hashOf } from '../../../server/content/tree/hash.ts';
import {
  apply,
  guide,
  insert,
  link,
  memory,
  now,
  outline,
  page,
  plan,
  read,
  versionOf,
} from './editing-samples.ts';

describe('a new page', () => {
  test('is inserted at its position, by default at the end of the top level', async () => {
    const edits = [
      insert('Last'),
      insert('First', { at: 0 }),
      insert('Inner', { into: 'b', at: 1 }),
      insert('Inmost', { into: 'deep' }),
    ];
    expect(await outline(await apply(await guide(), edits))).toBe(
      'first a b(b1 inner b2(deep(inmost))) c last',
    );
  });

  test('gets a title, a slug that is unique among its siblings, and no date of an edit', async () => {
    const edits = [insert('A'), insert('a!'), insert('A', { into: 'b' }), insert('', { slug: 'Über' })];
    const after = await apply(await guide(), [
      ...edits,
      { operation: 'insert_page', markdown: '' },
      insert('x'.repeat(120)),
      insert('x'.repeat(120)),
    ]);
    expect(await outline(after)).toBe(
      `a b(b1 b2(deep) a) c a-2 a-3 Über untitled ${'x'.repeat(100)} ${'x'.repeat(98)}-2`,
    );
    const { record, markdown } = await read(after, 'page_1');
    expect(record).toMatchObject({ type: 'document', parent: null, documentId: 'doc_2', createdAt: now });
    expect(record).not.toHaveProperty('updatedAt');
    expect(markdown).toBe('About A.');
  });

  test('can be referenced by other changes and texts of the same request', async () => {
    const text = (to: string) => `[to](/pages/${to}#top) <a href="/pages/${to}">\n\n[x]: /files/pic\n`;
    const edits: Edit[] = [
      insert('One', { ref: 'one', markdown: text('two') }),
      insert('Two', { ref: 'two', into: 'one', markdown: text('one') }),
      { operation: 'insert_files', files: [{ name: 'pic.png', ref: 'pic', bytes: Buffer.from('x') }] },
      { operation: 'update_page', page: 'two', title: 'Second' },
    ];
    const after = await apply(await versionOf({ '': [] }), edits);
    expect(await outline(after)).toBe('one(two)');
    const [item] = await after.content.readTree();
    const two = item?.pages[0]?.record;
    expect(two).toMatchObject({ title: 'Second', createdAt: now });
    expect(two).not.toHaveProperty('updatedAt');
    const [file] = await after.content.listFiles();
    expect(await after.content.readBody(item?.record ?? link)).toBe(
      text(two?.id ?? '').replace('/files/pic', `/files/${file?.id}`),
    );
  });

  test('keeps references in code, and text that only starts like a reference', async () => {
    const markdown = '```\n[x](/pages/one)\n```\n`/pages/one` [y](/pages/one-two) [z](/pages/one/two)\n';
    const after = await apply(await versionOf({ '': [] }), [insert('One', { ref: 'one', markdown })]);
    const [item] = await after.content.readTree();
    expect(await after.content.readBody(item?.record ?? link)).toBe(markdown);
  });

  test('strips characters that no engine can store from its text and title', async () => {
    const after = await apply(await versionOf({ '': [] }), [insert('a\ud800', { markdown: 'b\0\ud800' })]);
    const [{ record } = { record: link }] = await after.content.readTree();
    expect(record.title).toBe('a\ufffd');
    expect(await after.content.readBody(record)).toBe('b\ufffd\ufffd');
  });
});

describe('a page that is changed', () => {
  test('has the new text, title and slug, and the dates of an edit', async () => {
    const before = await guide();
    const after = await apply(before, [
      { operation: 'update_page', page: 'b1', markdown: 'New.', title: 'New', slug: 'new' },
    ]);
    expect(await outline(after)).toBe('a b(new b2(deep)) c');
    expect(await read(after, 'b1')).toMatchObject({
      record: { ...page('b1', 'b'), title: 'New', slug: 'new', body: hashOf('New.'), updatedAt: now },
      markdown: 'New.',
    });
    expect(await read(after, 'b2')).toEqual(await read(before, 'b2'));
  });

  test('moves, by default to the end, and gets another slug if its own is in use', async () => {
    const move = (page: string, to: { into?: string | null; at?: number }): Edit => ({
      operation: 'update_page',
      page,
      ...to,
    });
    const outlineAfter = async (...edits: Edit[]) => await outline(await apply(await guide(), edits));
    expect(await outlineAfter(move('c', { at: 0 }))).toBe('c a b(b1 b2(deep))');
    expect(await outlineAfter(move('a', { at: 2 }))).toBe('b(b1 b2(deep)) c a');
    expect(await outlineAfter(move('b1', { into: null }))).toBe('a b(b2(deep)) c b1');
    expect(await outlineAfter(move('b2', { into: 'a', at: 0 }))).toBe('a(b2(deep)) b(b1) c');
    expect(await outlineAfter(move('b1', { into: 'b' }))).toBe('a b(b2(deep) b1) c');
    expect(await outlineAfter(insert('A', { into: 'b', ref: 'x' }), move('x', { into: null }))).toBe(
      'a b(b1 b2(deep)) c a-2',
    );
  });

  test('changes nothing if it equals the current state', async () => {
    const before = await guide();
    expect(
      await plan(before, [
        { operation: 'update_page', page: 'a', markdown: 'Text of a.', title: 'A', slug: 'a', at: 0 },
        insert('New', { ref: 'new' }),
        { operation: 'delete_page', page: 'new' },
        { operation: 'update_page', page: 'c', title: 'Other' },
        { operation: 'update_page', page: 'c', title: 'C', into: null },
      ]),
    ).toBeUndefined();
  });
});

describe('a page that is deleted', () => {
  test('is deleted with its descendants', async () => {
    const after = await apply(await guide(), [
      insert('New', { into: 'b2' }),
      { operation: 'delete_page', page: 'b' },
    ]);
    expect(await outline(after)).toBe('a c');
    expect((await after.content.readPages(['b', 'b1', 'b2', 'deep', 'page_1'])).size).toBe(0);
  });

  test('frees its slug', async () => {
    const edits: Edit[] = [insert('A'), { operation: 'delete_page', page: 'a' }, insert('A', { slug: 'a' })];
    expect(await outline(await apply(await guide(), edits))).toBe('b(b1 b2(deep)) c a-2 a');
  });
});

describe('a new file', () => {
  test('has a type by its name, and the size of an image', async () => {
    const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="3" height="4"></svg>');
    const change = await plan(await guide(), [
      {
        operation: 'insert_files',
        files: [
          { name: 'dot.svg', bytes: svg },
          { name: 'data', bytes: Buffer.from('x') },
          { name: 'a.txt', contentType: 'text/plain; charset=utf-8', bytes: Buffer.from('y') },
        ],
      },
    ]);
    expect([...(change?.files?.values() ?? [])]).toEqual([
      {
        id: 'file_1',
        name: 'dot.svg',
        contentType: 'image/svg+xml',
        size: svg.byteLength,
        dimensions: { width: 3, height: 4 },
        blob: hashOf(svg),
        createdAt: now,
      },
      expect.objectContaining({ id: 'file_2', contentType: 'application/octet-stream', size: 1 }),
      expect.objectContaining({ id: 'file_3', contentType: 'text/plain; charset=utf-8' }),
    ]);
    expect(change?.bytes).toEqual([svg, Buffer.from('x'), Buffer.from('y')]);
  });
});

describe('an impossible change', () => {
  const file = (more: object): Edit => ({
    operation: 'insert_files',
    files: [{ name: 'a.txt', bytes: Buffer.from('x'), ...more }],
  });
  const update = (more: object): Edit => ({ operation: 'update_page', page: 'b', ...more });

  test.each<[path: string, why: string, edits: Edit[]]>([
    ['changes.0.page', 'no such page', [update({ page: 'nowhere' })]],
    ['changes.1.page', 'deleted before', [{ operation: 'delete_page', page: 'b' }, update({})]],
    [
      'changes.1.page',
      'deleted with another',
      [{ operation: 'delete_page', page: 'b' }, update({ page: 'deep' })],
    ],
    ['changes.0.page', 'not yet created', [update({ page: 'x' }), insert('X', { ref: 'x' })]],
    ['changes.1.page', 'a file', [file({ ref: 'x' }), update({ page: 'x' })]],
    ['changes.1.files.0.ref', 'one name twice', [file({ ref: 'x' }), file({ ref: 'x' })]],
    ['changes.0.into', 'no such parent', [insert('X', { into: 'nowhere' })]],
    ['changes.0.into', 'a link holds no pages', [insert('X', { into: 'l' })]],
    ['changes.0.into', 'into itself', [insert('X', { ref: 'x', into: 'x' })]],
    ['changes.1.ref', 'one name twice', [insert('X', { ref: 'x' }), insert('X', { ref: 'x' })]],
    ['changes.1.files.0.ref', 'one name twice', [insert('X', { ref: 'x' }), file({ ref: 'x' })]],
    ['changes.0.document', 'a link has no text', [update({ page: 'l', markdown: 'x' })]],
    ['changes.0.slug', 'a link has no slug', [update({ page: 'l', slug: 'x' })]],
    ['changes.0.page', 'never was', [{ operation: 'revert_page', page: 'nowhere' }]],
    ['changes.0.revision', 'no revision', [{ operation: 'revert_page', page: 'a', revision: 'nowhere' }]],
  ])('names %s: %s', async (path, _reason, edits) => {
    const before = await versionOf({ '': ['a', 'b', 'c'], b: ['b1', 'b2'], b2: ['deep'] }, [link]);
    await expect(plan(before, edits, before)).rejects.toMatchObject({
      reason: 'field_invalid',
      details: [{ in: 'body', path }],
    });
  });

  test.each<[path: string, reason: string, why: string, edits: Edit[]]>([
    ['changes.0.at', 'position_out_of_range', 'beyond the end', [insert('X', { at: 5 })]],
    ['changes.0.at', 'position_out_of_range', 'beyond the end of the others', [update({ at: 4 })]],
    ['changes.0.at', 'position_out_of_range', 'beyond the end there', [update({ into: 'a', at: 1 })]],
    ['changes.0.slug', 'slug_taken', 'taken', [insert('X', { slug: 'a' })]],
    ['changes.0.slug', 'slug_taken', 'taken', [update({ slug: 'a' })]],
    [
      'changes.0.slug',
      'slug_taken',
      'taken where it moves to',
      [update({ page: 'b1', into: null, slug: 'a' })],
    ],
    ['changes.0.into', 'page_cycle', 'into itself', [update({ into: 'b' })]],
    ['changes.0.into', 'page_cycle', 'below itself', [update({ into: 'deep' })]],
  ])('conflicts at %s (%s): %s', async (path, reason, _reason, edits) => {
    await expect(plan(await guide(), edits)).rejects.toMatchObject({
      status: 409,
      reason,
      details: [{ in: 'body', path }],
    });
  });
});

test('distinguishes a page that is referenced before its creation from a missing one', async () => {
  const early = plan(await guide(), [insert('X', { into: 'y' }), insert('Y', { ref: 'y' })]);
  await expect(early).rejects.toThrow('a later change of the request creates this page');
});

describe('in a space of 10,100 pages', () => {
  const chapters = Array.from({ length: 100 }, (_, n) => `ch${n}`);
  const many = (name: string, count: number) => Array.from({ length: count }, (_, n) => `${name}-p${n}`);

  test.each<[shape: string, tree: Record<string, string[]>]>([
    ['in chapters', { '': chapters, ...Object.fromEntries(chapters.map((id) => [id, many(id, 100)])) }],
    ['side by side', { '': [...chapters, ...many('ch50', 100), ...many('ch', 9_900)] }],
  ])('%s, 50 changes load only the affected records', async (_shape, tree) => {
    const before = await versionOf(tree);
    const fresh = { ...before, content: await contentAt(before.root, memory.load) };
    memory.loaded = 0;
    const edits = Array.from({ length: 25 }, (_, n): Edit[] => [
      { operation: 'update_page', page: `ch50-p${n}`, markdown: 'New.' },
      insert(`Page ${n}`, tree.ch50 ? { into: 'ch50' } : {}),
    ]);
    expect(await plan(fresh, edits.flat())).toBeDefined();
    // Of some 13,000 objects: 25 paths through a trie of four levels, and at most two lists in pieces.
    expect(memory.loaded).toBeLessThan(1_200);
  });
});
