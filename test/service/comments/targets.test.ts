// Runs on one engine: subjects are found in content; comments.test.ts stores them.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { components } from '../../../generated/schema.d.ts';
import { edit, merge, pageInsertion, textUpdate } from '../../support/content/branches.ts';
import { DISCUSSION_TARGETS, Discussion } from '../../support/content/discussion.ts';
import { type GitServer, startGitServer } from '../../support/git/git-server.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

type Schemas = components['schemas'];
type Refusal = Schemas['Error'];

let server: TestServer;
let git: GitServer;

beforeAll(async () => {
  [server, git] = await Promise.all([startTestServer(), startGitServer()]);
});
afterAll(() => Promise.all([server.stop(), git.close()]));

const refusal = async (discussion: Discussion, about: Partial<Schemas['CommentCreate']>) => {
  const body = { body: { markdown: 'Hm.' }, ...about };
  const response = await discussion.send<Refusal>('POST', '/comments', body);
  return {
    status: response.status,
    at: response.body.error?.details?.map(({ in: part, path }) => `${part} ${path}`),
  };
};

/** Returns the key of a top-level block of a page. */
const keyOf = async (discussion: Discussion, title: string, type: string): Promise<string> => {
  const block = (await discussion.blocks(title)).find((item) => item.type === type);
  if (block?.key === undefined) {
    throw new Error(`The page ${title} has no ${type}.`);
  }
  return block.key;
};

describe.each(DISCUSSION_TARGETS)('a comment in a %s', (place) => {
  let discussion: Discussion;
  beforeEach(async () => {
    discussion = await Discussion.start(server, git, place);
  });

  test('can be about a page', async () => {
    const page = await discussion.page('Sizes');
    const { target, id } = await discussion.comment({ page });
    expect(target.page).toMatchObject({ id: page, title: 'Sizes', path: 'sizes', outdated: false });
    expect(target).not.toHaveProperty('node');
    expect(target).not.toHaveProperty('tableCell');
    expect((await discussion.read(id)).target).toEqual(target);
  });

  test('can be about a block of a page, and keeps a preview of it', async () => {
    const page = await discussion.page('Welcome');
    const node = await keyOf(discussion, 'Welcome', 'paragraph');
    const { target } = await discussion.comment({ page, node });
    expect(target.node).toEqual({ id: node, preview: 'First words.' });
  });

  test('can be about a nested block', async () => {
    const page = await discussion.page('Welcome');
    const quote = (await discussion.blocks('Welcome')).find(({ type }) => type === 'blockquote');
    const inner = quote && 'nodes' in quote ? quote.nodes[0] : undefined;
    const node = inner && 'key' in inner ? inner.key : undefined;
    if (node === undefined) {
      throw new Error('The quotation holds no block.');
    }
    expect((await discussion.comment({ page, node })).target.node).toEqual({
      id: node,
      preview: 'Quoted words.',
    });
  });

  test('can be about a cell of a table', async () => {
    const page = await discussion.page('Sizes');
    const table = (await discussion.blocks('Sizes')).find(({ type }) => type === 'table');
    if (table?.type !== 'table' || table.key === undefined) {
      throw new Error('The page has no table.');
    }
    const definition = table.data.view.columns[1] ?? '';
    const record = Object.keys(table.data.records)[1] ?? '';
    const tableCell = { record, definition };
    const { target } = await discussion.comment({ page, node: table.key, tableCell });
    expect(target).toMatchObject({
      tableCell,
      node: { id: table.key, preview: expect.stringContaining('Large') },
    });

    const unknown = (cell: Partial<typeof tableCell>) =>
      refusal(discussion, { page, node: table.key ?? '', tableCell: { ...tableCell, ...cell } });
    const rejected = { status: 400, at: ['body tableCell'] };
    expect(await unknown({ record: 'record-3' })).toEqual(rejected);
    expect(await unknown({ definition: 'constructor' })).toEqual(rejected);
    expect(await refusal(discussion, { page, tableCell })).toEqual({ status: 400, at: ['body node'] });
    expect(await refusal(discussion, { tableCell })).toEqual({ status: 400, at: ['body page'] });
    const paragraph = await keyOf(discussion, 'Welcome', 'paragraph');
    const inText = { page: await discussion.page('Welcome'), node: paragraph, tableCell };
    expect(await refusal(discussion, inText)).toEqual(rejected);
  });

  test('is rejected if its subject does not exist', async () => {
    const page = await discussion.page('Welcome');
    const node = await keyOf(discussion, 'Welcome', 'paragraph');
    expect(await refusal(discussion, { page: 'page_unknown' })).toEqual({ status: 400, at: ['body page'] });
    expect(await refusal(discussion, { page, node: 'nothing' })).toEqual({ status: 400, at: ['body node'] });
    expect(await refusal(discussion, { page: await discussion.page('Sizes'), node })).toEqual({
      status: 400,
      at: ['body node'],
    });
    expect(await refusal(discussion, { node })).toEqual({ status: 400, at: ['body page'] });
    expect((await discussion.list()).count).toBe(0);
  });

  test('is outdated as soon as its block changed, and not before', async () => {
    const page = await discussion.page('Welcome');
    const node = await keyOf(discussion, 'Welcome', 'paragraph');
    const { id, target } = await discussion.comment({ page, node });
    const { id: onPage } = await discussion.comment({ page });
    await discussion.change({ 'README.md': '# Hello\n\nFirst words.\n\n> Other words.\n' });
    expect((await discussion.read(id)).target).toMatchObject({
      revision: target.revision,
      page: { title: 'Hello', outdated: false },
    });
    await discussion.change({ 'README.md': '# Hello\n\nChanged words.\n\n> Other words.\n' });
    const { revision } = await discussion.readTarget();
    expect(revision).not.toBe(target.revision);
    const [first, second] = (await discussion.list('?order=asc')).items.toSorted((item) =>
      item.id === id ? -1 : 1,
    );
    expect(first?.target).toMatchObject({
      revision: target.revision,
      node: { id: node, preview: 'First words.' },
      page: { id: page, title: 'Hello', outdated: true },
    });
    expect(second).toMatchObject({ id: onPage, target: { page: { title: 'Hello', outdated: false } } });
    await discussion.change({ 'README.md': '# Hello\n\nFirst words.\n' });
    expect((await discussion.read(id)).target.page?.outdated).toBe(false);
  });

  test('shows a deleted page as it was', async () => {
    const page = await discussion.page('Sizes');
    const { id, target } = await discussion.comment({ page });
    await discussion.change({ 'sizes.md': '# Large sizes\n\nNone.\n' });
    const again = await discussion.comment({ page });
    expect(again.target.page?.title).toBe('Large sizes');
    await discussion.change({ 'sizes.md': null });
    const outdated = await discussion.read(id);
    expect(outdated.target).toEqual({ ...target, page: { ...target.page, outdated: true } });
    expect((await discussion.list(`?targetPage=${page}`)).items).toHaveLength(2);
    expect((await discussion.read(again.id)).target.page).toMatchObject({
      title: 'Large sizes',
      outdated: true,
    });
    expect(await refusal(discussion, { page })).toEqual({ status: 400, at: ['body page'] });
  });
});

