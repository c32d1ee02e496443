import { mkdir, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { parseAllowedRanges } from '../../../server/outgoing/addresses.ts';
import {
  CACHED_COPY_AGE_MS,
  MAX_CACHED_COPY_PACKS,
  removeUnusedCopies,
} from '../../../server/outgoing/git/copy-cache.ts';
import { cloneRepository, type GitRepository } from '../../../server/outgoing/git/git.ts';
import { gitCommandsOf } from '../../support/git/git-commands.ts';
import { git } from '../../support/git/git-files.ts';
import { type GitServer, startGitServer } from '../../support/git/git-server.ts';

let server: GitServer;
let folder: string;

beforeEach(async () => {
  server = await startGitServer();
  folder = await mkdtemp(join(tmpdir(), 'clones-'));
});

afterEach(async () => {
  await server.close();
  await rm(folder, { recursive: true, force: true });
});

async function clone(url: string, key: string): Promise<GitRepository> {
  const allow = parseAllowedRanges('127.0.0.0/8');
  return await cloneRepository({ url, ref: 'refs/heads/main', allow, folder, cache: { folder, key } });
}

/** Reads all texts of a commit by path. */
async function textsOf(repository: GitRepository): Promise<Record<string, string>> {
  const { files } = await repository.readTree();
  const texts = new Map<string, string>();
  for await (const { oid, content } of repository.readBlobs(files.map(({ oid }) => oid))) {
    texts.set(oid, content.toString());
  }
  return Object.fromEntries(files.map(({ path, oid }) => [path, texts.get(oid) ?? '']));
}

/** Returns the sizes of the packs of a copy in bytes, in the order of fetching. */
async function packsOf(path: string): Promise<number[]> {
  const packs = join(path, 'objects', 'pack');
  const names = (await readdir(packs)).filter((name) => name.endsWith('.pack'));
  const found = await Promise.all(names.map((name) => stat(join(packs, name))));
  return found.sort((left, right) => left.mtimeMs - right.mtimeMs).map(({ size }) => size);
}

const files = (count: number) =>
  Object.fromEntries(
    Array.from({ length: count }, (_, at) => [
      `group-${at % 25}/page-${at}.md`,
      `# Page ${at}\n\n${Math.sin(at)} ${Math.cos(at)}\n`,
    ]),
  );

describe('a cached copy', () => {
  test('limits the next fetch to what changed', async () => {
    const { url, update } = await server.createRepository(files(500));
    const first = await clone(url, 'docs');
    await writeFile(join(first.folder, 'note'), 'cached');
    await first.cache();
    const oid = await update({ 'group-7/page-7.md': '# Changed\n', 'group-7/page-32.md': null });
    const second = await clone(url, 'docs');
    expect(second.commit.oid).toBe(oid);
    const expected: Record<string, string> = { ...files(500), 'group-7/page-7.md': '# Changed\n' };
    delete expected['group-7/page-32.md'];
    expect(await textsOf(second)).toEqual(expected);
    expect(await readdir(second.folder)).toContain('note');
    const sizes = await packsOf(second.folder);
    expect(sizes).toHaveLength(2);
    expect(Math.min(...sizes)).toBeLessThan(Math.max(...sizes) / 10);
    await second.close();
    expect(await readdir(folder)).toEqual([]);
  });

  test('reads only trees that changed, regardless of their number', async () => {
    const commands = async (count: number) => {
      const { url, update } = await server.createRepository(files(count));
      const key = `docs ${count}`;
      const first = await clone(url, key);
      const listed = await gitCommandsOf(() => first.readTree());
      expect(listed.objects).toBeGreaterThan(count);
      await first.cache();
      await update({ 'group-7/page-7.md': '# Changed\n' });
      const second = await gitCommandsOf(async () => {
        const repository = await clone(url, key);
        const { files } = await repository.readTree();
        expect(files).toHaveLength(count);
        expect(files.find(({ path }) => path === 'group-7/page-7.md')?.size).toBe(10);
        await repository.close();
      });
      // One process fetches, the other one reads.
      expect(second.processes).toBe(2);
      return second.objects;
    };
    // The commit, its root, the changed group, and the sizes of the files in the group.
    expect(await commands(50)).toBe(3 + 2);
    expect(await commands(500)).toBe(3 + 20);
  });

  test('lists trees of a damaged cache again', async () => {
    const { url } = await server.createRepository(files(50));
    const first = await clone(url, 'docs');
    const { files: listed } = await first.readTree();
    await first.cache();
    const second = await clone(url, 'docs');
    const path = join(second.folder, 'trees-1');
    const text = await readFile(path, 'utf8');
    await writeFile(path, text.slice(0, text.length / 2));
    await second.cache();
    const third = await clone(url, 'docs');
    expect((await third.readTree()).files).toEqual(listed);
    await third.close();
  });

  test('is used by one clone at a time, and only with its key', async () => {
    const { url } = await server.createRepository(files(3));
    await (await clone(url, 'docs')).cache();
    const copies = await Promise.all([clone(url, 'docs'), clone(url, 'docs'), clone(url, 'other')]);
    expect(new Set(copies.map((copy) => copy.folder)).size).toBe(3);
    expect(await readdir(folder)).toHaveLength(3);
    for (const copy of copies) {
      expect(await textsOf(copy)).toEqual(files(3));
      await copy.cache();
    }
    expect(await readdir(folder)).toHaveLength(2);
  });

  test('is replaced if it is damaged', async () => {
    const { url } = await server.createRepository(files(3));
    const first = await clone(url, 'docs');
    await Promise.all([
      rm(join(first.folder, 'HEAD')),
      rm(join(first.folder, 'objects', 'pack'), { recursive: true }),
    ]);
    await mkdir(join(first.folder, 'objects', 'pack'));
    await first.cache();
    const second = await clone(url, 'docs');
    expect(await textsOf(second)).toEqual(files(3));
    await second.close();
  });

  test('follows a branch that was rewritten', async () => {
    const { url, folder: remote, update } = await server.createRepository(files(3));
    await update({ 'group-1/page-1.md': '# Changed\n' });
    await (await clone(url, 'docs')).cache();
    await git(remote, ['update-ref', 'refs/heads/main', 'refs/heads/main~1']);
    const second = await clone(url, 'docs');
    expect(await textsOf(second)).toEqual(files(3));
    await second.close();
  });

  test('is removed after many fetches, and when it is not used', async () => {
    const { url } = await server.createRepository(files(3));
    const first = await clone(url, 'docs');
    for (let pack = 0; pack <= MAX_CACHED_COPY_PACKS; pack++) {
      await writeFile(join(first.folder, 'objects', 'pack', `pack-${pack}.pack`), '');
    }
    await first.cache();
    expect(await readdir(folder)).toEqual([]);

    await (await clone(url, 'docs')).cache();
    const [name = ''] = await readdir(folder);
    const unused = new Date(Date.now() - CACHED_COPY_AGE_MS - 1000);
    await utimes(join(folder, name), unused, unused);
    await (await clone(url, 'other')).cache();
    expect(await readdir(folder)).not.toContain(name);
    const [other = ''] = await readdir(folder);
    await utimes(join(folder, other), unused, unused);
    await removeUnusedCopies(folder);
    expect(await readdir(folder)).toEqual([]);
  });
});
