// Runs on one engine: languages are folders of a repository, stored like any other content.
import { expect, test } from 'vitest';
import { ok, waitForRun } from '../../../client/platform/index.ts';
import type { components } from '../../../generated/schema.d.ts';
import { exportTo } from '../../support/content/exports.ts';
import { flatten, readTree } from '../../support/content/imports.ts';
import { readFiles } from '../../support/git/git-files.ts';
import { publishSite } from '../../support/sites/published-site.ts';
import { listLinks } from '../content/link-lists.ts';
import { git, server, useServers } from './servers.ts';

type Schemas = components['schemas'];

useServers();

const client = () => server.admin.client;

const BOOK = {
  'LANGS.md': '# Languages\n\n* [Nederlands](nl/)\n* [עברית](he/)\n* [Suomi](fi/)\n',
  'README.md': '# About this repository\n',
  'logo.svg': '<svg xmlns="http://www.w3.org/2000/svg" width="4" height="4"/>',
  'nl/README.md': '# Fietsen\n',
  'nl/SUMMARY.md': '# Inhoud\n\n* [Fietsen](README.md)\n* [Remmen](brakes.md)\n* [Banden](tyres/README.md)\n',
  'nl/brakes.md': '# Remmen\n\n## Kabels\n',
  'nl/tyres/README.md': '# Banden\n\n[remmen](/brakes.md#kabels), ![](/wheel.svg) ![](/logo.svg)\n',
  'nl/wheel.svg': '<svg xmlns="http://www.w3.org/2000/svg" width="5" height="5"/>',
  'he/README.md': '# אופניים\n',
  'he/SUMMARY.md': '# תוכן\n\n* [אופניים](README.md)\n* [צמיגים](tyres/README.md)\n* [בלמים](brakes.md)\n',
  'he/brakes.md': '# בלמים\n\n## כבלים\n\n{% include "/parts/oil.md" %}\n',
  'he/tyres/README.md':
    '# צמיגים\n\n[בלמים](/brakes.md#כבלים), [חסר](/missing.md) [אחר](/../nl/brakes.md) ![](/wheel.svg) ![](/logo.svg)\n',
  'he/wheel.svg': '<svg xmlns="http://www.w3.org/2000/svg" width="6" height="6"/>',
  'he/parts/oil.md': 'שמן, [צמיגים](/tyres/).\n',
  'fi/README.md': '# Pyörät\n',
};

async function importInto(url: string, body: Partial<Schemas['GitImport']> = {}, title?: string) {
  const space = client().POST('/v1/orgs/{organizationId}/spaces', {
    params: { path: { organizationId: server.organization } },
    body: { ...(title !== undefined && { title }) },
  });
  const { id: spaceId } = await ok(space);
  const run = await waitForRun(
    client(),
    client().POST('/v1/spaces/{spaceId}/git/import', {
      params: { path: { spaceId } },
      body: { url, ref: 'refs/heads/main', ...body },
    }),
  );
  const pages = flatten(await readTree(client(), spaceId));
  return {
    spaceId,
    run,
    pages,
    page: (title: string) => pages.find((page) => page.title === title)?.id ?? '',
  };
}

/** Merges changes of the content of a space. */
async function merge(spaceId: string, changes: Schemas['ContentChange'][]): Promise<void> {
  const params = { path: { spaceId } };
  const request = client().POST('/v1/spaces/{spaceId}/change-requests', {
    params,
    body: { subject: 'Edit' },
  });
  const path = { spaceId, changeRequestId: (await ok(request)).id };
  await ok(
    client().POST('/v1/spaces/{spaceId}/change-requests/{changeRequestId}/content', {
      params: { path },
      body: { changes },
    }),
  );
  await ok(
    client().POST('/v1/spaces/{spaceId}/change-requests/{changeRequestId}/merge', { params: { path } }),
  );
}

