// Runs on one engine: documents are printed before printed-pdfs.test.ts stores them.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ok } from '../../../client/platform/index.ts';
import type { components } from '../../../generated/schema.d.ts';
import { callerIdOf } from '../../../server/identity/caller.ts';
import { type PdfLink, pdfUrl } from '../../../server/platform/content/printing/link.ts';
import { createResourceUrls } from '../../../server/platform/kit/resource-urls.ts';
import { createSpace, flatten, importRepository, readTree } from '../../support/content/imports.ts';
import { sampleRepositories } from '../../support/content/repositories.ts';
import { type GitServer, startGitServer } from '../../support/git/git-server.ts';
import { readPdf, textsOf, withoutSpaces } from '../../support/pdf/pdf.ts';
import { svg, WEBP } from '../../support/pdf/pictures.ts';
import { transparentPng } from '../../support/pdf/pngs.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

const SECRET = 'the secret key of this test, 32 characters';

const FILES = {
  'README.md':
    '# Welcome\n\nSee [the guide](guide/README.md), [a part](guide/part.md#more) and [outside](https://example.com/).\n\n![Dot](.gitbook/assets/dot.png) ![Photo](.gitbook/assets/photo.webp)\n\n![Mark](.gitbook/assets/mark.svg)\n\n![Broken](.gitbook/assets/broken.svg)\n\n![Elsewhere](https://example.com/cat.png)\n',
  'SUMMARY.md':
    '* [Welcome](README.md)\n* [Guide](guide/README.md)\n  * [Part](guide/part.md)\n    * [Detail](guide/detail.md)\n* [Мир 世界](world.md)\n* [Outside](https://example.com/outside)\n',
  'guide/README.md':
    '# Guide\n\n{% include "../.gitbook/includes/note.md" %}\n\nVersion <code class="expression">space.vars.version</code>\n',
  'guide/part.md': '# Part\n\n## More\n\nBack to [the start](../README.md).\n',
  'guide/detail.md': '# Detail\n\nSmall print.\n',
  'world.md': '# Мир 世界\n\nПривет, שלום עולם, नमस्ते, สวัสดี, 안녕하세요, السلام عليكم\n',
  '.gitbook/includes/note.md': '---\ntitle: Note\n---\nA note for everybody.\n',
  '.gitbook/vars.yaml': 'version: "7.1"\n',
  '.gitbook/assets/dot.png': transparentPng(8, 8),
  '.gitbook/assets/mark.svg': svg('<rect width="40" height="20"/>'),
  '.gitbook/assets/broken.svg': '<svg',
  '.gitbook/assets/photo.webp': WEBP,
};

let server: TestServer;
let git: GitServer;
let spaceId: string;
let changeRequestId: string;
let pages: components['schemas']['Page'][];

beforeAll(async () => {
  [server, git] = await Promise.all([startTestServer({ COLOPHON_SECRET_KEY: SECRET }), startGitServer()]);
  ({ spaceId, changeRequestId } = await changeRequestOn(FILES));
  pages = flatten(await readTree(server.admin.client, spaceId));
});
afterAll(() => Promise.all([server.stop(), git.close()]));

/** Creates a space with the content of a repository, and a change request on it. */
async function changeRequestOn(files: Parameters<GitServer['createRepository']>[0], directory?: string) {
  const space = (await createSpace(server, 'Manual')).id;
  const options = directory === undefined ? {} : { repoProjectDirectory: directory };
  await importRepository(server, space, await git.createRepository(files), options);
  const path = { spaceId: space };
  const { id } = await ok(
    server.admin.client.POST('/v1/spaces/{spaceId}/change-requests', {
      params: { path },
      body: { subject: 'Print' },
    }),
  );
  return { spaceId: space, changeRequestId: id };
}

const idOf = (title: string) => pages.find((page) => page.title === title)?.id ?? '';

const requestPdf = async (
  query: { page?: string; only?: boolean } = {},
  path = { spaceId, changeRequestId },
) =>
  await server.admin.client.GET('/v1/spaces/{spaceId}/change-requests/{changeRequestId}/pdf', {
    params: { path, query },
  });

const addressOf = async (...requested: Parameters<typeof requestPdf>): Promise<string> =>
  (await ok(requestPdf(...requested))).url;

