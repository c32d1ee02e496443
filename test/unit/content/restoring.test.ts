import { describe, expect, test } from 'vitest';
import type { Edit } from '../../../server/content/edit/types.ts';
import { apply, guide, insert, now, outline, read } from './editing-samples.ts';

describe('a page that is restored', () => {
  const revert = (page: string): Edit => ({ operation: 'revert_page', page });

  test('has its previous fields, including dates', async () => {
    const before = await guide();
    const changed = await apply(before, [
      { operation: 'update_page', page: 'b1', markdown: 'New.', title: 'New', slug: 'new', into: 'c' },
    ]);
    const after = await apply(changed, [revert('b1')], before);
    expect(after.root).toBe(before.root);
  });

  test('is restored with its deleted descendants', async () => {
    const before = await guide();
    const changed = await apply(before, [{ operation: 'delete_page', page: 'b' }]);
    expect((await apply(changed, [revert('b')], before)).root).toBe(before.root);
    expect((await apply(before, [{ operation: 'delete_page', page: 'b' }, revert('b')], before)).root).toBe(
      before.root,
    );
  });

  test('remains between the same pages, regardless of insertions before them', async () => {
    const before = await guide();
    const changed = await apply(before, [
      insert('Zero', { at: 0 }),
      insert('Half', { at: 1 }),
      { operation: 'delete_page', page: 'a' },
      { operation: 'delete_page', page: 'b' },
    ]);
    expect(await outline(await apply(changed, [revert('b')], before))).toBe('zero half b(b1 b2(deep)) c');
    expect(await outline(await apply(changed, [revert('b'), revert('a')], before))).toBe(
      'zero half a b(b1 b2(deep)) c',
    );
  });

  test('follows its previous predecessor if its successor no longer exists', async () => {
    const before = await guide();
    const changed = await apply(before, [{ operation: 'delete_page', page: 'c' }, insert('Last')]);
    expect(await outline(await apply(changed, [revert('c')], before))).toBe('a b(b1 b2(deep)) c last');
  });

  test('moves to the top level if its parent was deleted or became a descendant', async () => {
    const before = await guide();
    const without = await apply(before, [{ operation: 'delete_page', page: 'b' }]);
    expect(await outline(await apply(without, [revert('b1')], before))).toBe('a c b1');
    const reordered = await apply(before, [
      { operation: 'update_page', page: 'deep', into: null, title: 'D' },
      { operation: 'update_page', page: 'b', into: 'deep' },
    ]);
    const after = await apply(reordered, [revert('deep')], before);
    expect(await outline(after)).toBe('a c deep(b(b1 b2))');
    expect((await read(after, 'deep')).record).toMatchObject({ title: 'DEEP', updatedAt: now });
  });

  test('gets another slug if its own is in use', async () => {
    const before = await guide();
    const changed = await apply(before, [{ operation: 'delete_page', page: 'a' }, insert('A')]);
    expect(await outline(await apply(changed, [revert('a')], before))).toBe('a-2 b(b1 b2(deep)) c a');
  });

  test('is deleted if it did not exist at that time', async () => {
    const before = await guide();
    const changed = await apply(before, [insert('New', { into: 'a' })]);
    expect((await apply(changed, [revert('page_1')], before)).root).toBe(before.root);
  });
});
