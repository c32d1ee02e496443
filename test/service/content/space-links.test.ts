import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Client, ok } from '../../../client/platform/index.ts';
import type { components } from '../../../generated/schema.d.ts';
import { branch } from '../../support/content/branches.ts';
import { createSpace, importRepository } from '../../support/content/imports.ts';
import { isFirstEngine } from '../../support/database/engines.ts';
import { type GitServer, startGitServer } from '../../support/git/git-server.ts';
import { readPdf } from '../../support/pdf/pdf.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';
import { publishSite } from '../../support/sites/published-site.ts';
import { linkLines, listBacklinks, listLinks } from './link-lists.ts';
import {
  BILLING,
  spaceWith as createImported,
  former,
  type Imported,
  invoices,
  pagesOf,
  replaceMap as writeMap,
} from './moved-spaces.ts';

let server: TestServer;
let git: GitServer;
beforeAll(async () => {
  [server, git] = await Promise.all([startTestServer(), startGitServer()]);
});
afterAll(() => Promise.all([server.stop(), git.close()]));

const client = () => server.admin.client;

const spaceWith = (
  ...input: [string, Record<string, string>, Partial<components['schemas']['GitImport']>?]
) => createImported(server, git, ...input);

const mapPath = () => ({ params: { path: { organizationId: server.organization } } });
const replaceMap = (spaceMap: Record<string, string>) => writeMap(server, spaceMap);
const readMap = async () =>
  (await ok(client().GET('/v1/orgs/{organizationId}/space-map', mapPath()))).spaceMap;

/** Returns the addresses of the links of a page by their text. */
async function linksAt(url: string): Promise<Record<string, string>> {
  const page = await (await fetch(url)).text();
  const links = page.matchAll(/<a [^>]*href="([^"]*)"[^>]*>(.*?)<\/a>/gs);
  return Object.fromEntries(
    [...links].map(([, href = '', text = '']) => [text.replace(/<[^>]*>/g, '').trim(), href]),
  );
}

const documentOf = async ({ id, pages }: Imported, title: string, as: Client = client()) => {
  const path = { spaceId: id, pageId: pages.get(title) ?? '' };
  const page = await ok(
    as.GET('/v1/spaces/{spaceId}/content/page/{pageId}', {
      params: { path, query: { format: 'document' } },
    }),
  );
  return JSON.stringify(page);
};