async function read(address: string) {
  const response = await fetch(address);
  expect(response.status).toBe(200);
  return { response, pdf: await readPdf(new Uint8Array(await response.arrayBuffer())) };
}

describe('the PDF of a change request', () => {
  test('has every page, with contents, bookmarks and links between them', async () => {
    const { response, pdf } = await read(await addressOf());
    expect(response.headers.get('content-type')).toBe('application/pdf');
    expect(response.headers.get('content-disposition')).toBe('inline; filename=Manual.pdf');
    expect(pdf.title).toBe('Manual');
    expect(pdf.bookmarks).toMatchObject([
      { title: 'Welcome', page: 2 },
      {
        title: 'Guide',
        page: 3,
        children: [{ title: 'Part', page: 4, children: [{ title: 'Detail', page: 5 }] }],
      },
      { title: 'Мир 世界', page: 6 },
      { title: 'Outside', page: 0, url: 'https://example.com/outside' },
    ]);
    expect(pdf.pages[1]?.links.slice(0, 3)).toEqual([3, 4, 'https://example.com/']);
    expect(pdf.pages[2]?.text).toContain('A note for everybody.');
    expect(pdf.pages[2]?.text).toContain('Version 7.1');
    expect(pdf.pages[3]?.links).toEqual([2]);
    expect([...new Set(pdf.pages[0]?.links)]).toEqual([2, 3, 4, 5, 6, 'https://example.com/outside']);
    expect(pdf.pages).toHaveLength(6);
  });

  test('has the text of its pages, in every script', async () => {
    const { pdf } = await read(await addressOf({ page: idOf('Мир 世界') }));
    expect(pdf.pages.map(({ text }) => withoutSpaces(text))).toEqual([
      withoutSpaces('Мир 世界 Привет, שלום עולם, नमस्ते, สวัสดี, 안녕하세요, السلام عليكم 1'),
    ]);
  });

  test('draws images of the content, and fetches no others', async () => {
    const { pdf } = await read(await addressOf({ page: idOf('Welcome'), only: true }));
    expect(pdf.pages.map(({ images }) => images)).toEqual([3]);
    expect(pdf.pages[0]?.text).toContain('Broken (broken.svg)');
    expect(pdf.pages[0]?.text).toContain('Elsewhere (https://example.com/cat.png)');
  });

  test('can start at a page with its descendants, or contain only that page', async () => {
    const titles = async (query: object) => {
      const { pdf } = await read(await addressOf(query));
      return pdf.bookmarks.flatMap(function all({ title, children: below }): string[] {
        return [title, ...below.flatMap(all)];
      });
    };
    expect(await titles({ page: idOf('Guide') })).toEqual(['Guide', 'Part', 'Detail']);
    expect(await titles({ page: idOf('Guide'), only: false })).toEqual(['Guide', 'Part', 'Detail']);
    expect(await titles({ page: idOf('Guide'), only: true })).toEqual(['Guide']);
    // There is no page to print alone.
    expect(await titles({ only: true })).toEqual(await titles({}));
  });

  test('is named after its page, in any script', async () => {
    const { response } = await read(await addressOf({ page: idOf('Мир 世界') }));
    expect(response.headers.get('content-disposition')).toBe(
      `inline; filename="??? ??.pdf"; filename*=UTF-8''${encodeURIComponent('Мир 世界.pdf')}`,
    );
  });

  test('remains the same when the change request changes', async () => {
    const mine = await changeRequestOn(FILES);
    const before = await addressOf({}, mine);
    await server.database.query
      .updateTable('changeRequests')
      .set({ revision: 'rev_gone' })
      .where('id', '=', mine.changeRequestId)
      .execute();
    expect((await read(before)).pdf.bookmarks).toHaveLength(4);
  });

  test('is a valid, empty PDF without pages', async () => {
    const space = await createSpace(server, 'Empty');
    const path = { spaceId: space.id };
    const { id } = await ok(
      server.admin.client.POST('/v1/spaces/{spaceId}/change-requests', { params: { path }, body: {} }),
    );
    const { pdf } = await read(await addressOf({}, { spaceId: space.id, changeRequestId: id }));
    expect(pdf.title).toBe('Empty');
  });
});

