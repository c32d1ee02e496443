import { describe, expect, test } from 'vitest';
import { addPage, exportTo, importGuide, runExport } from '../../support/content/exports.ts';
import { createSpace, flatten, importRepository, readTree } from '../../support/content/imports.ts';
import { isFirstEngine } from '../../support/database/engines.ts';
import { git, server, useServers } from './servers.ts';

useServers();

const idsByTitle = async (spaceId: string) =>
  new Map(flatten(await readTree(server.admin.client, spaceId)).map(({ id, title }) => [title, id]));

describe('a space with several repositories', () => {
  test.runIf(isFirstEngine)('exports to each of them in turn', async () => {
    const { id, repository } = await importGuide(server, git);
    const backup = await git.createEmptyRepository();
    await exportTo(server, id, backup);
    await addPage(server, id, 'news', 'Nothing yet.\n');
    await exportTo(server, id, repository);
    await exportTo(server, id, backup);
    await exportTo(server, id, repository, { ref: 'refs/heads/other' });
    await addPage(server, id, 'more', 'More.\n');
    await exportTo(server, id, repository);
    await exportTo(server, id, repository, { ref: 'refs/heads/other' });
    for (const files of [await repository.read(), await repository.read('other')]) {
      expect(files['more.md']).toBe('# MORE\n\nMore.\n');
    }
    expect((await backup.read())['news.md']).toBe('# NEWS\n\nNothing yet.\n');

    await backup.update({ 'README.md': '# Welcome\n\nBacked up.\n' });
    expect(await runExport(server, id, backup)).toMatchObject({
      state: 'failed',
      lastError: expect.stringContaining('the space was last synchronized with'),
    });
    await exportTo(server, id, repository);
  });

  test.runIf(isFirstEngine)('has its pages at the paths of each of them', async () => {
    const { id, repository } = await importGuide(server, git);
    const before = await repository.read();
    const ids = await idsByTitle(id);
    const monorepo = await git.createRepository({ 'README.md': '# Code\n' });
    const docs = { repoProjectDirectory: 'docs', force: true };
    await exportTo(server, id, monorepo, docs);
    expect(Object.keys(await monorepo.read())).toContain('docs/start/install.md');
    const exported = await monorepo.read();

    await exportTo(server, id, repository);
    expect(await repository.read()).toEqual(before);
    await exportTo(server, id, monorepo, { repoProjectDirectory: 'docs' });
    expect(await monorepo.read()).toEqual(exported);

    await repository.update({ 'start/linux.md': '# On Linux\n\nChanged.\n' });
    await importRepository(server, id, repository);
    expect(await idsByTitle(id)).toEqual(ids);
    await exportTo(server, id, monorepo, { repoProjectDirectory: 'docs' });
    expect(Object.keys(await monorepo.read()).sort()).toEqual(Object.keys(exported).sort());
    expect(Object.values(await monorepo.read())).toContain('# On Linux\n\nChanged.\n');
  });

  test.runIf(isFirstEngine)(
    'keeps its edits when a commit is imported that it already contains',
    async () => {
      const { id, repository } = await importGuide(server, git);
      await addPage(server, id, 'news', 'Nothing yet.\n');
      const backup = await git.createEmptyRepository();
      await exportTo(server, id, backup);
      await addPage(server, id, 'more', 'More.\n');
      await importRepository(server, id, repository);
      await importRepository(server, id, backup);
      expect([...(await idsByTitle(id)).keys()]).toEqual(expect.arrayContaining(['NEWS', 'MORE']));
      await exportTo(server, id, repository);
      expect(Object.keys(await repository.read())).toEqual(expect.arrayContaining(['news.md', 'more.md']));

      // Another branch replaces the content, so that no commit is contained any more.
      const other = await git.createRepository({ 'README.md': '# Other\n' });
      await importRepository(server, id, other);
      expect([...(await idsByTitle(id)).keys()]).toEqual(['Other']);
      await importRepository(server, id, backup);
      expect([...(await idsByTitle(id)).keys()]).toContain('NEWS');
      await importRepository(server, id, repository);
      expect([...(await idsByTitle(id)).keys()]).toContain('MORE');

      await addPage(server, id, 'late', 'Late.\n');
      await importRepository(server, id, repository, { force: true });
      expect([...(await idsByTitle(id)).keys()]).not.toContain('LATE');
    },
  );

  test('records the latest hundred branches', async () => {
    const { id } = await createSpace(server);
    const { query } = server.database;
    const { organization } = server;
    const rows = Array.from({ length: 105 }, (_, at) => ({
      organization,
      space: id,
      branch: `branch ${at}`,
      git: '{}' as never,
      updatedAt: `2020-01-01T00:00:00.${String(at).padStart(3, '0')}Z`,
    }));
    await query.insertInto('syncedBranches').values(rows).execute();
    await importRepository(server, id, await git.createRepository({ 'README.md': '# One\n' }));
    const recorded = await query
      .selectFrom('syncedBranches')
      .select('branch')
      .where('space', '=', id)
      .execute();
    expect(recorded).toHaveLength(100);
    expect(recorded.map(({ branch }) => branch)).not.toContain('branch 5');
  });
});
