// Runs on one engine: the column is read and written like all others of a space.
import { expect, test } from 'vitest';
import { ok } from '../../../../client/platform/index.ts';
import { importRepository } from '../../../support/content/imports.ts';
import { publishSite, spaceFrom } from '../../../support/sites/published-site.ts';
import { git, server, useServers } from '../../git/servers.ts';

useServers();

const HEBREW = {
  'SUMMARY.md': '# Summary\n\n* [מבוא](README.md)\n* [התקנה](install.md)\n',
  'README.md': '# מבוא\n\nמדריך זה מסביר כיצד להתקין את התוכנה ולהפעיל אותה. `npm install`\n',
  'install.md':
    '# התקנה\n\n```sh\nnpm install the-package --save-exact\n```\n\nהריצו את הפקודה במסוף, ולאחר מכן פתחו את ההגדרות.\n',
};
const FRENCH = {
  'README.md':
    '# Introduction\n\nCe guide explique comment installer le logiciel et comment l’utiliser au quotidien.\n',
};

/** Returns the language and direction of the pages of a site. */
async function htmlOf(url: string): Promise<string> {
  const text = await (await fetch(url)).text();
  return /<html[^>]*>/.exec(text)?.[0] ?? '';
}

async function published(
  ...[files, language]: [Parameters<typeof spaceFrom>[3], Parameters<typeof spaceFrom>[4]?]
) {
  const { space, repository } = await spaceFrom(server, git, 'Docs', files, language);
  const site = await publishSite(server, { visibility: 'public', spaces: [space.id] });
  return { space, repository, site, html: () => htmlOf(site.url) };
}

test('pages have the language and direction of their content', async () => {
  const { html, space, repository } = await published(HEBREW);
  expect(await html()).toMatch(/lang="he".*dir="rtl"/);
  await repository.update({ ...FRENCH, 'SUMMARY.md': null, 'install.md': null });
  await importRepository(server, space.id, repository);
  expect(await html()).toMatch(/lang="fr".*dir="ltr"/);
});

test('a repository declares the language of its pages', async () => {
  const { html } = await published({ ...FRENCH, 'book.json': '{"language":"fa"}' });
  expect(await html()).toMatch(/lang="fa".*dir="rtl"/);
});

test('the settings of a space and of a site take precedence', async () => {
  const { html } = await published(HEBREW, 'it');
  expect(await html()).toMatch(/lang="it".*dir="ltr"/);
  const { site, html: siteHtml } = await published(HEBREW);
  const { client } = server.admin;
  const path = { organizationId: server.organization, siteId: site.id };
  const params = { path };
  const customization = await ok(
    client.GET('/v1/orgs/{organizationId}/sites/{siteId}/customization', { params }),
  );
  const localized = { ...customization, internationalization: { locale: 'sv' as const } };
  await ok(client.PUT('/v1/orgs/{organizationId}/sites/{siteId}/customization', { params, body: localized }));
  expect(await siteHtml()).toMatch(/lang="sv".*dir="ltr"/);
});
