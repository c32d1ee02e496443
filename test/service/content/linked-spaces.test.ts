import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ok } from '../../../client/platform/index.ts';
import { branch } from '../../support/content/branches.ts';
import { createSpace, importRepository } from '../../support/content/imports.ts';
import { isFirstEngine } from '../../support/database/engines.ts';
import { type GitServer, startGitServer } from '../../support/git/git-server.ts';
import { readPdf } from '../../support/pdf/pdf.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';
import { publishSite } from '../../support/sites/published-site.ts';
import { linkLines, listBacklinks, listLinks } from './link-lists.ts';
import { BILLING, former, type Imported, invoices, letRead, replaceMap, spaceWith } from './moved-spaces.ts';

let server: TestServer;
let git: GitServer;
beforeAll(async () => {
  [server, git] = await Promise.all([startTestServer(), startGitServer()]);
});
afterAll(() => Promise.all([server.stop(), git.close()]));

const client = () => server.admin.client;

describe('links from other spaces', () => {
  let billing: Imported;
  let target: { pageId: string };
  const backlinks = (as = client()) => listBacklinks(as, { spaceId: billing.id }, target);
  beforeAll(async () => {
    billing = await spaceWith(server, git, 'Billing', BILLING);
    target = { pageId: billing.pages.get('Invoices') ?? '' };
  });

  test.each([
    ['on the platform that was left', () => `[i](${invoices('OLD')}#due-dates)`],
    ['with its organization', () => `[i](${former('o/acme/s/OLD/guide/invoices/')})`],
    [
      'on a card',
      () => `{% content-ref url="${invoices('OLD')}" %}\n[i](${invoices('OLD')})\n{% endcontent-ref %}`,
    ],
    ['in a space that keeps its ID', () => `[i](${invoices(billing.id)})`],
    ['of its file', () => `[i](${former('s/OLD/guide/invoices.md')})`],
    ['by its ID', () => `[i](/spaces/${billing.id}/pages/${target.pageId})`],
    ['in the app', () => `[i](${server.url}/app/spaces/${billing.id}/pages/${target.pageId})`],
  ])('to a page %s are listed with the page', async (form, write) => {
    await ok(replaceMap(server, { OLD: billing.id }));
    const title = `Source ${form}`;
    const source = await spaceWith(server, git, title, { 'README.md': `# ${title}\n\n${write()}\n` });
    expect(await backlinks()).toEqual([title]);
    const other = { pageId: billing.pages.get('Guide') ?? '' };
    expect(await listBacklinks(client(), { spaceId: billing.id }, other)).toEqual([]);
    await client().DELETE('/v1/spaces/{spaceId}', { params: { path: { spaceId: source.id } } });
    expect(await backlinks()).toEqual([]);
  });

  test('to a published page of a sibling are listed with the space and line of the link', async () => {
    const site = await publishSite(server, { title: 'Books', spaces: [billing.id] });
    const source = await spaceWith(server, git, 'Sibling', {
      'README.md': `# Sibling\n\ntext\n\n[i](${site.url}/guide/invoices#due-dates)\n`,
    });
    const path = { spaceId: billing.id, ...target };
    const { items, count } = await ok(
      client().GET('/v1/spaces/{spaceId}/content/page/{pageId}/backlinks', { params: { path } }),
    );
    expect(count).toBe(1);
    expect(items).toMatchObject([
      { kind: 'page', space: { id: source.id }, page: { title: 'Sibling' }, internalLocation: { line: 3 } },
    ]);
    const { id: changeRequestId } = await branch(client(), billing.id);
    expect(await listBacklinks(client(), { spaceId: billing.id, changeRequestId }, target)).toEqual([
      'Sibling',
    ]);
    await client().DELETE('/v1/spaces/{spaceId}', { params: { path: { spaceId: source.id } } });
  });

  test('are listed after those of the space, page by page, for callers who see their spaces', async () => {
    await ok(replaceMap(server, { OLD: billing.id }));
    const link = `[i](${invoices('OLD')})`;
    const own = await createSpace(server, 'Own links');
    const repository = await git.createRepository({
      ...BILLING,
      'README.md': '# Start\n\n[i](guide/invoices.md)\n',
    });
    await importRepository(server, own.id, repository);
    await ok(replaceMap(server, { OLD: own.id }));
    const files = { 'a.md': `# A\n\n${link}\n`, 'b.md': `# B\n\n${link} ${link}\n` };
    const source = await spaceWith(server, git, 'Many', files);
    const hidden = await spaceWith(server, git, 'Hidden', { 'README.md': `# Secret\n\n${link}\n` });
    const guest = await server.member('Reader', null);
    await letRead(server, own.id, guest.id);
    await letRead(server, source.id, guest.id);
    const tree = await ok(
      client().GET('/v1/spaces/{spaceId}/content/path/{pagePath}', {
        params: { path: { spaceId: own.id, pagePath: 'guide/invoices' } },
      }),
    );
    const pages: string[][] = [];
    for (let page: string | undefined, at = 0; at < 5 && (at === 0 || page !== undefined); at++) {
      const list = await ok(
        guest.client.GET('/v1/spaces/{spaceId}/content/page/{pageId}/backlinks', {
          params: {
            path: { spaceId: own.id, pageId: tree.id },
            query: { limit: 2, ...(page !== undefined && { page }) },
          },
        }),
      );
      expect(list.count).toBe(3);
      pages.push(list.items.map((item) => (item.kind === 'page' ? item.page.title : item.kind)));
      page = list.next?.page;
    }
    expect(pages.flat().sort()).toEqual(['A', 'B', 'Start']);
    expect(pages[0]?.[0]).toBe('Start');
    expect(await listBacklinks(client(), { spaceId: own.id }, { pageId: tree.id })).toContain('Secret');
    for (const { id } of [source, hidden, own]) {
      await client().DELETE('/v1/spaces/{spaceId}', { params: { path: { spaceId: id } } });
    }
  });
});

