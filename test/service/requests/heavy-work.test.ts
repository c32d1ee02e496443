// Runs on one engine: computations take turns outside the database. Heavy work of one caller does not delay others:
// what matters is the order of serving requests.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ok } from '../../../client/platform/index.ts';
import { addPages, type Branch, createBranch } from '../../support/content/branch-pages.ts';
import { computedEntry } from '../../support/content/computed-pages.ts';
import { createSpace, flatten, importRepository } from '../../support/content/imports.ts';
import { createSpecification } from '../../support/content/specifications.ts';
import { type GitServer, startGitServer } from '../../support/git/git-server.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

/** Pages that are computed from a specification. */
const COMPUTED = {
  'README.md': '# Welcome\n',
  'SUMMARY.md': `* [Welcome](README.md)\n${computedEntry('long')}`,
};

let server: TestServer;
let git: GitServer;
const ended = new AbortController();
beforeAll(async () => {
  [server, git] = await Promise.all([startTestServer(), startGitServer()]);
});
afterAll(async () => {
  ended.abort();
  await Promise.all([server.stop(), git.close()]);
});

/** Serves fast requests one after another during heavy work. Returns how many came first. */
async function quickRequestsDuring(heavy: Promise<unknown>, limit = 10): Promise<number> {
  let isOver = false;
  const over = () => {
    isOver = true;
  };
  heavy.then(over, over);
  let served = 0;
  while (!isOver && served < limit) {
    await ok(server.admin.client.GET('/v1/user'));
    if (!isOver) {
      served += 1;
    }
  }
  return served;
}

/** Reads a page as a document, without the retries of a client. */
const readDocument = ({ token, spaceId, changeRequestId }: Branch, page: string): Promise<Response> =>
  fetch(`${server.url}/v1/spaces/${spaceId}/change-requests/${changeRequestId}/content/page/${page}`, {
    headers: { Authorization: `Bearer ${token}` },
    signal: ended.signal,
  });

// Threads and turns keep others served.
describe('while a caller', () => {
  test('reads a long page, others are served', async () => {
    const branch = await createBranch(server.admin, server.organization);
    const [page = ''] = await addPages(branch, [
      'Words of *prose* that say little of what matters.\n\n'.repeat(3000),
    ]);
    const reading = readDocument(branch, page);
    expect(await quickRequestsDuring(reading)).toBe(10);
    const response = await reading;
    expect(response.status).toBe(200);
    expect((await response.text()).match(/"type":"paragraph"/g)).toHaveLength(3000);
  });

  test('reads a page of 3 MB of list items, it is sent completely', async () => {
    const branch = await createBranch(server.admin, server.organization);
    const text = '- a\n'.repeat(750_000);
    const [page = ''] = await addPages(branch, [text]);
    const response = await readDocument(branch, page);
    expect(response.status).toBe(200);
    expect((await response.text()).length).toBeGreaterThan(text.length);
  });

  test('writes a page of thousands of links, others are served', async () => {
    const branch = await createBranch(server.admin, server.organization);
    const links = Array.from({ length: 60_000 }, (_, at) => `[a](b${at})\n`).join('');
    // Many: sending the text alone takes a few.
    expect(await quickRequestsDuring(addPages(branch, [links]), 50)).toBe(50);
  });

  test('reads a page of a long OpenAPI specification, others are served', async () => {
    const schemas = Object.fromEntries(
      Array.from({ length: 40_000 }, (_, at) => [
        `Model${at}`,
        { type: 'object', properties: { next: { $ref: `#/components/schemas/Model${at + 1}` } } },
      ]),
    );
    const text = JSON.stringify({
      openapi: '3.1.0',
      info: { title: 'Long' },
      paths: {},
      components: { schemas },
    });
    // The space is read first: its pages are not computed before they are listed.
    const { id: spaceId } = await createSpace(server);
    await importRepository(server, spaceId, await git.createRepository(COMPUTED));
    await createSpecification(server.admin, server.organization, 'long', { text });

    const { client } = server.admin;
    const params = { path: { spaceId } };
    const listing = ok(client.GET('/v1/spaces/{spaceId}/content/pages', { params }));
    // On the thread of the requests, at most one is served before the computation.
    expect(await quickRequestsDuring(listing, 3)).toBe(3);
    const { pages } = await listing;
    const models = flatten(pages).find(({ title }) => title === 'Models');
    const page = await ok(
      client.GET('/v1/spaces/{spaceId}/content/page/{pageId}', {
        params: { path: { spaceId, pageId: models?.id ?? '' }, query: { format: 'markdown' } },
      }),
    );
    expect(page).toMatchObject({ markdown: expect.stringContaining('Model0') });
  });

  test('prints a PDF of a long page, others are served', async () => {
    const { client, ...branch } = await createBranch(server.admin, server.organization);
    await addPages({ client, ...branch }, ['Words that fill a line of the page.\n\n'.repeat(3000)]);
    const { spaceId, changeRequestId } = branch;
    const params = { path: { spaceId, changeRequestId } };
    const { url } = await ok(
      client.GET('/v1/spaces/{spaceId}/change-requests/{changeRequestId}/pdf', { params }),
    );
    const printing = fetch(url, { signal: ended.signal }).then(async (response) => ({
      status: response.status,
      text: await response.text(),
    }));
    expect(await quickRequestsDuring(printing)).toBe(10);
    const { status, text } = await printing;
    expect(status).toBe(200);
    expect(text).toMatch(/%%EOF\s*$/);
  });
});

describe('an organization that fills the queue', () => {
  test('is rejected for a while, and others are served', async () => {
    const branch = await createBranch(server.admin, server.organization);
    const outsider = await server.person('Modest');
    const { id } = await ok(outsider.client.POST('/v1/orgs', { body: { title: 'Modest' } }));
    const other = await createBranch(outsider, id);
    const items = (from: number) =>
      Array.from({ length: 3000 }, (_, at) => `* Item ${from} *of* ${at}\n`).join('');
    const pages = await addPages(
      branch,
      Array.from({ length: 150 }, (_, at) => items(at)),
    );
    const [own = ''] = await addPages(other, ['Some text. '.repeat(500)]);

    const reads = pages.map((page) => readDocument(branch, page));
    const [rejected] = await Promise.all([
      firstOf(reads, 503),
      firstOf(reads, 200),
      readDocument(other, own).then(({ status }) => expect(status).toBe(200)),
    ]);
    expect(rejected.headers.get('retry-after')).toBe('1');
  });
});

/** Returns the first response with a status. */
function firstOf(reads: ReadonlyArray<Promise<Response>>, status: number): Promise<Response> {
  return new Promise((resolve, reject) => {
    const recordResponse = (response: Response) => {
      if (response.status === status) {
        resolve(response);
      }
    };
    const all = Promise.allSettled(reads.map((read) => read.then(recordResponse)));
    void all.then(() => reject(new Error(`No response had the status ${status}.`)));
  });
}
