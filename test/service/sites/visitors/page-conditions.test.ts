// Runs on one engine: reading-visitors executes its statements on both.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ok, waitForRun } from '../../../../client/platform/index.ts';
import { CONDITION, placements } from '../../../support/content/conditional-placements.ts';
import { type GitServer, startGitServer } from '../../../support/git/git-server.ts';
import { readPdf, withoutSpaces } from '../../../support/pdf/pdf.ts';
import { startTestServer, type TestServer } from '../../../support/server.ts';
import { spaceFrom } from '../../../support/sites/published-site.ts';
import { VisitedSite } from '../../../support/sites/visited-sites.ts';

/** A page with a condition around a word that occurs nowhere else. */
const PAGES = placements('').map(({ name, isShown }, at) => {
  const word = `Quillwort${String.fromCharCode(97 + Math.floor(at / 26), 97 + (at % 26))}fern`;
  const markdown = placements(word)[at]?.markdown ?? '';
  return { name, isShown, word, markdown, path: `page-${at}` };
});
const SHOWN = PAGES.filter(({ isShown }) => isShown).map(({ word }) => word);
const UNDER = (text: string) => `{% if ${CONDITION} %}${text}{% endif %}`;
const TITLED = `---
description: Description ${UNDER('Quillwortdescription')}
---

# Title ${UNDER('Quillworttitle')}

Text.
`;

let server: TestServer;
let git: GitServer;
let site: VisitedSite;
let space: string;
let repository: { url: string };
let url: string;

beforeAll(async () => {
  server = await startTestServer();
  git = await startGitServer();
  const imported = await spaceFrom(server, git, 'Guide', {
    'README.md': '# Guide\n',
    'titled.md': TITLED,
    'secret.md': '# Quillwortentry\n',
    'listed.md': '# Listed\n',
    ...Object.fromEntries(PAGES.map(({ path, markdown }) => [`${path}.md`, `# ${path}\n\n${markdown}\n`])),
    'SUMMARY.md': [
      '* [Guide](README.md)',
      '* [](titled.md)',
      ...PAGES.map(({ path }) => `* [${path}](${path}.md)`),
      `* [Listed ${UNDER('Quillwortlisted')}](listed.md)`,
      `{% if ${CONDITION} %}`,
      '* [Quillwortentry](secret.md)',
      '{% endif %}',
    ].join('\n'),
  });
  space = imported.space.id;
  repository = imported.repository;
  site = await VisitedSite.create(server, { title: 'Acme', spaces: [space] });
  await site.setAdaptiveSchema();
  await site.update({ agentsContext: 'included' });
  url = (await site.publish()).urls.published ?? '';
});
afterAll(async () => {
  await git.close();
  await server.stop();
});

const bearer = async (claims: Record<string, unknown>) => ({
  Authorization: `Bearer ${await site.visitorToken(claims)}`,
});
/** Headers of visitors with insufficient claims, and of visitors without claims. */
const others = async () => [await bearer({ beta: false }), {}];

async function get(path: string, headers: Record<string, string>): Promise<string> {
  const response = await fetch(`${url}${path}`, { headers });
  expect([path, response.status]).toEqual([path, 200]);
  return await response.text();
}