describe('links to spaces of the platform that was left', () => {
  const files = {
    'SUMMARY.md': `* [Docs](README.md)\n* [Bills](${invoices('OLD-1')})\n`,
    'README.md': `# Docs

[deep](${invoices('OLD-1')}#due-dates) [owned](${former('o/acme/s/OLD-1/guide/invoices')})
[spaces](${former('spaces/OLD-1/guide/invoices/')}) [start](${former('s/OLD-1')})
[draft](${former('s/OLD-1/~/changes/12/guide/invoices')}) [invoices](${invoices('OLD-1')} "mention")
[unknown](${invoices('OLD-2')}) [lost](${former('s/OLD-1/guide/lost')}) [home](${former('home')})

{% include "${former('s/OLD-1/~/reusable/note/')}" %}

{% content-ref url="${invoices('OLD-1')}" %}
[${invoices('OLD-1')}](${invoices('OLD-1')})
{% endcontent-ref %}

<table data-view="cards"><thead><tr><th></th><th data-hidden data-card-target data-type="content-ref"></th></tr></thead><tbody><tr><td>Bare</td><td>${invoices('OLD-1')}</td></tr><tr><td>Linked</td><td><a href="${invoices('OLD-1')}">${invoices('OLD-1')}</a></td></tr></tbody></table>
`,
  };
  let docs: Imported;
  let billing: Imported;
  let hidden: Imported;
  let site: Awaited<ReturnType<typeof publishSite>>;
  let base: string;
  beforeAll(async () => {
    billing = await spaceWith('Billing', BILLING);
    hidden = await spaceWith('Secret plans', { 'README.md': '# Secret page\n' });
    docs = await spaceWith('Docs', files, { spaceMap: { 'OLD-1': billing.id } });
    site = await publishSite(server, { spaces: [docs.id, billing.id] });
    base = new URL(site.url).pathname;
  });

  test('lead to the mapped spaces on a site that shows them', async () => {
    expect(await linksAt(site.url)).toMatchObject({
      deep: `${base}/billing/guide/invoices#due-dates`,
      owned: `${base}/billing/guide/invoices`,
      spaces: `${base}/billing/guide/invoices`,
      start: `${base}/billing`,
      draft: `${base}/billing/guide/invoices`,
      Invoices: `${base}/billing/guide/invoices`,
      Bills: `${base}/billing/guide/invoices`,
      Bare: `${base}/billing/guide/invoices`,
      Linked: `${base}/billing/guide/invoices`,
      unknown: invoices('OLD-2'),
      lost: former('s/OLD-1/guide/lost'),
      home: former('home'),
    });
  });

  test('lead to its Markdown from Markdown', async () => {
    const markdown = await (await fetch(`${site.url}/readme.md`)).text();
    const address = `${site.url}/billing/guide/invoices.md`;
    expect(markdown).toContain(`[deep](${address}#due-dates)`);
    expect(markdown).toContain(`[Invoices](${address})`);
    expect(markdown).toContain(`[unknown](${invoices('OLD-2')})`);
    expect(markdown).not.toContain(`](${invoices('OLD-1')}`);
    expect(markdown).not.toContain(`="${invoices('OLD-1')}`);
  });

  test('are listed with their targets, and as broken if these are unknown', async () => {
    const all = await ok(listLinks(client(), { spaceId: docs.id }));
    expect(linkLines(all)).toEqual([
      'broken ? < Docs',
      'broken ? < Docs',
      'broken ? < Docs',
      'in-app Invoices < Bills, Docs',
      'in-app Invoices#due-dates < Docs',
      'ok Billing < Docs',
      `ok ${former('home')} < Docs`,
    ]);
    const broken = all.items.filter(({ status }) => status === 'broken');
    expect(broken.map(({ address }) => address).sort()).toEqual([
      former('s/OLD-1/guide/lost'),
      former('s/OLD-1/~/reusable/note/'),
      invoices('OLD-2'),
    ]);
    expect(broken[0]?.locationReferences[0]).toMatchObject({
      internalLocation: { type: 'node', line: expect.any(Number) },
    });
  });

  test('are references to the pages in documents', async () => {
    const document = await documentOf(docs, 'Docs');
    const ref = { kind: 'page', space: billing.id, page: billing.pages.get('Invoices') };
    expect(document).toContain(`"type":"mention","isVoid":true,"data":{"ref":${JSON.stringify(ref)}`);
    expect(document).toContain(`{"kind":"space","space":"${billing.id}"}`);
    expect(document).toContain(`{"kind":"url","url":"${invoices('OLD-2')}"}`);
    expect(document).not.toContain(`"url":"${invoices('OLD-1')}"`);
  });

  test.runIf(isFirstEngine)('lead to the pages of the app from a PDF', async () => {
    const { id: changeRequestId } = await branch(client(), docs.id);
    const { url } = await ok(
      client().GET('/v1/spaces/{spaceId}/change-requests/{changeRequestId}/pdf', {
        params: { path: { spaceId: docs.id, changeRequestId } },
      }),
    );
    const pdf = await readPdf(new Uint8Array(await (await fetch(url)).arrayBuffer()));
    const app = `${server.url}/app/spaces/${billing.id}`;
    const links = pdf.pages.flatMap((page) => page.links);
    expect(links).toContain(`${app}/pages/${billing.pages.get('Invoices')}#due-dates`);
    expect(links).toContain(app);
    expect(links).toContain(invoices('OLD-2'));
    expect(links).not.toContain(invoices('OLD-1'));
  });

  test('follow a correction of the map at once', async () => {
    const moved = await spaceWith('Moved', BILLING);
    const spaceMap = { 'OLD-1': billing.id, 'OLD-2': moved.id };
    expect(await ok(replaceMap(spaceMap))).toMatchObject({ object: 'space-map', spaceMap });
    expect(await readMap()).toEqual(spaceMap);
    const lines = linkLines(await ok(listLinks(client(), { spaceId: docs.id })));
    expect(lines.filter((line) => line.startsWith('broken'))).toHaveLength(2);
    // The site does not show this space.
    expect(await linksAt(site.url)).toMatchObject({ unknown: invoices('OLD-2') });
    await ok(replaceMap({ 'OLD-2': billing.id }));
    expect(await linksAt(site.url)).toMatchObject({
      unknown: `${base}/billing/guide/invoices`,
      deep: `${invoices('OLD-1')}#due-dates`,
    });
    await ok(replaceMap({ 'OLD-1': billing.id }));
  });

  test('lead to pages of their own space, which lists them', async () => {
    const own = await spaceWith('Own', {
      ...BILLING,
      'README.md': `# Start\n\n[i](${invoices('OWN')}) [d](${invoices('OWN')}#due-dates)\n`,
    });
    await ok(replaceMap({ 'OLD-1': billing.id, OWN: own.id }));
    expect(linkLines(await ok(listLinks(client(), { spaceId: own.id })))).toEqual([
      'ok Invoices < Start',
      'ok Invoices#due-dates < Start',
    ]);
    const target = { pageId: own.pages.get('Invoices') ?? '' };
    expect(await listBacklinks(client(), { spaceId: own.id }, target)).toEqual(['Start']);
    expect(await documentOf(own, 'Start')).toContain(`{"kind":"page","page":"${target.pageId}"}`);
    await ok(replaceMap({ 'OLD-1': billing.id }));
  });

  test('do not show a reader what is in spaces that the reader does not see', async () => {
    const outside = former('s/HIDDEN/secret-page');
    const reading = await spaceWith(
      'Open',
      { 'README.md': `# Open\n\n[s](${former('s/HIDDEN')}) [p](${outside} "mention")\n` },
      { spaceMap: { HIDDEN: hidden.id } },
    );
    const guest = await server.member('Guest', null);
    await client().POST('/v1/spaces/{spaceId}/permissions', {
      params: { path: { spaceId: reading.id } },
      body: { users: [guest.id], role: 'read' },
    });
    expect(await documentOf(reading, 'Open')).toContain(hidden.id);
    expect(await documentOf(reading, 'Open', guest.client)).not.toContain(hidden.id);
    const seen = await ok(listLinks(guest.client, { spaceId: reading.id }));
    expect(linkLines(seen)).toEqual(['broken ? < Open', 'broken ? < Open']);
    expect(JSON.stringify(seen)).not.toMatch(/Secret/);
    const { url } = await publishSite(server, { title: 'Open site', spaces: [reading.id] });
    expect(await (await fetch(url)).text()).not.toMatch(/Secret/);
    expect(await linksAt(url)).toMatchObject({ s: former('s/HIDDEN'), p: outside });
  });
});

