import fs from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { assert, asyncProperty } from 'fast-check';
import { expect, test, vi } from 'vitest';
import { ok } from '../../../client/platform/index.ts';
import { openContent } from '../../../server/content/store/content.ts';
import { requireRevision } from '../../../server/content/store/revisions.ts';
import type { Content } from '../../../server/content/tree/content.ts';
import { walk } from '../../../server/content/tree/records.ts';
import { createSpace, importRepository } from '../../support/content/imports.ts';
import { manyPages } from '../../support/content/repositories.ts';
import { commits, firstTexts } from '../../support/content/repository-edits.ts';
import { isFirstEngine } from '../../support/database/engines.ts';
import { statementsOf } from '../../support/database/statements.ts';
import { gitCommandsOf } from '../../support/git/git-commands.ts';
import { runs } from '../../support/seed.ts';
import { git, server, useServers } from './servers.ts';

useServers();

/** Returns the content of a space without what differs between imports of the same commit: IDs and dates. */
async function contentOf(spaceId: string) {
  const { query } = server.database;
  const { revision } = await query
    .selectFrom('spaces')
    .select('revision')
    .where('id', '=', spaceId)
    .executeTakeFirstOrThrow();
  const content: Content = await openContent(query, await requireRevision(query, spaceId, revision));
  const files = await content.listFiles();
  const names = new Map<string, string>();
  for (const { id, git: origin } of files) {
    names.set(id, `file ${origin?.path}`);
  }
  const tree = await content.readTree();
  for (const { record } of walk(tree)) {
    names.set(record.id, `page ${record.git?.path ?? record.origin}`);
  }
  const dates = new Set(['id', 'documentId', 'createdAt', 'updatedAt', 'key']);
  const plain = (value: unknown): unknown =>
    JSON.parse(
      JSON.stringify(value, (name, part: unknown) => {
        if (dates.has(name)) {
          return undefined;
        }
        return typeof part === 'string' ? (names.get(part) ?? part) : part;
      }),
    );
  const { items } = await ok(
    server.admin.client.GET('/v1/spaces/{spaceId}/git/runs', { params: { path: { spaceId } } }),
  );
  return {
    pages: plain(tree),
    files: plain(files),
    reusableContents: plain(await content.readReusableContents()),
    variables: await content.readVariables(),
    problems: plain(items[0]?.problems),
    counts: items[0]?.counts,
  };
}

test('an import on top of another one has the same content as one into an empty space', async () => {
  await assert(
    asyncProperty(commits, async (sequence) => {
      const texts = firstTexts();
      const repository = await git.createRepository(texts);
      const { id } = await createSpace(server);
      await importRepository(server, id, repository);
      for (const { edits, treeURL } of sequence) {
        const before = { ...texts };
        for (const edit of edits) {
          edit(texts);
        }
        const removed = Object.keys(before).filter((path) => texts[path] === undefined);
        await repository.update({ ...texts, ...Object.fromEntries(removed.map((path) => [path, null])) });
        const options = treeURL === undefined ? {} : { repoTreeURL: treeURL };
        await importRepository(server, id, repository, options);
        const { id: empty } = await createSpace(server);
        await importRepository(server, empty, repository, options);
        expect(await contentOf(id)).toEqual(await contentOf(empty));
      }
    }),
    { numRuns: runs(isFirstEngine ? 3 : 1) },
  );
}, 300_000);

test('an import after a change of one page reads and stores only what changed', async () => {
  const objects = async () => {
    const { count } = await server.database.query
      .selectFrom('objects')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow();
    return Number(count);
  };
  const repository = await git.createRepository(manyPages(600));
  const { id } = await createSpace(server);
  const first = await statementsOf(() => importRepository(server, id, repository));
  const before = await objects();
  await repository.update({ 'group-3/page-80.md': '# Page 80\n\nOther text.\n' });
  const second = await statementsOf(() => importRepository(server, id, repository));
  expect(second.rows).toBeLessThan(first.rows / 10);
  // The text, the nodes of the tries above its page and its links, and the root.
  expect((await objects()) - before).toBeLessThan(40);
});

test.runIf(isFirstEngine)('an import whose copy of the repository cannot be cached completes', async () => {
  const repository = await git.createRepository(manyPages(2));
  const { id } = await createSpace(server);
  const { rename } = fs;
  const cached: string[] = [];
  const spied = vi.spyOn(fs, 'rename').mockImplementation(async (from, to) => {
    if (String(to).includes('cached-')) {
      cached.push(String(to));
      throw new Error('The disk is full.');
    }
    await rename(from, to);
  });
  syncBuiltinESMExports();
  try {
    const first = await importRepository(server, id, repository);
    // Without changes.
    expect(await importRepository(server, id, repository)).toMatchObject({ revision: first.revision });
  } finally {
    spied.mockRestore();
    syncBuiltinESMExports();
  }
  expect(cached).toHaveLength(2);
});

test.runIf(isFirstEngine)(
  'an import after a change of one page takes as much work of git for any number of pages',
  async () => {
    const work = async (pages: number) => {
      const repository = await git.createRepository(manyPages(pages));
      const { id } = await createSpace(server);
      await importRepository(server, id, repository);
      await repository.update({ 'group-0/page-5.md': '# Page 5\n\nOther text.\n' });
      return await gitCommandsOf(() => importRepository(server, id, repository));
    };
    const few = await work(26);
    // One process fetches, the other one reads.
    expect(few.processes).toBe(2);
    expect(await work(226)).toEqual(few);
  },
);
