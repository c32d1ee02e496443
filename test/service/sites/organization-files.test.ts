import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ok } from '../../../client/platform/index.ts';
import { hashOf } from '../../../server/content/tree/hash.ts';
import { MAX_ORGANIZATION_FILES } from '../../../server/platform/accounts/organization-files/rules.ts';
import { DEFAULT_CUSTOMIZATION } from '../../../server/platform/sites/sites/queries/customization.ts';
import { fill, idOf, TIME } from '../../support/large/fill-table.ts';
import { png } from '../../support/pdf/pngs.ts';
import { type Person, startTestServer, type TestServer } from '../../support/server.ts';
import { VisitedSite } from '../../support/sites/visited-sites.ts';

const FILES = '/v1/orgs/{organizationId}/files';
const FILE = '/v1/orgs/{organizationId}/files/{organizationFileId}';
/** An image that would run a script if it were a document of the server. */
const SVG = '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"><script>alert(1)</script></svg>';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

const inOrganization = (organizationId = server.organization) => ({ params: { path: { organizationId } } });
const base64 = (bytes: string | Uint8Array) => Buffer.from(bytes).toString('base64');
const upload = (bytes: string | Uint8Array, name = 'logo', { client }: Person = server.admin) =>
  client.POST(FILES, { ...inOrganization(), body: { name, base64: base64(bytes) } });

/** The smallest files of each type. */
const IMAGES: [type: string, extension: string, bytes: Uint8Array][] = [
  ['image/png', 'png', png(20, 10)],
  ['image/jpeg', 'jpg', Buffer.from('\xff\xd8\xff\xe0', 'latin1')],
  ['image/gif', 'gif', Buffer.from('GIF89a')],
  ['image/webp', 'webp', Buffer.from('RIFF\0\0\0\0WEBPVP8 ')],
  ['image/svg+xml', 'svg', Buffer.from(SVG)],
];