describe.runIf(isFirstEngine)('mentions of sections of other spaces in PDFs', () => {
  let billing: Imported;
  let docs: Imported;
  const mention = `[old name](${invoices('OLD-1')}#due-dates "mention")`;
  beforeAll(async () => {
    billing = await spaceWith(server, git, 'Ledger', BILLING);
    await ok(replaceMap(server, { 'OLD-1': billing.id }));
    docs = await spaceWith(server, git, 'Docs', {
      'README.md': `# Docs\n\nsee ${mention} and [x](${invoices('OLD-1')} "mention") [y](${invoices('OLD-1')}#none "mention").\n`,
    });
  });

  const textOf = async (url: string): Promise<string> => {
    const response = await fetch(url);
    expect(response.status).toBe(200);
    const { pages } = await readPdf(new Uint8Array(await response.arrayBuffer()));
    return pages.map(({ text }) => text.replace(/\s+/g, ' ')).join(' ');
  };

  /** Returns the URL of the PDF of a change request, as a caller receives it. */
  const pdfUrl = async (as = client()): Promise<string> => {
    const path = { spaceId: docs.id, changeRequestId: (await branch(client(), docs.id)).id };
    const pdf = await ok(
      as.GET('/v1/spaces/{spaceId}/change-requests/{changeRequestId}/pdf', { params: { path } }),
    );
    return pdf.url;
  };

  test('show the title of the section', async () => {
    expect(await textOf(await pdfUrl())).toMatch(/see ?Due dates and ?Invoices ?Invoices\s?\./);
  });

  test('follow a correction of the map, and the language of the space, in a PDF that was printed before', async () => {
    const url = await pdfUrl();
    expect(await textOf(url)).toMatch(/Due dates/);
    await ok(replaceMap(server, {}));
    expect(await textOf(url)).not.toMatch(/Due dates/);
    await ok(replaceMap(server, { 'OLD-1': billing.id }));
    expect(await textOf(url)).toMatch(/Due dates/);
    const path = { spaceId: docs.id };
    await ok(client().PATCH('/v1/spaces/{spaceId}', { params: { path }, body: { language: 'fr' } }));
    const { language } = await readPdf(new Uint8Array(await (await fetch(url)).arrayBuffer()));
    expect(language).toBe('fr');
  });

  test('show no title of a space that the reader does not see', async () => {
    const guest = await server.member('Visitor', null);
    await letRead(server, docs.id, guest.id);
    expect(await textOf(await pdfUrl(guest.client))).not.toMatch(/Due dates|Invoices/);
  });

  test('show the title of the section on a site that shows the space', async () => {
    const both = await publishSite(server, { title: 'Both', spaces: [docs.id, billing.id] });
    const alone = await publishSite(server, { title: 'Alone', spaces: [docs.id] });
    const pdfOf = async ({ url }: { url: string }) => {
      const [, address = ''] = /href="([^"]*\/~pdf\/[^"/]*)"/.exec(await (await fetch(url)).text()) ?? [];
      return await textOf(new URL(address, url).href);
    };
    expect(await pdfOf(both)).toMatch(/see ?Due dates and/);
    expect(await pdfOf(alone)).not.toMatch(/Due dates/);
  });
});

