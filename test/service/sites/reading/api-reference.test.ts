// Runs on one engine: pages are rendered after the reads of reading-visitors.test.ts.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ok } from '../../../../client/platform/index.ts';
import { computedEntry } from '../../../support/content/computed-pages.ts';
import { importRepository } from '../../../support/content/imports.ts';
import { addVersion, createSpecification } from '../../../support/content/specifications.ts';
import { type GitServer, startGitServer } from '../../../support/git/git-server.ts';
import { startTestServer, type TestServer } from '../../../support/server.ts';
import { publishSite, spaceFrom } from '../../../support/sites/published-site.ts';

let server: TestServer;
let git: GitServer;
let url: string;

beforeAll(async () => {
  server = await startTestServer();
  git = await startGitServer();
  await createSpecification(server.admin, server.organization, 'pets');
  const { space } = await spaceFrom(server, git, 'Guide', {
    'README.md':
      '# Guide\n\n{% openapi-operation spec="Pets" path="/pets" method="post" %}\n[OpenAPI pets](https://example.com)\n{% endopenapi-operation %}\n\n{% openapi-operation spec="boats" path="/boats" method="get" %}\n[OpenAPI boats](https://example.com)\n{% endopenapi-operation %}\n',
    'SUMMARY.md': `* [Guide](README.md)\n${computedEntry('pets', { title: 'Reference' })}`,
  });
  ({ url } = await publishSite(server, { spaces: [space.id] }));
});
afterAll(async () => {
  await git.close();
  await server.stop();
});

const get = async (href: string) => {
  const response = await fetch(new URL(href, url));
  expect([href, response.status]).toEqual([href, 200]);
  return await response.text();
};

test('the operations of a specification link to the schemas of their bodies', async () => {
  const page = await get(`${url}/reference/pets`);
  const [, link = ''] = /<a href="([^"]+)">Pet<\/a>\[\]/.exec(page) ?? [];
  const { pathname, hash } = new URL(link, url);
  const models = await get(pathname);
  expect(models).toContain(`id="${hash.slice(1)}"`);
  expect(models).toMatch(/<code>name<\/code> <span class="required">/);
});

test('a block shows its operation with the schemas, in the current version', async () => {
  const page = await get(url);
  expect(page).toMatch(/<span class="method method-post">POST<\/span> <code class="path"[^>]*>\/pets/);
  expect(page).toMatch(/<code>name<\/code> <span class="required">\(required\)<\/span>/);
  expect(page).toContain('What it listens to');
  // A specification that does not exist is named.
  expect(page).toMatch(/<code class="path"[^>]*>\/boats<\/code>/);
  expect(page).toMatch(/<span class="link-card-title">boats<\/span>/);
  const markdown = await get(`${url}/readme.md`);
  expect(markdown).toContain('`POST /pets`');
  expect(markdown).toContain('What it listens to');
  await addVersion(server.admin, server.organization, 'pets', 'Zoo');
  expect(await get(url)).toContain('What it listens to');
});

test('a link to a part of a specification is valid exactly if its page has the fragment', async () => {
  const { client } = server.admin;
  const summary = `* [Home](README.md)\n* [Block](block.md)\n${computedEntry('pets', { title: 'Reference' })}`;
  const included =
    '{% openapi-schemas spec="pets" schemas="Pet" %}\n[pets](https://example.com)\n{% endopenapi-schemas %}';
  const files = {
    'SUMMARY.md': summary,
    'README.md': '# Home\n',
    'block.md':
      '# Block\n\n{% openapi-operation spec="Pets" path="/pets" method="post" %}\n[pets](https://example.com)\n{% endopenapi-operation %}\n\n{% openapi-operation spec="boats" path="/boats" method="get" %}\n[boats](https://example.com)\n{% endopenapi-operation %}\n\n{% include "part.md" %}\n\n{% include ".gitbook/includes/models.md" %}\n',
    'part.md':
      '## Included\n\n{% openapi-operation spec="pets" path="/pets" method="get" %}\n[pets](https://example.com)\n{% endopenapi-operation %}\n',
    '.gitbook/includes/models.md': `---\ntitle: Models\n---\n\n${included}\n`,
  };
  const { space, repository } = await spaceFrom(server, git, 'Links', files);
  const site = await publishSite(server, { visibility: 'public', spaces: [space.id] });
  const links: Record<string, 'ok' | 'broken'> = {};
  for (const path of ['block', 'reference/pets', 'reference/models']) {
    const page = await get(`${site.url}/${path}`);
    const article = page.slice(page.indexOf('<div class="content">'), page.indexOf('</article>'));
    const ids = [...article.matchAll(/ id="([^"]*)"/g)].map(([, id = '']) => id);
    expect([path, ids.length > 0]).toEqual([path, true]);
    for (const id of ids.filter((id) => !id.startsWith('site:'))) {
      links[`/${path}#${id}`] = 'ok';
    }
    links[`/${path}#no-such-operation`] = 'broken';
  }
  expect(Object.keys(links)).toEqual(
    expect.arrayContaining([
      '/block#post-pets',
      '/block#api-post-pets',
      '/block#get-boats',
      '/block#api-get-pets',
    ]),
  );
  const written = Object.keys(links).map((link) => `[x](${link})\n\n`);
  await repository.update({ 'README.md': `# Home\n\n${written.join('')}` });
  await importRepository(server, space.id, repository);
  const { items } = await ok(
    client.GET('/v1/spaces/{spaceId}/links', {
      params: { path: { spaceId: space.id }, query: { limit: 100 } },
    }),
  );
  const statuses = items.flatMap(({ status, targetReference }) =>
    targetReference?.kind === 'page' && targetReference.internalLocation?.type === 'anchor'
      ? [
          [
            `/${'path' in targetReference.page ? targetReference.page.path : ''}#${targetReference.internalLocation.anchor}`,
            status,
          ],
        ]
      : [],
  );
  expect(Object.fromEntries(statuses)).toEqual(links);
});
