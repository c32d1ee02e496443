// Runs on one engine: paths are derived before they are stored.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ok } from '../../../../client/platform/index.ts';
import { startTestServer, type TestServer } from '../../../support/server.ts';
import { createSpace, TestSite } from '../../../support/sites/site-structure.ts';

let server: TestServer;
let site: TestSite;
let section: string;
let siteSpace: string;
beforeAll(async () => {
  server = await startTestServer();
  site = await TestSite.create(server);
  const created = await ok(site.addSection(await createSpace(server, 'Guide')));
  section = created.id;
  siteSpace = created.siteSpaces[0]?.id ?? '';
});
afterAll(() => server.stop());

/** Writes a path of a section, a site space and a site. */
const write = async (path: string) => {
  const results = [
    await site.updateSection(section, { path }),
    await site.updateSpace(siteSpace, { path }),
    await site.update({ basename: path }),
  ];
  return results.map(({ response, error }) => ({ status: response.status, error }));
};

test.each(['a', 'v1.2', '.well-known', '..a', 'a~', 'API 2', 'Übersicht', '概要', 'مرجع', '🚀', "it's?#"])(
  'the path %j is accepted',
  async (path) => {
    expect(await write(path)).toEqual(Array(3).fill({ status: 200 }));
  },
);

test.each([
  '',
  '/',
  'a/b',
  'a\\b',
  '.',
  '..',
  '...',
  '~',
  '~search',
  ' a',
  'a ',
  '\u3000a',
  'a\tb',
  'a\nb',
  'a\u007fb',
  'a\u0085b',
  'a'.repeat(101),
])('the path %j is rejected', async (path) => {
  expect(await write(path)).toMatchObject(
    ['path', 'path', 'basename'].map((field) => ({ status: 400, error: { details: [{ path: field }] } })),
  );
});
