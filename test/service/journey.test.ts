import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { ok, waitForRun } from '../../client/platform/index.ts';
import {
  branch,
  edit,
  editSpace,
  merge,
  pageInsertion,
  pagesByTitle,
  pageText,
  pageTitled,
  readChangeRequest,
  textUpdate,
} from '../support/content/branches.ts';
import { createSpace, importRepository, readSpace } from '../support/content/imports.ts';
import { git } from '../support/git/git-files.ts';
import { type GitServer, startGitServer } from '../support/git/git-server.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

let server: TestServer;
let repositories: GitServer;
beforeAll(async () => {
  [server, repositories] = await Promise.all([startTestServer(), startGitServer()]);
});
afterAll(() => Promise.all([server.stop(), repositories.close()]));

const INSTALLING = 'Download it.\n\nRun `setup`.\n\nSign in.\n';

test('imports, edits, discusses, merges, finds and exports documentation', async () => {
  const [ada, grace] = [server.admin.client, (await server.member('Grace', 'edit')).client];

  // A repository becomes a space.
  const repository = await repositories.createRepository({
    'README.md': '# Compass\n\nFinds the way.\n',
    'SUMMARY.md': '# Table of contents\n\n* [Compass](README.md)\n* [Installing](installing.md)\n',
    'installing.md': `# Installing\n\n${INSTALLING}`,
  });
  const { id: space } = await createSpace(server, 'Compass');
  await importRepository(server, space, repository);
  expect([...(await pagesByTitle(ada, space)).keys()]).toEqual(['Compass', 'Installing']);
  const installing = await pageTitled(ada, 'Installing', space);

  // Grace starts a change request and edits a step; Ada comments on it.
  const { id: change, number } = await branch(grace, space);
  await edit(
    grace,
    space,
    change,
    textUpdate(installing, INSTALLING.replace('Run `setup`.', 'Run `setup --guided`.')),
    pageInsertion('Troubleshooting', 'Needles that point south are held upside down.\n'),
  );
  const discussed = { path: { spaceId: space, changeRequestId: String(number) } };
  const comment = await ok(
    ada.POST('/v1/spaces/{spaceId}/change-requests/{changeRequestId}/comments', {
      params: discussed,
      body: { page: installing, body: { markdown: 'Is the guide for everybody?' } },
    }),
  );
  await ok(
    grace.POST('/v1/spaces/{spaceId}/change-requests/{changeRequestId}/comments/{commentId}/replies', {
      params: { path: { ...discussed.path, commentId: comment.id } },
      body: { body: { markdown: 'It is for newcomers.' } },
    }),
  );
  expect((await readChangeRequest(ada, space, change)).comments).toBe(1);

  // Meanwhile the same step changes in the space.
  await editSpace(
    ada,
    space,
    textUpdate(installing, INSTALLING.replace('Run `setup`.', 'Run `setup` as an administrator.')),
  );
  expect((await readChangeRequest(grace, space, change)).outdated).toBe(true);

  // Grace updates, resolves the conflict, and resolves the comment.
  const { result } = await ok(
    grace.POST('/v1/spaces/{spaceId}/change-requests/{changeRequestId}/update', { params: discussed }),
  );
  expect(result).toBe('conflicts');
  expect(await pageText(grace, installing, space, change)).toBe(
    INSTALLING.replace(
      'Run `setup`.',
      [
        '<<<<<<< change request',
        'Run `setup --guided`.',
        '=======',
        'Run `setup` as an administrator.',
        '>>>>>>> primary content',
      ].join('\n'),
    ),
  );
  const chosen = INSTALLING.replace('Run `setup`.', 'Run `setup --guided` as an administrator.');
  await edit(grace, space, change, textUpdate(installing, chosen));
  await ok(
    grace.PUT('/v1/spaces/{spaceId}/change-requests/{changeRequestId}/comments/{commentId}', {
      params: { path: { ...discussed.path, commentId: comment.id } },
      body: { resolved: true },
    }),
  );
  expect(await readChangeRequest(ada, space, change)).toMatchObject({ comments: 0, outdated: false });

  // Ada merges: everyone reads and finds it.
  expect((await merge(ada, space, change)).result).toBe('merge');
  expect(await pageText(ada, installing, space)).toBe(chosen);
  await vi.waitFor(async () => {
    const results = await ok(
      ada.GET('/v1/spaces/{spaceId}/search', {
        params: { path: { spaceId: space }, query: { query: 'upside needles' } },
      }),
    );
    expect(results.items.map(({ title }) => title)).toEqual(['Troubleshooting']);
  }, 20_000);

  // The repository receives the changes.
  const { gitSync } = await readSpace(ada, space);
  const started = grace.POST('/v1/spaces/{spaceId}/git/export', {
    params: { path: { spaceId: space } },
    body: { url: repository.url, ref: 'refs/heads/main', commitMessage: 'Guide newcomers' },
  });
  await waitForRun(grace, started, { timeout: 20_000 });
  expect((await readSpace(ada, space)).gitSync?.updatedAt).not.toBe(gitSync?.updatedAt);
  const show = (path: string) => git(repository.folder, ['show', `main:${path}`]);
  expect(await git(repository.folder, ['log', '-1', '--format=%s', 'main'])).toBe('Guide newcomers\n');
  expect(await show('installing.md')).toBe(`# Installing\n\n${chosen}`);
  expect(await show('SUMMARY.md')).toBe(
    '# Table of contents\n\n* [Compass](README.md)\n* [Installing](installing.md)\n* [Troubleshooting](troubleshooting.md)\n',
  );
  expect(await show('troubleshooting.md')).toBe(
    '# Troubleshooting\n\nNeedles that point south are held upside down.\n',
  );
});