describe('a merge', () => {
  const start = async () => {
    const space = await Discussion.start(server, git, 'space');
    const branch = await space.branch();
    const change = async (...changes: Parameters<typeof edit>[3][]) => {
      const [first, ...more] = changes;
      if (first) {
        await edit(server.admin.client, space.spaceId, branch.changeRequestId ?? '', first, ...more);
      }
    };
    const finish = async () => {
      const { result } = await merge(server.admin.client, space.spaceId, branch.changeRequestId ?? '');
      expect(result).toBe('merge');
    };
    return { space, branch, change, finish };
  };

  test('keeps the comments on the change request, which stay open to replies', async () => {
    const { space, branch, change, finish } = await start();
    await change(pageInsertion('Added', 'New words.'));
    const about = { page: await branch.page('Added'), node: await keyOf(branch, 'Added', 'paragraph') };
    const { id } = await branch.comment(about);
    expect((await refusal(space, about)).status).toBe(400);
    await finish();
    expect((await branch.read(id)).target).toMatchObject({
      node: { preview: 'New words.' },
      page: { outdated: false },
    });
    await branch.reply(id);
    await branch.update(id, { resolved: true, addedReactions: ['🎉'] });
    await branch.comment(about);
    expect((await branch.list()).count).toBe(2);
    expect((await branch.readTarget()).comments).toBe(1);
    expect((await space.list()).count).toBe(0);
    await space.comment(about);
  });

  test('outdates the comments on blocks of the space that it changed', async () => {
    const { space, branch, change, finish } = await start();
    const page = await space.page('Welcome');
    const { id } = await space.comment({ page, node: await keyOf(space, 'Welcome', 'paragraph') });
    const { id: unchanged } = await space.comment({
      page,
      node: await keyOf(space, 'Welcome', 'blockquote'),
    });
    await change(textUpdate(page, 'Other words.\n\n> Quoted words.\n'));
    expect((await space.read(id)).target.page?.outdated).toBe(false);
    await finish();
    expect((await space.read(id)).target).toMatchObject({
      node: { preview: 'First words.' },
      page: { outdated: true },
    });
    expect((await space.read(unchanged)).target.page?.outdated).toBe(false);
    expect((await space.readTarget()).comments).toBe(2);
    expect((await branch.readTarget()).comments).toBe(0);
  });
});
