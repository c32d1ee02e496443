// Runs on one engine: repositories are written after content is read.
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { editSpace, textUpdate } from '../../support/content/branches.ts';
import { addPage, exportTo } from '../../support/content/exports.ts';
import { createSpace, importRepository, readTree } from '../../support/content/imports.ts';
import type { ServedRepository } from '../../support/git/git-server.ts';
import { TEMPORARY_FOLDER } from '../../support/processes/temporary.ts';
import { git, server, useServers } from './servers.ts';

useServers();

const run = promisify(execFile);

/** Returns the entries of the tip of a repository by path: mode and object id. */
async function treeOf({ folder }: ServedRepository): Promise<Map<string, string>> {
  const { stdout } = await run('git', ['--git-dir', folder, 'ls-tree', '-r', '-z', 'main']);
  const entries = stdout.split('\0').filter((entry) => entry !== '');
  return new Map(entries.map((entry) => [entry.slice(entry.indexOf('\t') + 1), entry.split('\t')[0] ?? '']));
}

/** Commits that files are executable. */
async function makeExecutable(repository: ServedRepository, paths: readonly string[]): Promise<void> {
  const index = await mkdtemp(join(TEMPORARY_FOLDER, 'index-'));
  const identity = { GIT_AUTHOR_NAME: 'Ada', GIT_AUTHOR_EMAIL: 'ada@example.com' };
  const committer = { GIT_COMMITTER_NAME: 'Ada', GIT_COMMITTER_EMAIL: 'ada@example.com' };
  const env = { ...process.env, ...identity, ...committer, GIT_INDEX_FILE: join(index, 'index') };
  const command = async (...args: string[]) =>
    (await run('git', ['--git-dir', repository.folder, ...args], { env })).stdout.trim();
  await command('read-tree', 'main');
  const tree = await treeOf(repository);
  for (const path of paths) {
    const oid = tree.get(path)?.split(' ')[2] ?? '';
    await command('update-index', '--cacheinfo', `100755,${oid},${path}`);
  }
  const commit = await command('commit-tree', await command('write-tree'), '-p', 'main', '-m', 'Executable');
  await command('update-ref', 'refs/heads/main', commit);
  await rm(index, { recursive: true });
}

test('an export keeps file modes, links, submodules and every file that is not content', async () => {
  const repository = await git.createRepository({
    '.gitattributes': '*.md text eol=crlf\n*.png filter=lfs\n',
    '.gitbook.yaml': 'root: ./docs/ # here\nstructure:\n    summary: toc.md\n',
    '.github/workflows/build.yml': 'on: push\n',
    'README.md': 'The code.\r\n',
    'docs/toc.md': '- [Home](README.md)\n- [Setup](setup.md)\n',
    'docs/README.md': '# Home\n\nHello.\n',
    'docs/setup.md': '# Setup\n\nRun it.\n',
    'docs/unlisted.md': '# Not listed\n',
    'docs/tools/run.sh': '#!/bin/sh\n',
    'docs/link.md': { symlink: 'setup.md' },
    'docs/news.md': { symlink: '../README.md' },
    'docs/vendor': { submodule: '4b825dc642cb6eb9a060e54bf8d69288fbee4904' },
  });
  await makeExecutable(repository, ['docs/tools/run.sh', 'docs/toc.md']);
  const before = await treeOf(repository);
  expect(before.get('docs/toc.md')).toMatch(/^100755/);
  const { id } = await createSpace(server);
  await importRepository(server, id, repository);
  await addPage(server, id, 'news', 'News.\n');
  await exportTo(server, id, repository);
  await addPage(server, id, 'vendor', 'Vendor.\n');
  await exportTo(server, id, repository);

  const after = await treeOf(repository);
  expect((await repository.read())['docs/toc.md']).toBe(
    '- [Home](README.md)\n- [Setup](setup.md)\n- [NEWS](news-1.md)\n- [VENDOR](vendor.md)\n',
  );
  const isChanged = (path: string) => ['docs/toc.md', 'docs/news-1.md', 'docs/vendor.md'].includes(path);
  const others = (tree: Map<string, string>) => [...tree].filter(([path]) => !isChanged(path));
  expect(others(after)).toEqual(others(before));
  expect(after.get('docs/toc.md')).toMatch(/^100755/);
});

test('an export does not replace a page that became a link or a submodule', async () => {
  const repository = await git.createRepository({
    'SUMMARY.md': '* [One](one.md)\n* [Two](two/one.md)\n',
    'one.md': '# One\n',
    'two/one.md': '# Two\n',
    'three.md': '# Three\n',
  });
  const { id } = await createSpace(server);
  await importRepository(server, id, repository);
  await repository.update({
    'one.md': { symlink: 'three.md' },
    'two/one.md': null,
    two: { submodule: '4b825dc642cb6eb9a060e54bf8d69288fbee4904' },
  });
  const before = await treeOf(repository);
  await exportTo(server, id, repository, { force: true });
  const after = await treeOf(repository);
  expect([after.get('one.md'), after.get('two')]).toEqual([before.get('one.md'), before.get('two')]);
  expect(Object.keys(await repository.read())).toContain('one-1.md');
});

test('an export keeps the bytes of lines that are not UTF-8', async () => {
  const repository = await git.createRepository({
    'SUMMARY.md': '* [One](one.md)\n',
    'one.md': Buffer.from('# One\n\nCaf\u00e9.\n\nTea.\n', 'latin1'),
  });
  const { id: spaceId } = await createSpace(server);
  await importRepository(server, spaceId, repository);
  const { client } = server.admin;
  const [page] = await readTree(client, spaceId);
  await editSpace(client, spaceId, textUpdate(page?.id ?? '', 'Caf\ufffd.\n\nMilk.\n'));
  await exportTo(server, spaceId, repository);
  const { stdout } = await run('git', ['--git-dir', repository.folder, 'show', 'main:one.md'], {
    encoding: 'latin1',
  });
  expect(stdout).toBe('# One\n\nCaf\u00e9.\n\nMilk.\n');
});
