import { readdir } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { readHistory } from '../../../server/outgoing/git/history.ts';
import { locateRepository } from '../../../server/outgoing/git/locate.ts';
import { LOOPBACK, useGitServers } from './clones.ts';

const servers = useGitServers();

test('a history that changes too many files is not read, and leaves no files', async () => {
  const git = await servers.serve();
  const { url, log } = await git.createRepository({ 'a.md': 'a', 'b.md': 'b' });
  const location = await locateRepository(new URL(url), undefined, { allow: LOOPBACK, milliseconds: 10_000 });
  const { folder } = servers;
  const read = async (listBytes: number) =>
    await readHistory({
      folder,
      location,
      ref: 'refs/heads/main',
      oid: (await log())[0]?.oid ?? '',
      limits: { listBytes },
      process: { dataBytes: 1e8, signal: undefined },
    });
  expect([...(await read(1000)).keys()].sort()).toEqual(['a.md', 'b.md']);
  await expect(read(10)).rejects.toMatchObject({ code: 'too-large' });
  expect(await readdir(folder)).toEqual([]);
});