describe('a file of an organization', () => {
  test.each(IMAGES)(
    'of the type %s is served to everyone as such an image',
    async (type, extension, bytes) => {
      const { data, response } = await upload(bytes, 'logo.exe');
      expect(response.status).toBe(201);
      const downloadURL = `${server.url}/orgs/${server.organization}/files/${hashOf(bytes)}.${extension}`;
      expect(data).toMatchObject({
        object: 'file',
        name: 'logo.exe',
        contentType: type,
        size: bytes.length,
        downloadURL,
      });
      const image = await fetch(downloadURL);
      expect(Buffer.from(await image.arrayBuffer())).toEqual(Buffer.from(bytes));
      expect(Object.fromEntries(image.headers)).toMatchObject({
        'content-type': type === 'image/svg+xml' ? expect.stringContaining(type) : type,
        'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
        'x-content-type-options': 'nosniff',
        'cross-origin-resource-policy': 'cross-origin',
        'cache-control': 'public, max-age=3600',
      });
      const etag = image.headers.get('etag') ?? '';
      expect((await fetch(downloadURL, { headers: { 'If-None-Match': etag } })).status).toBe(304);
      // The media type is that of the content, not of the address.
      expect((await fetch(downloadURL.replace(/\w+$/, 'html'))).status).toBe(404);
    },
  );

  test.each([
    ['a page', '<html><svg></svg></html>'],
    ['text', 'logo'],
    ['nothing', ''],
    ['a PDF', '%PDF-1.7'],
    ['an image of more than 2 MiB', Buffer.concat([png(20, 10), Buffer.alloc(2_097_152)])],
  ])('is not %s', async (_name, bytes) => {
    const { response, error } = await upload(bytes);
    expect([response.status, error?.details]).toMatchObject([400, [{ path: 'base64' }]]);
  });

  test('can have 2 MiB', async () => {
    const image = png(20, 10);
    const { data } = await upload(Buffer.concat([image, Buffer.alloc(2_097_152 - image.length)]));
    expect(data?.size).toBe(2_097_152);
  });

  test('is the same for the same content, also at once', async () => {
    const first = await ok(upload(png(21, 10), 'first.png'));
    const again = await Promise.all([1, 2].map(() => ok(upload(png(21, 10), 'second.png'))));
    expect(again).toEqual([first, first]);
    const { items } = await ok(server.admin.client.GET(FILES, inOrganization()));
    expect(items.filter(({ id }) => id === first.id)).toEqual([first]);
  });

  test('is deleted with its bytes, and can be uploaded again', async () => {
    const bytes = png(22, 10);
    const { id, downloadURL } = await ok(upload(bytes));
    const path = { organizationId: server.organization, organizationFileId: id };
    for (const _ of [1, 2]) {
      await ok(server.admin.client.DELETE(FILE, { params: { path } }));
      expect((await fetch(downloadURL)).status).toBe(404);
    }
    const blobs = server.database.query.selectFrom('blobs').select('hash').where('hash', '=', hashOf(bytes));
    await expect.poll(() => blobs.execute()).toEqual([]);
    await ok(upload(bytes));
    expect((await fetch(downloadURL)).status).toBe(200);
  });

  test('is retained while the bytes of others are deleted', async () => {
    const retained = await ok(upload(png(23, 10)));
    const { id } = await ok(upload(png(24, 10)));
    const path = { organizationId: server.organization, organizationFileId: id };
    await ok(server.admin.client.DELETE(FILE, { params: { path } }));
    const deleted = server.database.query
      .selectFrom('blobs')
      .select('hash')
      .where('hash', '=', hashOf(png(24, 10)));
    await expect.poll(() => deleted.execute()).toEqual([]);
    expect((await fetch(retained.downloadURL)).status).toBe(200);
  });

  test('belongs to one organization', async () => {
    const bytes = png(25, 10);
    const { downloadURL, id } = await ok(upload(bytes));
    const { client } = server.admin;
    const other = await ok(client.POST('/v1/orgs', { body: { title: 'Other' } }));
    expect((await fetch(downloadURL.replace(server.organization, other.id))).status).toBe(404);
    const params = { path: { organizationId: other.id, organizationFileId: id } };
    await ok(client.DELETE(FILE, { params }));
    expect((await fetch(downloadURL)).status).toBe(200);
    const body = { name: 'logo', base64: base64(bytes) };
    const own = await ok(client.POST(FILES, { ...inOrganization(other.id), body }));
    expect(own.id).not.toBe(id);
  });

  test('is limited in number', async () => {
    const { client } = server.admin;
    const { id: organization } = await ok(client.POST('/v1/orgs', { body: { title: 'Full' } }));
    await fill(server.database, 'organizationFiles', MAX_ORGANIZATION_FILES - 1, {
      ...{ id: idOf('file'), organization, hash: idOf('hash'), name: 'logo', contentType: 'image/png' },
      ...{ extension: 'png', size: 1, createdAt: TIME },
    });
    const send = (bytes: Uint8Array) =>
      client.POST(FILES, { ...inOrganization(organization), body: { name: 'logo', base64: base64(bytes) } });
    expect((await send(png(20, 10))).response.status).toBe(201);
    const { response, error } = await send(png(21, 10));
    expect([response.status, error?.reason]).toEqual([409, 'organization_file_limit_exceeded']);
    expect((await send(png(20, 10))).response.status).toBe(201);
  });
});

test('a logo and a favicon are shown on a site', async () => {
  const { client } = server.admin;
  const space = await ok(
    client.POST('/v1/orgs/{organizationId}/spaces', { ...inOrganization(), body: { title: 'Guide' } }),
  );
  const site = await VisitedSite.create(server, { spaces: [space.id] });
  const logo = await ok(upload(SVG, 'logo.svg'));
  const icon = await ok(upload(png(32, 32), 'icon.png'));
  const themed = ({ downloadURL }: { downloadURL: string }) => ({ light: downloadURL, dark: downloadURL });
  await ok(
    client.PUT('/v1/orgs/{organizationId}/sites/{siteId}/customization', {
      params: { path: site.path },
      body: {
        ...DEFAULT_CUSTOMIZATION,
        favicon: { icon: themed(icon) },
        header: { ...DEFAULT_CUSTOMIZATION.header, logo: themed(logo) },
        footer: { ...DEFAULT_CUSTOMIZATION.footer, logo: themed(logo) },
      },
    }),
  );
  const response = await fetch((await site.publish()).urls.published ?? '');
  const page = await response.text();
  expect(page.split(`<img class="logo light-only" src="${logo.downloadURL}"`)).toHaveLength(3);
  expect(page).toMatch(new RegExp(`<link rel="icon"[^>]* href="${icon.downloadURL}"`));
  expect(response.headers.get('content-security-policy')).toContain("img-src 'self'");
});
