import { afterAll, beforeAll, expect, test } from 'vitest';
import { ok } from '../../../client/platform/index.ts';
import { createSpace, importRepository } from '../../support/content/imports.ts';
import {
  type JudgedResult,
  readDocumentations,
  readJudgedQueries,
  shareWithin,
} from '../../support/content/judged-search.ts';
import { type GitServer, startGitServer } from '../../support/git/git-server.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

let server: TestServer;
let git: GitServer;
const spaces = new Map<string, string>();

beforeAll(async () => {
  [server, git] = await Promise.all([startTestServer(), startGitServer()]);
  for (const { name, language, files } of readDocumentations()) {
    const { id } = await createSpace(server, name);
    const path = { spaceId: id };
    await ok(server.admin.client.PATCH('/v1/spaces/{spaceId}', { params: { path }, body: { language } }));
    await importRepository(server, id, await git.createRepository(files));
    spaces.set(name, id);
  }
});
afterAll(() => Promise.all([server.stop(), git.close()]));

test('finds the best page of judged queries in the first three results', async () => {
  const results: JudgedResult[] = [];
  for (const judged of readJudgedQueries()) {
    const params = {
      path: { spaceId: spaces.get(judged.documentation) ?? '' },
      query: { query: judged.query, limit: 10 },
    };
    const { items } = await ok(server.admin.client.GET('/v1/spaces/{spaceId}/search', { params }));
    const at = items.findIndex(({ title }) => title === judged.best);
    results.push({ ...judged, position: at < 0 ? undefined : at + 1 });
  }
  const missed = results.filter(({ position }) => position === undefined || position > 3);
  expect(results.length).toBeGreaterThanOrEqual(60);
  expect(shareWithin(results, 3), missed.map(({ query }) => query).join(', ')).toBeGreaterThanOrEqual(0.95);
});