describe('the text of a PDF', () => {
  test.each(sampleRepositories.map((repository) => [repository.name, repository] as const))(
    'is that of the pages of %s',
    async (_, { files, directory }) => {
      const path = await changeRequestOn(files, directory);
      const { pdf } = await read(await addressOf({}, path));
      const entries = pdf.bookmarks.flatMap(function all({
        title,
        page,
        children: below,
      }): { title: string; page: number }[] {
        return [{ title, page }, ...below.flatMap(all)];
      });
      const tree = flatten(await readTree(server.admin.client, path.spaceId));
      expect(entries.map(({ title }) => title)).toEqual(tree.map(({ title }) => title));
      // Groups and links have no pages.
      const starts = entries.filter((_, at) => tree[at]?.type === 'document');
      for (const [at, { id, title, emoji }] of tree.filter(({ type }) => type === 'document').entries()) {
        const [from, to] = [starts[at]?.page ?? 0, starts[at + 1]?.page ?? pdf.pages.length + 1];
        const text = withoutSpaces(
          pdf.pages
            .slice(from - 1, to - 1)
            .map((page, index) => page.text.trimEnd().slice(0, -String(from + index).length))
            .join(''),
        ).slice(emoji === undefined ? 0 : 2);
        expect(text.startsWith(withoutSpaces(title)), `${title} at page ${from}`).toBe(true);
        const page = await ok(
          server.admin.client.GET('/v1/spaces/{spaceId}/content/page/{pageId}', {
            params: { path: { spaceId: path.spaceId, pageId: id }, query: { evaluated: true } },
          }),
        );
        let after = withoutSpaces(title).length;
        for (const expectedText of page.type === 'document'
          ? textsOf(page.document?.nodes).map(withoutSpaces)
          : []) {
          const index = text.indexOf(expectedText, after);
          expect(
            index,
            `${title}: ${expectedText} after ${text.slice(after - 30, after)}`,
          ).toBeGreaterThanOrEqual(after);
          after = index + expectedText.length;
        }
      }
    },
  );
});

describe('the URL of a PDF', () => {
  test('is a 404 for a missing page', async () => {
    expect((await requestPdf({ page: 'page_nowhere' })).response.status).toBe(404);
  });

  test('works for anyone who has it, for one hour, while its reader may read the space', async () => {
    const url = new URL(await addressOf({ page: idOf('Guide') }));
    const link: PdfLink = {
      reader: callerIdOf(url.searchParams.get('reader') ?? ''),
      space: spaceId,
      revision: url.pathname.split('/')[3] ?? '',
      page: idOf('Guide'),
      only: false,
      expires: Number(url.searchParams.get('expires')),
    };
    const signed = (more: Partial<PdfLink> = {}) =>
      pdfUrl({ ...link, ...more }, SECRET, createResourceUrls(url.origin));
    expect(signed()).toBe(url.href);
    expect(link.expires - Date.now()).toBeLessThanOrEqual(3_600_000);
    expect(link.expires - Date.now()).toBeGreaterThan(3_500_000);
    const response = await fetch(signed({ expires: Date.now() - 1 }));
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({ error: { code: 404 } });
    expect((await fetch(signed({ page: 'page_nowhere' }))).status).toBe(404);
    expect((await fetch(signed({ revision: 'rev_nowhere' }))).status).toBe(404);
  });

  test('stops working with its space', async () => {
    const address = await addressOf();
    const status = async () => (await fetch(address, { method: 'HEAD' })).status;
    expect(await status()).toBe(200);
    const params = { path: { spaceId } };
    await ok(server.admin.client.DELETE('/v1/spaces/{spaceId}', { params }));
    expect(await status()).toBe(404);
    await ok(server.admin.client.POST('/v1/spaces/{spaceId}/restore', { params }));
    expect(await status()).toBe(200);
  });

  test.each([
    ['only', 'true'],
    ['expires', '99999999999999'],
    ['page', ''],
    ['signature', 'x'],
    ['signature', ''],
  ])('is valid only as issued: %s', async (name, value) => {
    const url = new URL(await addressOf({ page: idOf('Guide') }));
    url.searchParams.set(name, value);
    const response = await fetch(url);
    expect(response.status).toBe(404);
    expect(response.headers.get('content-type')).toContain('application/json');
  });

  test('has its type for HEAD, without rendering', async () => {
    const response = await fetch(await addressOf(), { method: 'HEAD' });
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('application/pdf');
  });
});