/** Returns the text of the PDF of all pages, without spaces. */
async function print(headers: Record<string, string>): Promise<string> {
  const [address = ''] = /\/~pdf\/[^"]+(?=\/)/.exec(await get('/page-0', headers)) ?? [];
  const response = await fetch(`${url}${address}`, { headers });
  const { pages } = await readPdf(new Uint8Array(await response.arrayBuffer()));
  return withoutSpaces(pages.map(({ text }) => text).join(' '));
}

test.each(PAGES)('a condition in $name', async ({ path, word, isShown }) => {
  const outputs = async (headers: Record<string, string>) => [
    await get(`/${path}`, headers),
    await get(`/${path}.md`, headers),
    await get(`/~search.json?q=${word.toLowerCase()}`, headers),
  ];
  for (const headers of await others()) {
    for (const output of await outputs(headers)) {
      expect(output).not.toContain(word);
      expect(output).not.toContain('visitor.claims');
    }
  }
  const [page, markdown] = await outputs(await bearer({ beta: true }));
  expect([page?.includes(word), markdown?.includes(word)]).toEqual([isShown, isShown]);
});

test('PDFs, feeds and the pages of a search contain what their visitor sees', async () => {
  const feeds = async (headers: Record<string, string>) =>
    await Promise.all(
      ['', '/llms.txt', '/sitemap.xml', '/~search?q=quillwort'].map((path) => get(path, headers)),
    );
  for (const headers of await others()) {
    expect(await print(headers)).not.toContain('Quillwort');
    for (const output of await feeds(headers)) {
      expect(output.replaceAll('<mark>', '')).not.toMatch(/Quillwort[a-z]+/);
    }
  }
  const headers = await bearer({ beta: true });
  const printed = await print(headers);
  // The title of a link and the like are not printed.
  expect(SHOWN.filter((word) => printed.includes(word)).length).toBeGreaterThan(SHOWN.length - 10);
});

test('titles, descriptions and the page tree are the same for all visitors', async () => {
  for (const headers of [await bearer({ beta: true }), ...(await others())]) {
    for (const path of ['', '/titled', '/llms.txt']) {
      expect((await get(path, headers)).replace(/<main.*/s, '')).not.toMatch(
        /Quillwort(?:description|entry|listed)|quillwort|<title>[^<]*Quillwort/,
      );
    }
  }
  const page = await get('/titled', await bearer({ beta: true }));
  expect(page).toContain('<title>Title');
  expect(page).toContain('Quillworttitle');
  expect(await get('/titled', {})).not.toContain('Quillworttitle');
});

test('conditions in pages apply whether or not the site has adaptive content', async () => {
  await site.update({ adaptiveContent: { enabled: false } });
  const headers = await bearer({ beta: true });
  expect(await get('/page-0', headers)).not.toContain(PAGES[0]?.word);
  expect(await get(`/~search.json?q=${PAGES[0]?.word.toLowerCase()}`, headers)).not.toContain(PAGES[0]?.word);
  await site.update({ adaptiveContent: { enabled: true } });
});

test('an import reports each condition that cannot be evaluated', async () => {
  const { client } = server.admin;
  const params = { path: { spaceId: space } };
  const { items } = await ok(client.GET('/v1/spaces/{spaceId}/git/runs', { params }));
  const run = await ok(
    client.GET('/v1/spaces/{spaceId}/git/runs/{runId}', {
      params: { path: { spaceId: space, runId: items[0]?.id ?? '' } },
    }),
  );
  const problems = new Map(run.problems.map((problem) => [problem.file, problem]));
  for (const { path, isShown } of PAGES) {
    expect([path, problems.has(`${path}.md`)]).toEqual([path, !isShown]);
  }
  const unclosed = PAGES.find(({ name }) => name === 'a block without an end')?.path;
  expect(problems.get(`${unclosed}.md`)).toMatchObject({ line: 5, reason: 'invalid_syntax' });
  expect(problems.get(`${unclosed}.md`)?.message).toContain('Add {% endif %}.');
  expect(problems.get('titled.md')).toMatchObject({ reason: 'unsupported' });
  expect(problems.get('SUMMARY.md')).toMatchObject({ reason: 'unsupported' });
  const body = { url: repository.url, ref: 'refs/heads/main', force: true };
  const again = await waitForRun(client, client.POST('/v1/spaces/{spaceId}/git/import', { params, body }));
  expect(again.problems).toEqual(run.problems);
});

test('an edit reports them, and rejects conditions in titles', async () => {
  const { client } = server.admin;
  const params = { path: { spaceId: space } };
  const { id } = await ok(
    client.POST('/v1/spaces/{spaceId}/change-requests', { params, body: { subject: 'Edit' } }),
  );
  const edit = (title: string, markdown: string) =>
    client.POST('/v1/spaces/{spaceId}/change-requests/{changeRequestId}/content', {
      params: { path: { spaceId: space, changeRequestId: id } },
      body: { changes: [{ operation: 'insert_page', title, document: { markdown } }] },
    });
  const { notices } = await ok(edit('Page', `Text.\n\n{% if ${CONDITION} %}\nHidden.`));
  expect(notices).toMatchObject([{ line: 3, reason: 'unclosed' }]);
  const page = await ok(
    client.GET('/v1/spaces/{spaceId}/change-requests/{changeRequestId}/content/page/{pageId}', {
      params: {
        path: { spaceId: space, changeRequestId: id, pageId: notices?.[0]?.page ?? '' },
        query: { format: 'document' },
      },
    }),
  );
  const { document } = 'document' in page ? page : {};
  expect(document?.data.conditionProblems).toMatchObject([{ line: 3, reason: 'unclosed' }]);
  expect((await ok(edit('Page', UNDER('Hidden.')))).notices).toBeUndefined();
  const rejected = await edit(`Page ${UNDER('Hidden')}`, 'Text.');
  expect(rejected.response.status).toBe(400);
  expect(rejected.error?.details).toMatchObject([{ path: 'changes.0.title' }]);
});