describe('a URL', () => {
  test('of another host, or of a space of another organization, leads to no page', async () => {
    const moved = await spaceWith(server, git, 'Moved', BILLING);
    await ok(replaceMap(server, { OLD: moved.id }));
    const theirs = await ok(client().POST('/v1/orgs', { body: { title: 'Theirs' } }));
    const foreign = await ok(
      client().POST('/v1/orgs/{organizationId}/spaces', {
        params: { path: { organizationId: theirs.id } },
        body: { title: 'Foreign' },
      }),
    );
    await importRepository(server, foreign.id, await git.createRepository(BILLING));
    const other = invoices('OLD').replace('app.gitbook.com', 'app.example.com');
    const source = await spaceWith(server, git, 'Reader', {
      'README.md': `# Reader\n\n[o](${other}) [f](${invoices(foreign.id)})\n`,
    });
    const lines = linkLines(await ok(listLinks(client(), { spaceId: source.id })));
    expect(lines).toEqual(['broken ? < Reader', `ok ${other} < Reader`]);
  });

  test('of a published page leads to the site with the longest path that it starts with', async () => {
    const [outer, inner] = [
      await spaceWith(server, git, 'Outer', {
        'README.md': '# Outer\n',
        'books/guide/invoices.md': '# Wrong\n',
      }),
      await spaceWith(server, git, 'Inner', BILLING),
    ];
    for (const [space, proxy] of [
      [outer, 'nested.example.com/docs'],
      [inner, 'nested.example.com/docs/books'],
    ] as const) {
      const { id: siteId } = await publishSite(server, { title: proxy, spaces: [space.id] });
      await ok(
        client().PATCH('/v1/orgs/{organizationId}/sites/{siteId}', {
          params: { path: { organizationId: server.organization, siteId } },
          body: { proxy },
        }),
      );
    }
    const source = await spaceWith(server, git, 'Nested', {
      'README.md': '# Nested\n\n[i](https://nested.example.com/docs/books/guide/invoices)\n',
    });
    const lines = linkLines(await ok(listLinks(client(), { spaceId: source.id })));
    expect(lines).toEqual(['in-app Invoices < Nested']);
  });
});

describe('the space map', () => {
  test('is limited, also when an import extends it', async () => {
    const { id } = await createSpace(server, 'Mapped');
    const entries = Array.from({ length: 1000 }, (_, at) => [`old-${at}`, id]);
    await ok(replaceMap(server, Object.fromEntries(entries)));
    const repository = await git.createRepository({ 'README.md': '# A\n' });
    const start = async (spaceMap: Record<string, string>) =>
      (
        await client().POST('/v1/spaces/{spaceId}/git/import', {
          params: { path: { spaceId: id } },
          body: { url: repository.url, ref: 'refs/heads/main', spaceMap },
        })
      ).response.status;
    expect(await start({ 'one-more': id })).toBe(400);
    expect(await start({ 'old-1': id })).toBe(204);
    await ok(replaceMap(server, {}));
  });

  test('is not written, and has no audit event, if nothing changes', async () => {
    const { id } = await createSpace(server, 'Unchanged');
    const events = async () =>
      (await server.database.query.selectFrom('auditEvents').select('id').execute()).length;
    const { updatedAt } = await ok(replaceMap(server, { same: id }));
    const before = await events();
    expect((await ok(replaceMap(server, { same: id }))).updatedAt).toBe(updatedAt);
    expect(await events()).toBe(before);
    await ok(replaceMap(server, {}));
    expect(await events()).toBe(before + 1);
  });
});
