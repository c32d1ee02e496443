import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { hasAnchor } from '../interop/repositories/bodies.ts';
import { moveIn } from '../interop/repositories/move-in.ts';
import { readSource } from '../interop/repositories/source.ts';
import { commitFiles, git } from '../support/git-files.ts';
import { type GitServer, startGitServer } from '../support/git-server.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { TEMPORARY_FOLDER } from '../support/temporary.ts';

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

async function moved(name: string, files: Record<string, string>) {
  const repository = join(folder, name);
  await git(folder, ['init', '--bare', '--quiet', '--initial-branch=main', repository]);
  await commitFiles(repository, files, 'main', 'Write', false);
  return await moveIn({ server, git: served }, await readSource(repository));
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
