// Runs on one engine: documents are printed before printed-pdfs.test.ts stores them.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ok } from '../../../../client/platform/index.ts';
import type { components } from '../../../../generated/schema.d.ts';
import { type GitServer, startGitServer } from '../../../support/git/git-server.ts';
import { type ReadPdf, readPdf } from '../../../support/pdf/pdf.ts';
import { svg, WEBP } from '../../../support/pdf/pictures.ts';
import { png } from '../../../support/pdf/pngs.ts';
import { startTestServer, type TestServer } from '../../../support/server.ts';
import { publishSite, spaceFrom } from '../../../support/sites/published-site.ts';

type Site = Awaited<ReturnType<typeof publishSite>>;
type Customization = components['schemas']['SiteCustomization'];

const LOGOS = [
  ['logo.png', png(120, 30)],
  ['logo.svg', svg('<rect width="40" height="20"/>')],
  ['logo.webp', WEBP],
] as const;

let server: TestServer;
let git: GitServer;
let site: Site;

beforeAll(async () => {
  server = await startTestServer();
  git = await startGitServer();
  const { space } = await spaceFrom(server, git, 'Handbook', {
    'README.md': '# Start\n\nSee [Setup](setup.md), **now**.\n',
    'setup.md': '# Setup\n\n```js\nconst a = 1;\n```\n',
    'secret.md': '---\nhidden: true\n---\n\n# Secret\n\nUnlisted words\n',
    'SUMMARY.md':
      '* [Start](README.md)\n* [Setup](setup.md)\n* [Secret](secret.md)\n* [Forum](https://example.com/forum)\n',
  });
  const arabic = await spaceFrom(server, git, 'دليل', { 'README.md': '# مرحبا\n\nنص\n' }, 'ar');
  site = await publishSite(server, { spaces: [space.id, arabic.space.id] });
});
afterAll(async () => {
  await git.close();
  await server.stop();
});

/** Returns the address of the PDF of all pages that a page of the site links to. */
async function addressIn(path = ''): Promise<string | undefined> {
  const html = await (await fetch(`${site.url}${path}`)).text();
  const href = /href="([^"]+\/~pdf\/[^"/]+)"[^>]*>(?:<svg.*?<\/svg>)?Download all pages as PDF/.exec(
    html,
  )?.[1];
  return href === undefined ? undefined : new URL(href, site.url).href;
}

async function download(address: string): Promise<{ bytes: Buffer; pdf: ReadPdf; headers: Headers }> {
  const response = await fetch(address);
  expect(response.status).toBe(200);
  const bytes = Buffer.from(await response.arrayBuffer());
  return { bytes, pdf: await readPdf(bytes), headers: response.headers };
}

const path = () => ({ params: { path: { organizationId: server.organization, siteId: site.id } } });
const CUSTOMIZATION = '/v1/orgs/{organizationId}/sites/{siteId}/customization';

async function customize(change: (customization: Customization) => Customization): Promise<void> {
  const { client } = server.admin;
  const current = await ok(client.GET(CUSTOMIZATION, path()));
  await ok(client.PUT(CUSTOMIZATION, { ...path(), body: change(current) }));
}

const fontsIn = (bytes: Buffer): Set<string> =>
  new Set(
    [...bytes.toString('latin1').matchAll(/\/FontName \/[A-Z]{6}\+([\w-]+)/g)].map(([, name = '']) => name),
  );

describe('the PDF of a published space', () => {
  test('is linked from its pages, and has all that its visitors see', async () => {
    const address = (await addressIn('/setup')) ?? '';
    const { pdf, headers } = await download(address);
    expect(headers.get('content-type')).toBe('application/pdf');
    expect(headers.get('cache-control')).toBe('private, no-cache');
    expect(headers.get('x-robots-tag')).toBe('noindex');
    expect(pdf.title).toBe('Handbook');
    expect(pdf.bookmarks.map(({ title }) => title)).toEqual(['Start', 'Setup', 'Forum']);
    expect(pdf.pages.map(({ text }) => text).join(' ')).not.toContain('Unlisted');
    expect(pdf.pages[1]?.links).toEqual([3]);
  });

  test('has the fonts of the site', async () => {
    const address = (await addressIn()) ?? '';
    expect(fontsIn((await download(address)).bytes)).toEqual(
      new Set(['Inter-Regular-400', 'Inter-Regular-700', 'IBMPlexMono-Regular']),
    );
    await customize(({ styling, ...rest }) => ({
      ...rest,
      styling: { ...styling, font: 'Merriweather', monospaceFont: 'JetBrainsMono' },
    }));
    const names = [...fontsIn((await download(address)).bytes)];
    expect(names.filter((name) => !/^(?:Merriweather|JetBrainsMono)/.test(name))).toEqual([]);
    expect(names.length).toBeGreaterThanOrEqual(3);
  });

  test('has the logo of the site on its first page', async () => {
    const upload = async (name: string, bytes: Buffer) => {
      const { downloadURL } = await ok(
        server.admin.client.POST('/v1/orgs/{organizationId}/files', {
          params: { path: { organizationId: server.organization } },
          body: { name, base64: bytes.toString('base64') },
        }),
      );
      return downloadURL;
    };
    const address = (await addressIn()) ?? '';
    const setLogo = async (light: string) =>
      await customize(({ header, ...rest }) => ({
        ...rest,
        header: { ...header, logo: { light, dark: light } },
      }));
    for (const [name, bytes] of LOGOS) {
      await setLogo(await upload(name, bytes));
      const { pages } = (await download(address)).pdf;
      expect(
        pages.map(({ images }) => images),
        name,
      ).toEqual([1, 0, 0]);
    }
    // A logo that cannot be read does not matter.
    await setLogo('https://127.0.0.1:9/logo.png');
    const without = await download(address);
    expect(without.pdf.pages.map(({ images }) => images)).toEqual([0, 0, 0]);
  });

  test('of a space from right to left is mirrored', async () => {
    const html = await (await fetch(site.url)).text();
    const [, other = ''] = /href="([^"]+)"[^>]*>دليل/.exec(html) ?? [];
    const text = await (await fetch(new URL(other, site.url))).text();
    const [, href = ''] = /href="([^"]+\/~pdf\/[^"/]+)"/.exec(text) ?? [];
    const { pdf } = await download(new URL(href, site.url).href);
    expect(pdf.language).toBe('ar');
    const title = pdf.pages[0]?.words.find((word) => word.text.includes('مرحبا'));
    expect(title?.right).toBeCloseTo(595.28 - 60, 0);
  });

  test('is neither linked nor served where it is disabled', async () => {
    const address = (await addressIn()) ?? '';
    await customize((customization) => ({ ...customization, pdf: { enabled: false } }));
    expect(await addressIn()).toBeUndefined();
    expect((await fetch(address)).status).toBe(404);
  });
});
