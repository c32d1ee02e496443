import { chmod, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { TreeChange } from '../../../server/outgoing/git/fast-import.ts';
import type { CloneOptions } from '../../../server/outgoing/git/git.ts';
import { type GitBranch, openBranch } from '../../../server/outgoing/git/git-branch.ts';
import { LOOPBACK, outgoingFailure, useGitServers } from './clones.ts';

const secret = 's3cret-p@ssword';
const facts = {
  message: 'Write "it"\n\nWith a body.\n',
  author: { name: 'Service', email: 'service@example.test' },
  at: new Date('2026-01-02T03:04:05Z'),
};

const servers = useGitServers(async (folder) => {
  expect(await readdir(folder)).toEqual([]);
});
const { serve } = servers;

async function open(url: string, options: Partial<CloneOptions> = {}): Promise<GitBranch> {
  const { folder } = servers;
  const branch = await openBranch({ url, ref: 'refs/heads/main', allow: LOOPBACK, folder, ...options });
  servers.closeAfterwards(() => branch.close());
  return branch;
}

async function* changes(files: Record<string, string | null>): AsyncGenerator<TreeChange> {
  for (const [path, text] of Object.entries(files)) {
    yield { path, content: text === null ? null : Buffer.from(text) };
  }
}

describe('a pushed commit', () => {
  test('is on top of the branch, with its author and its files', async () => {
    const server = await serve();
    const repository = await server.createRepository({ 'a.md': 'a', 'b/c.md': 'c', 'run.sh': 'run' });
    const [startedAt] = await repository.log();
    const branch = await open(repository.url);
    const odd = 'Größe "und" \\Maß\nneu.md';
    const oid = (await branch.commit(changes({ 'a.md': null, 'b/c.md': 'C', [odd]: 'ß' }), facts)) ?? '';
    const { files } = await branch.readTreeOf(oid, 'b');
    expect(files.map(({ path, size }) => [path, size])).toEqual([['b/c.md', 1]]);
    await branch.push(oid);
    expect(await repository.read()).toEqual({ 'b/c.md': 'C', 'run.sh': 'run', [odd]: 'ß' });
    expect(await repository.log()).toEqual([
      { oid, author: 'Service <service@example.test>', message: facts.message.trim() },
      startedAt,
    ]);
  });

  test('is the first one of a missing branch', async () => {
    const server = await serve();
    const repository = await server.createEmptyRepository();
    const branch = await open(repository.url);
    expect(branch.head).toBeUndefined();
    expect(await branch.readTree()).toEqual({ files: [], skipped: [] });
    const oid = (await branch.commit(changes({ 'a.md': 'a' }), facts)) ?? '';
    await branch.push(oid);
    expect(await repository.read()).toEqual({ 'a.md': 'a' });
    const other = await open(repository.url, { ref: 'refs/heads/other' });
    await other.push((await other.commit(changes({ 'b.md': 'b' }), facts)) ?? '');
    expect(await repository.read('other')).toEqual({ 'b.md': 'b' });
  });

  test('is the same for the same files at the same time, and absent without changes', async () => {
    const server = await serve();
    const { url } = await server.createRepository({ 'a.md': 'a' });
    const [first, second] = [await open(url), await open(url)];
    const oid = await first.commit(changes({ 'b.md': 'b' }), facts);
    expect(await second.commit(changes({ 'b.md': 'b' }), facts)).toBe(oid);
    expect(await first.commit(changes({ 'a.md': 'a', 'x.md': null }), facts)).toBeUndefined();
  });

  test('is rejected if the branch moved, appeared or disappeared in the meantime', async () => {
    const server = await serve();
    const repository = await server.createRepository({ 'a.md': 'a' });
    const branch = await open(repository.url);
    const oid = (await branch.commit(changes({ 'b.md': 'b' }), facts)) ?? '';
    const theirs = await repository.update({ 'a.md': 'theirs' });
    expect(await outgoingFailure(branch.push(oid))).toMatchObject({ code: 'moved', transient: false });
    expect((await repository.log())[0]?.oid).toBe(theirs);

    const fresh = await open(repository.url, { ref: 'refs/heads/new' });
    const first = (await fresh.commit(changes({ 'b.md': 'b' }), facts)) ?? '';
    await repository.update({ 'c.md': 'c' });
    const other = await open(repository.url, { ref: 'refs/heads/new' });
    await other.push((await other.commit(changes({ 'o.md': 'o' }), facts)) ?? '');
    expect(await outgoingFailure(fresh.push(first))).toMatchObject({ code: 'moved' });
    expect(await repository.read('new')).toEqual({ 'o.md': 'o' });
  });

  test('is found below later commits, unlike a rejected one', async () => {
    const server = await serve();
    const repository = await server.createRepository({ 'a.md': 'a' });
    const branch = await open(repository.url);
    const [ours, rejected] = [
      (await branch.commit(changes({ 'b.md': 'b' }), facts)) ?? '',
      (await branch.commit(changes({ 'c.md': 'c' }), facts)) ?? '',
    ];
    await branch.push(ours);
    await repository.update({ 'a.md': 'theirs' });
    expect(await outgoingFailure(branch.push(rejected))).toMatchObject({ code: 'moved' });
    const later = await open(repository.url);
    expect(await later.contains(ours)).toBe(true);
    expect(await later.contains(later.head?.oid ?? '')).toBe(true);
    expect(await later.contains(rejected)).toBe(false);
    expect(await later.contains('--help')).toBe(false);
  });

  test('is limited in size', async () => {
    const server = await serve();
    const { url } = await server.createRepository({ 'a.md': 'a' });
    const branch = await open(url, { limits: { bytes: 20_000 } });
    const large = changes({ 'b.md': 'b'.repeat(15_000), 'c.md': 'c'.repeat(15_000) });
    expect(await outgoingFailure(branch.commit(large, facts))).toMatchObject({
      code: 'too-large',
      message: expect.stringContaining('exceeds the export limit'),
    });
  });

  test('is rejected with the message of the server, without the credentials', async () => {
    const server = await serve({ credentials: { username: 'ada', password: secret } });
    const repository = await server.createRepository({ 'a.md': 'a' });
    const hook = join(repository.folder, 'hooks', 'pre-receive');
    await writeFile(hook, `#!/bin/sh\necho "no, ${secret} may not" >&2\nexit 1\n`);
    await chmod(hook, 0o755);
    const branch = await open(repository.url.replace('//', `//ada:${encodeURIComponent(secret)}@`));
    const oid = (await branch.commit(changes({ 'b.md': 'b' }), facts)) ?? '';
    const error = await outgoingFailure(branch.push(oid));
    expect(error).toMatchObject({
      code: 'failed',
      message: expect.stringContaining('pre-receive hook declined'),
    });
    expect(`${error.stack} ${JSON.stringify(error)}`).not.toContain(secret);
  });

  test('is sent without its credentials in a command line', async () => {
    let seen: string[] = [];
    const server = await serve({
      credentials: { username: 'ada', password: secret },
      before: async ({ url }) => {
        if (!url?.endsWith('/git-receive-pack')) {
          return;
        }
        const ids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
        seen = await Promise.all(ids.map((id) => readFile(`/proc/${id}/cmdline`, 'utf8').catch(() => '')));
      },
    });
    const { url } = await server.createRepository({ 'a.md': 'a' });
    const branch = await open(url.replace('//', `//ada:${encodeURIComponent(secret)}@`));
    await branch.push((await branch.commit(changes({ 'b.md': 'b' }), facts)) ?? '');
    expect(seen.some((line) => line.includes('push') && line.includes(url))).toBe(true);
    const forms = [secret, encodeURIComponent(secret), Buffer.from(`ada:${secret}`).toString('base64')];
    for (const form of forms) {
      expect(seen.join('\n')).not.toContain(form);
    }
  });
});