describe('the space map', () => {
  test('contains only spaces of the organization', async () => {
    expect((await replaceMap({ gone: 'spc_gone' })).response.status).toBe(400);
    expect((await replaceMap({ 'not an id': 'spc_gone' })).response.status).toBe(400);
  });

  test('has entries of any name', async () => {
    const { id } = await createSpace(server, 'Any');
    const before = await readMap();
    const entries = [...Object.entries(before), ['constructor', id], ['__defineGetter__', id]];
    expect((await ok(replaceMap(Object.fromEntries(entries)))).object).toBe('space-map');
    expect(Object.entries(await readMap())).toEqual(entries);
    await ok(replaceMap(before));
  });

  test('omits spaces that were deleted', async () => {
    const { id } = await createSpace(server, 'Short-lived');
    const before = await readMap();
    await ok(replaceMap({ ...before, short: id }));
    await client().DELETE('/v1/spaces/{spaceId}', { params: { path: { spaceId: id } } });
    expect(await readMap()).toEqual(before);
  });

  test('can be extended, but not changed, by those who import', async () => {
    const before = await readMap();
    const { id } = await createSpace(server, 'Imported');
    const repository = await git.createRepository({ 'README.md': '# A\n' });
    const creator = await server.member('Creator', 'create');
    const start = (spaceMap: Record<string, string>) =>
      creator.client.POST('/v1/spaces/{spaceId}/git/import', {
        params: { path: { spaceId: id } },
        body: { url: repository.url, ref: 'refs/heads/main', spaceMap },
      });
    expect((await start({ added: id })).response.status).toBe(204);
    expect(await readMap()).toEqual({ ...before, added: id });
    const other = await createSpace(server, 'Other');
    expect((await start({ added: other.id })).response.status).toBe(403);
    expect((await start({ other: 'spc_gone' })).response.status).toBe(400);
    expect(await readMap()).toEqual({ ...before, added: id });
    await ok(replaceMap(before));
  });
});

