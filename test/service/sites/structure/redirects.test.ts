// Runs on one engine: redirects are part of the content, which is read as a whole.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ok } from '../../../../client/platform/index.ts';
import { importRepository } from '../../../support/content/imports.ts';
import { type GitServer, type ServedRepository, startGitServer } from '../../../support/git/git-server.ts';
import { startTestServer, type TestServer } from '../../../support/server.ts';
import { publishSite, spaceFrom } from '../../../support/sites/published-site.ts';
import {
  type FakeTranslationService,
  startTranslationService,
} from '../../../support/translations/translation-service.ts';
import { createTranslation, untilCompleted } from '../../../support/translations/translations.ts';

let service: FakeTranslationService;
let server: TestServer;
let git: GitServer;
let repository: ServedRepository;
let space: string;
let url: string;
let base: string;

const CONFIGURATION = `# Moved in spring
redirects:
  old/start: ./guides/start.md
  old/steps: guides/start.md#second-step
  start: README.md
  loop: loop.md
  away: https://example.com/
`;
const FILES = {
  '.gitbook.yaml': CONFIGURATION,
  'README.md': '# Home\n',
  'guides/start.md': '# Start\n\n## Second step\n',
  'SUMMARY.md': '* [Home](README.md)\n* [Start](guides/start.md)\n',
};

beforeAll(async () => {
  service = await startTranslationService();
  server = await startTestServer({ COLOPHON_TRANSLATE_URL: service.url });
  git = await startGitServer();
  const imported = await spaceFrom(server, git, 'Guide', FILES);
  repository = imported.repository;
  space = imported.space.id;
  const other = await spaceFrom(server, git, 'Other', { 'README.md': '# Other\n' });
  const site = await publishSite(server, { spaces: [space, other.space.id] });
  url = site.url;
  base = new URL(url).pathname;
});
afterAll(async () => {
  await git.close();
  await server.stop();
  await service.close();
});

const get = async (path: string) => {
  const response = await fetch(`${url}${path}`, { redirect: 'manual' });
  await response.arrayBuffer();
  return [response.status, response.headers.get('location')];
};

describe('a redirect of a repository', () => {
  test('leads to the current address of its page', async () => {
    expect(await get('/old/start')).toEqual([308, `${base}/start`]);
    expect(await get('/old/start/?q=a%20b')).toEqual([308, `${base}/start?q=a+b`]);
    expect(await get('/old/steps')).toEqual([308, `${base}/start#second-step`]);
    expect(await get('/guide/old/start')).toEqual([308, `${base}/start`]);
  });

  test('does not replace a page, lead to itself or to another site, or apply to other spaces', async () => {
    expect(await get('/start')).toEqual([200, null]);
    expect(await get('/loop')).toEqual([404, null]);
    expect(await get('/away')).toEqual([404, null]);
    expect(await get('/other/old/start')).toEqual([404, null]);
  });

  test('is reported if it cannot be followed', async () => {
    const { items } = await ok(
      server.admin.client.GET('/v1/spaces/{spaceId}/git/runs', { params: { path: { spaceId: space } } }),
    );
    expect(items[0]?.problems.map(({ file, reason }) => [file, reason])).toEqual([
      ['.gitbook.yaml', 'not_found'],
      ['.gitbook.yaml', 'unsupported'],
    ]);
  });

  test('remains in a translation of the space', async () => {
    const { space: translated } = await untilCompleted(server, await createTranslation(server, space));
    const site = await publishSite(server, { spaces: [translated] });
    const response = await fetch(`${site.url}/old/steps`, { redirect: 'manual' });
    expect(response.headers.get('location')).toBe(`${new URL(site.url).pathname}/start#second-step`);
  });

  test('follows its page when that is edited, and ends with the next import without it', async () => {
    await repository.update({ 'SUMMARY.md': '* [Start](guides/start.md)\n* [Home](README.md)\n' });
    await importRepository(server, space, repository);
    expect(await get('/old/start')).toEqual([308, base]);
    await repository.update({ '.gitbook.yaml': 'root: ./\n' });
    await importRepository(server, space, repository);
    expect(await get('/old/start')).toEqual([404, null]);
  });
});
