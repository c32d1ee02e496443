// Runs on one engine: dates are fields of records, which other imports store on both.
import { expect, test } from 'vitest';
import { openContent } from '../../../server/content/store/content.ts';
import { requireRevision } from '../../../server/content/store/revisions.ts';
import { walk } from '../../../server/content/tree/records.ts';
import { createSpace, importRepository } from '../../support/content/imports.ts';
import { git as runGit } from '../../support/git/git-files.ts';
import { git, server, useServers } from './servers.ts';

useServers();

/** Adds a commit of a time, in seconds, to the branch of a repository. */
async function commitAt(folder: string, seconds: number, files: Record<string, string>, isFirst = false) {
  const lines = Object.entries(files).map(
    ([path, text]) => `M 100644 inline ${JSON.stringify(path)}\ndata ${Buffer.byteLength(text)}\n${text}\n`,
  );
  const commit = `commit refs/heads/main\ncommitter Ada <ada@example.test> ${seconds} +0000\ndata 4\nText\n`;
  const from = isFirst ? '' : 'from refs/heads/main^0\n';
  await runGit(
    folder,
    ['fast-import', '--quiet', '--date-format=raw'],
    Buffer.from(commit + from + lines.join('')),
  );
}

/** Returns the years of the last changes of the pages of a space, by path. */
async function yearsOf(spaceId: string): Promise<Record<string, number>> {
  const { query } = server.database;
  const { revision } = await query
    .selectFrom('spaces')
    .select('revision')
    .where('id', '=', spaceId)
    .executeTakeFirstOrThrow();
  const content = await openContent(query, await requireRevision(query, spaceId, revision));
  return Object.fromEntries(
    [...walk(await content.readTree())].map(({ record }) => [
      record.git?.path ?? record.title,
      new Date(record.updatedAt ?? record.createdAt ?? 0).getUTCFullYear(),
    ]),
  );
}

test('a page of a commit without a valid time has the time of the import', async () => {
  const repository = await git.createEmptyRepository();
  await commitAt(repository.folder, 0, { 'a.md': '# A\n' }, true);
  await commitAt(repository.folder, 9_000_000_000_000, { 'b.md': '# B\n' });
  await commitAt(repository.folder, secondsOf(2020), { 'c.md': '# C\n' });
  const { id } = await createSpace(server);
  await importRepository(server, id, repository);
  const year = new Date().getUTCFullYear();
  expect(await yearsOf(id)).toEqual({ 'a.md': year, 'b.md': year, 'c.md': 2020 });
  // Its only commit.
  const single = await git.createEmptyRepository();
  await commitAt(single.folder, 9_000_000_000_000, { 'a.md': '# A\n' }, true);
  const other = await createSpace(server);
  await importRepository(server, other.id, single);
  expect(await yearsOf(other.id)).toEqual({ 'a.md': year });
});

const secondsOf = (year: number): number => Date.UTC(year, 5) / 1000;

test('a page has the date of the last commit of its file', async () => {
  const repository = await git.createEmptyRepository();
  const { folder } = repository;
  await commitAt(folder, secondsOf(2019), { 'a.md': '# A\n', 'b c.md': '# B\n', 'ü.md': '# U\n' }, true);
  await commitAt(folder, secondsOf(2020), { 'b c.md': '# B\n\nText.\n' });
  await commitAt(folder, secondsOf(2021), { LICENSE: 'MIT\n' });
  const { id } = await createSpace(server);
  await importRepository(server, id, repository);
  expect(await yearsOf(id)).toEqual({ 'a.md': 2019, 'b c.md': 2020, 'ü.md': 2019 });

  await commitAt(folder, secondsOf(2022), { 'a.md': '# A\n\nNext commit.\n' });
  await importRepository(server, id, repository);
  expect(await yearsOf(id)).toEqual({ 'a.md': 2022, 'b c.md': 2020, 'ü.md': 2019 });

  await commitAt(folder, secondsOf(2023), { 'ü.md': '# U\n\nOne of two commits.\n' });
  await commitAt(folder, secondsOf(2024), { 'b c.md': '# B\n\nThe other one.\n' });
  await importRepository(server, id, repository);
  expect(await yearsOf(id)).toEqual({ 'a.md': 2022, 'b c.md': 2024, 'ü.md': 2023 });

  // The clock of the author is wrong.
  await commitAt(folder, secondsOf(2999), { 'a.md': '# A\n\nTomorrow.\n' });
  await importRepository(server, id, repository);
  expect((await yearsOf(id))['a.md']).toBe(new Date().getUTCFullYear());
});