describe('links to the published pages of other spaces of the organization', () => {
  test('lead to these pages on the same site, and are references in documents', async () => {
    const billing = await spaceWith('Ledger', BILLING);
    const draft = await spaceWith('Draft', { 'README.md': '# Draft\n' });
    const hosted = await publishSite(server, { title: 'Hosted', spaces: [draft.id, billing.id] });
    const proxied = await publishSite(server, { title: 'Proxied', spaces: [billing.id] });
    const siteId = proxied.id;
    await ok(
      client().PATCH('/v1/orgs/{organizationId}/sites/{siteId}', {
        params: { path: { organizationId: server.organization, siteId } },
        body: { proxy: 'docs.example.com/books' },
      }),
    );
    const books = 'https://docs.example.com/books';
    const page = `${hosted.url}/ledger/guide/invoices`;
    const repository = await git.createRepository({
      'README.md': [
        '# Draft\n',
        `[hosted](${page}#due-dates) [proxied](${books}/guide/invoices) [site](${books})`,
        `[searched](${page}?q=1) [lost](${books}/lost) [other](https://docs.example.com/other)`,
        `[](${books}/guide/invoices "mention")\n`,
        `{% embed url="${page}" %}\n`,
      ].join('\n'),
    });
    await importRepository(server, draft.id, repository);
    const source = { id: draft.id, pages: await pagesOf(client(), draft.id) };
    const path = new URL(hosted.url).pathname;
    expect(await linksAt(hosted.url)).toMatchObject({
      hosted: `${path}/ledger/guide/invoices#due-dates`,
      proxied: `${path}/ledger/guide/invoices`,
      site: `${path}/ledger`,
      Invoices: `${path}/ledger/guide/invoices`,
      searched: `${page}?q=1`,
      lost: `${books}/lost`,
      other: 'https://docs.example.com/other',
    });
    expect(await documentOf(source, 'Draft')).toContain(
      JSON.stringify({ kind: 'page', space: billing.id, page: billing.pages.get('Invoices') }),
    );
    const seen = linkLines(await ok(listLinks(client(), { spaceId: draft.id })));
    expect(seen).toEqual(
      [
        'in-app Invoices < Draft',
        'in-app Invoices#due-dates < Draft',
        'ok Ledger < Draft',
        `ok ${books}/lost < Draft`,
        'ok https://docs.example.com/other < Draft',
        `ok ${page}?q=1 < Draft`,
      ].sort(),
    );
    const guest = await server.member('Visitor', null);
    await client().POST('/v1/spaces/{spaceId}/permissions', {
      params: { path: { spaceId: draft.id } },
      body: { users: [guest.id], role: 'read' },
    });
    const all = linkLines(await ok(listLinks(guest.client, { spaceId: draft.id })));
    expect(all.every((line) => line.startsWith('ok http'))).toBe(true);
  });
});
