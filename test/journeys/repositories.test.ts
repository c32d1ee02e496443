import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { hasAnchor } from '../interop/repositories/bodies.ts';
import { type JudgedQuery, queriesOf, readPublicQueries } from '../interop/repositories/judged.ts';
import { moveIn } from '../interop/repositories/move-in.ts';
import { readSource } from '../interop/repositories/source.ts';
import { commitFiles, git } from '../support/git/git-files.ts';
import { type GitServer, startGitServer } from '../support/git/git-server.ts';
import { TEMPORARY_FOLDER } from '../support/processes/temporary.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

let server: TestServer;
let served: GitServer;
let folder: string;

beforeAll(async () => {
  [server, served] = await Promise.all([startTestServer(), startGitServer()]);
  folder = await mkdtemp(join(TEMPORARY_FOLDER, 'moved-'));
});
afterAll(async () => {
  await Promise.all([server.stop(), served.close(), rm(folder, { recursive: true, force: true })]);
});

const FILES = {
  'SUMMARY.md':
    '# Summary\n\n* [Home](README.md)\n* [Set up](set-up/README.md)\n  * [Linux](set-up/linux.md)\n',
  'README.md':
    '# Home\n\n[Linux](set-up/linux.md#with-a-package) and [later](#later).[^1]\n\n## Later\n\n[^1]: Soon.\n',
  'set-up/README.md': '# Set up\n\n[Home](../README.md)\n\n{% include "/part.md" %}\n',
  'set-up/linux.md': '# Linux\n\n## With a package {#with-a-package}\n\nText.\n',
  'part.md': 'Included.\n',
};

async function moved(name: string, files: Record<string, string>, queries: JudgedQuery[] = []) {
  const repository = join(folder, name);
  await git(folder, ['init', '--bare', '--quiet', '--initial-branch=main', repository]);
  await commitFiles(repository, files, 'main', 'Write', false);
  return await moveIn({ server, git: served }, await readSource(repository), queries);
}

test('a repository is moved in and out without a loss', async () => {
  const { cells, losses } = await moved('complete.git', FILES);
  expect(losses).toEqual([]);
  expect(cells).toMatchObject({
    pages: '3',
    bytes: '3/3',
    dead: '0',
    gone: '0',
    notes: '1/1',
    includes: '1/1',
    search: '-',
    export: 'empty',
    edit: '+2 -0',
  });
});

test('what the repository itself lacks is counted, and what its pages show as text is lost', async () => {
  const { cells, losses } = await moved('incomplete.git', {
    ...FILES,
    'set-up/linux.md': '# Linux\n\n[Gone](../README.md#gone) and a note.[^2] {% include "/none.md" %}\n',
  });
  expect(cells).toMatchObject({ dead: '0', gone: '2', notes: '1/2', includes: '1/2' });
  expect(losses).toEqual([
    '1 notes are not shown',
    expect.stringMatching(/^set-up\/linux.md: "\/none.md" was not included/),
    expect.stringMatching(/ shows \[\^2\]$/),
  ]);
});

test('the anchors of a file are its headings and IDs', () => {
  const file =
    '# Title\n\n## `get()` & [more](x.md#gone)\n\nBelow\n-----\n\n<a id="own"></a> <span name=\'name\'> {#short}\n';
  const anchors = ['title', 'get-more', 'below', 'own', 'name', 'short', 'gone', 'get'];
  expect(anchors.filter((anchor) => hasAnchor(file, anchor))).toEqual(anchors.slice(0, 6));
});

test('judged queries are searched on the published site', async () => {
  const judged = (query: string, within: number, pages: string[]) => ({
    repository: 'example/judged',
    query,
    within,
    pages,
  });
  const { cells, losses } = await moved('judged.git', FILES, [
    judged('linux', 1, ['set-up/linux.md']),
    judged('package', 1, ['README.md', 'set-up/linux.md']),
    judged('included', 1, ['set-up/linux.md']),
    judged('included', 3, ['README.md', 'set-up/README.md']),
    judged('unheard', 3, ['README.md']),
  ]);
  expect(cells.search).toBe('3/5');
  expect(losses).toEqual([
    'the search of "included" finds "Set up"',
    'the search of "unheard" finds nothing',
  ]);
});

test('the judged queries belong to repositories, by the names of their folders', () => {
  const queries = readPublicQueries();
  expect(queries.length).toBeGreaterThanOrEqual(60);
  expect(new Set(queries.map(({ repository }) => repository)).size).toBeGreaterThanOrEqual(10);
  for (const { repository, query, within, pages } of queries) {
    expect(repository).toMatch(/^[\w.-]+\/[\w.-]+$/);
    expect(query.trim()).toBe(query);
    expect([1, 3]).toContain(within);
    expect(pages.every((page) => /^[^|]+\.md$/.test(page))).toBe(true);
    expect(queriesOf(queries, repository.replace('/', '+'))).toContainEqual({
      repository,
      query,
      within,
      pages,
    });
  }
  const of = (repository: string) => ({ repository, query: 'a', within: 1, pages: ['a.md'] });
  const some = [of('one/docs'), of('two/docs'), of('two/book')];
  expect(queriesOf(some, 'book')).toEqual([of('two/book')]);
  expect(queriesOf(some, 'docs')).toEqual([]);
  expect(queriesOf(some, 'two+docs')).toEqual([of('two/docs')]);
  expect(queriesOf(some, 'other')).toEqual([]);
});
