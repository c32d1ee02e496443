// Runs on one engine: files/large-files.test.ts stores and reads large files on both.
import { createHash, randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { ok } from '../../../client/platform/index.ts';
import { exportTo } from '../../support/content/exports.ts';
import { createSpace, importRepository } from '../../support/content/imports.ts';
import { git as runGit } from '../../support/git/git-files.ts';
import { git, server, useServers } from './servers.ts';

useServers();

test('imports a large file from a repository, serves it, and exports it byte by byte', async () => {
  const large = randomBytes(24_000_001);
  const image = Buffer.concat([
    Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="30" height="20">'),
    Buffer.alloc(3_000_000, ' '),
    Buffer.from('</svg>'),
  ]);
  const from = await git.createRepository({
    'README.md': '# Large\n\n[large](large.bin)\n\n![image](image.svg)\n\n[empty](empty.txt)\n',
    'large.bin': large,
    'image.svg': image,
    'empty.txt': '',
  });
  const { id } = await createSpace(server);
  await importRepository(server, id, from);
  const params = { path: { spaceId: id } };
  const { items } = await ok(server.admin.client.GET('/v1/spaces/{spaceId}/content/files', { params }));
  expect(items).toHaveLength(3);
  for (const [name, bytes] of Object.entries({
    'large.bin': large,
    'image.svg': image,
    'empty.txt': Buffer.alloc(0),
  })) {
    const file = items.find((item) => item.name === name);
    expect(file?.size).toBe(bytes.byteLength);
    const body = await (await fetch(file?.downloadURL ?? '')).arrayBuffer();
    expect(createHash('sha256').update(Buffer.from(body)).digest('hex')).toBe(
      createHash('sha256').update(bytes).digest('hex'),
    );
  }
  // Detected from the first bytes of a file that was never in memory completely.
  expect(items.find(({ name }) => name === 'image.svg')?.dimensions).toEqual({ width: 30, height: 20 });

  const to = await git.createEmptyRepository();
  await exportTo(server, id, to);
  const listed = async (folder: string) =>
    (await runGit(folder, ['ls-tree', '-r', 'main'])).split('\n').filter((line) => /bin|svg|txt/.test(line));
  expect(await listed(to.folder)).toEqual(await listed(from.folder));
});