test('paths from the root of a language start in its folder', async () => {
  const { url } = await git.createRepository(BOOK);
  const { spaceId, page, pages } = await importInto(url);
  expect(pages.map((item) => ('path' in item ? item.path : ''))).toEqual([
    'nl',
    'nl/readme',
    'nl/brakes',
    'nl/tyres',
    'he',
    'he/readme',
    'he/tyres',
    'he/brakes',
    'fi',
    'fi/readme',
  ]);
  const { url: site } = await publishSite(server, { visibility: 'public', spaces: [spaceId] });
  const read = async (path: string) => await (await fetch(`${site}/${path}`)).text();
  const hebrew = await read('he/tyres');
  expect(hebrew).toMatch(/<a href="[^"]*\/he\/brakes#[^"]*"[^>]*>בלמים<\/a>/);
  expect(hebrew).toMatch(/<a href="[^"]*\/nl\/brakes"[^>]*>אחר<\/a>/);
  expect(hebrew).toMatch(/wheel\.svg"[^>]*width="6"/);
  expect(hebrew).toMatch(/<img[^>]*logo\.svg"/);
  expect(await read('nl/tyres')).toMatch(/wheel\.svg"[^>]*width="5"/);
  expect(await read('he/brakes')).toMatch(/שמן, <a href="[^"]*\/he\/tyres"/);

  const { items } = await ok(listLinks(client(), { spaceId }, undefined, { limit: 100 }));
  expect(items.filter(({ status }) => status !== 'ok')).toHaveLength(1);
  const backlinks = await ok(
    client().GET('/v1/spaces/{spaceId}/content/page/{pageId}/backlinks', {
      params: { path: { spaceId, pageId: page('בלמים') } },
    }),
  );
  expect(backlinks.items).toHaveLength(1);
});

test('an export changes the table of contents of the edited language only', async () => {
  const repository = await git.createRepository(BOOK);
  const { spaceId, page } = await importInto(repository.url);
  const exported = async () => {
    const before = await readFiles(repository.folder, 'main');
    await exportTo(server, spaceId, repository);
    const after = await readFiles(repository.folder, 'main');
    return [...after].flatMap(([path, { text }]) => (before.get(path)?.text === text ? [] : [[path, text]]));
  };
  expect(await exported()).toEqual([]);
  await merge(spaceId, [
    {
      operation: 'insert_page',
      title: 'שרשרת',
      slug: 'chain',
      into: page('עברית'),
      at: 2,
      document: { markdown: 'שמן.\n' },
    },
  ]);
  expect(await exported()).toEqual([
    [
      'he/SUMMARY.md',
      '# תוכן\n\n* [אופניים](README.md)\n* [צמיגים](tyres/README.md)\n* [שרשרת](chain.md)\n* [בלמים](brakes.md)\n',
    ],
    ['he/chain.md', '# שרשרת\n\nשמן.\n'],
  ]);
  expect(await exported()).toEqual([]);
});

test('the problem of a list of languages describes how to publish them as variants', async () => {
  const files = Object.fromEntries(Object.entries(BOOK).map(([path, text]) => [`manual/${path}`, text]));
  const { url } = await git.createRepository(files);
  const whole = await importInto(url, { repoProjectDirectory: 'manual' });
  const [problem] = whole.run.problems.filter(({ file }) => file === 'manual/LANGS.md');
  expect(problem?.message).toMatch(/space for each folder.*`repoProjectDirectory`.*one site in this order: /);
  const listed = [...(problem?.message ?? '').matchAll(/"([^"]*)" \(([^)]*)\)/g)];
  const spaces: string[] = [];
  for (const [, repoProjectDirectory = '', title = ''] of listed) {
    const { spaceId, run } = await importInto(url, { repoProjectDirectory }, title);
    expect(run.status).toBe('completed');
    spaces.push(spaceId);
  }
  const site = await publishSite(server, { visibility: 'public', spaces });
  const read = async (address: string) => await (await fetch(address)).text();
  const first = await read(site.url);
  const menu = /<details class="menu variants">([\s\S]*?)<\/details>/.exec(first)?.[1] ?? '';
  const variants = [...menu.matchAll(/<a [^>]*href="([^"]*)"[^>]*>.*?<span>([^<]*)</g)];
  expect(variants.map(([, , title]) => title)).toEqual(['Nederlands', 'עברית', 'Suomi']);
  const pages = await Promise.all(variants.map(([, href = '']) => read(new URL(href, site.url).href)));
  const attributes = pages.map((text) => /<html[^>]*>/.exec(text)?.[0].match(/(?:lang|dir)="[^"]*"/g));
  expect(attributes).toEqual([
    ['lang="nl"', 'dir="ltr"'],
    ['lang="he"', 'dir="rtl"'],
    ['lang="fi"', 'dir="ltr"'],
  ]);
  expect(pages[1]?.indexOf('צמיגים')).toBeLessThan(pages[1]?.indexOf('בלמים') ?? -1);
  expect(pages[1]).not.toContain('Remmen');
});
