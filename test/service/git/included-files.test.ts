// Runs on one engine: texts are expanded after they are read.
import { expect, test, vi } from 'vitest';
import { ok, waitForRun } from '../../../client/platform/index.ts';
import type { components } from '../../../generated/schema.d.ts';
import { exportTo } from '../../support/content/exports.ts';
import { createSpace, flatten, importRepository, readTree } from '../../support/content/imports.ts';
import { readFiles } from '../../support/git/git-files.ts';
import { readPdf, withoutSpaces } from '../../support/pdf/pdf.ts';
import { publishSite } from '../../support/sites/published-site.ts';
import { listLinks } from '../content/link-lists.ts';
import { git, server, useServers } from './servers.ts';

type Schemas = components['schemas'];
type Files = Parameters<typeof git.createRepository>[0];

useServers();

const client = () => server.admin.client;

/** Imports a repository and publishes it. */
async function publish(files: Files, body: Partial<Schemas['GitImport']> = {}) {
  const repository = await git.createRepository(files);
  const { id: spaceId } = await createSpace(server);
  const params = { path: { spaceId } };
  const run = await waitForRun(
    client(),
    client().POST('/v1/spaces/{spaceId}/git/import', {
      params,
      body: { url: repository.url, ref: 'refs/heads/main', ...body },
    }),
  );
  const { url } = await publishSite(server, { visibility: 'public', spaces: [spaceId] });
  const pages = flatten(await readTree(client(), spaceId));
  const get = async (path: string) => {
    const response = await fetch(`${url}/${path}`);
    return { status: response.status, text: await response.text() };
  };
  return {
    spaceId,
    repository,
    run,
    pages,
    page: (title: string) => pages.find((page) => page.title === title)?.id ?? '',
    html: async (path: string) => {
      const { text } = await get(path);
      const start = text.indexOf('<div class="content">');
      return text.slice(start, text.indexOf('</article>', start));
    },
    markdown: async (path: string) => (await get(`${path}.md`)).text,
    search: async (query: string) => {
      const found = await ok(
        client().GET('/v1/spaces/{spaceId}/search', { params: { ...params, query: { query } } }),
      );
      return found.items.map(({ title }) => title);
    },
    /** Exports the space, and returns the paths and texts that differ. */
    exported: async (options: Partial<Schemas['GitExport']> = {}) => {
      const before = await readFiles(repository.folder, 'main');
      await exportTo(server, spaceId, repository, options);
      const after = await readFiles(repository.folder, 'main');
      const paths = new Set([...before.keys(), ...after.keys()]);
      return [...paths].flatMap((path) =>
        before.get(path)?.text === after.get(path)?.text ? [] : [[path, after.get(path)?.text]],
      );
    },
  };
}

async function createChangeRequest(spaceId: string): Promise<string> {
  const created = client().POST('/v1/spaces/{spaceId}/change-requests', {
    params: { path: { spaceId } },
    body: { subject: 'Edit' },
  });
  return (await ok(created)).id;
}

const HONKIT = {
  'book.json': '{"title":"Boats"}',
  'SUMMARY.md':
    '# Summary\n\n* [Boats](README.md)\n* [Ropes](ropes/README.md)\n  * [Knots](ropes/knots.md)\n',
  'README.md': '# Boats\n\n{% include "/shared/safety.md" %}\n',
  'ropes/README.md':
    '# Ropes\n\n{% include "tools.md" %}\n\n> {% include "../shared/safety.md" %}\n\n```js\n{% include "./tie.js" %}\n```\n',
  'ropes/knots.md':
    '# Knots\n\nSee `{% include "tools.md" %}`.\n\n{% include "missing.md" %}\n\n{% include "git+https://example.com/x.git/a.md" %}\n\n{% include "../../../outside.md" %}\n',
  'ropes/tools.md':
    'A marlinspike, and [knots](knots.md).\n\n![Fid](fid.svg)\n\n{% include "../shared/more.md" %}\n',
  'ropes/fid.svg': '<svg xmlns="http://www.w3.org/2000/svg" width="4" height="4"/>',
  'ropes/tie.js': 'tie("<bowline>");\n',
  'shared/safety.md': 'Wear a lifejacket.\nAlways.\n',
  'shared/more.md': '---\ntitle: More\n---\n\nNested twine.\n',
};

test('pages show the files that HonKit includes, wherever they are', async () => {
  const site = await publish(HONKIT);
  expect(await site.html('')).toContain('Wear a lifejacket.');
  const ropes = await site.html('ropes');
  expect(ropes).toMatch(/<blockquote[^>]*>\s*<p[^>]*>Wear a lifejacket\.\s*Always\./);
  expect(ropes).toContain('A marlinspike');
  expect(ropes).toContain('Nested twine.');
  expect(ropes).toContain('bowline');
  // Links start from the page, as in HonKit.
  expect(ropes).toMatch(/<a href="[^"]*\/ropes\/knots"[^>]*>knots<\/a>/);
  expect(ropes).toMatch(/<img src="[^"]*fid\.svg"/);
  expect(await site.html('ropes/knots')).toContain('{% include &quot;tools.md&quot; %}');

  const markdown = await site.markdown('ropes');
  expect(markdown).toContain('A marlinspike');
  expect(markdown).not.toContain('{% include');
  expect(await site.search('marlinspike')).toEqual(['Ropes']);
  expect(await site.search('lifejacket')).toEqual(['Boats', 'Ropes']);
});

test('reports the files that cannot be included, with their lines', async () => {
  const { run } = await publish(HONKIT);
  expect(run.problems).toEqual([
    {
      file: 'ropes/knots.md',
      line: 5,
      reason: 'not_found',
      message: expect.stringMatching(/"missing\.md" .* does not exist .* Correct/),
    },
    {
      file: 'ropes/knots.md',
      line: 7,
      reason: 'unsupported',
      message: expect.stringMatching(/only files of this repository .* Copy/),
    },
    {
      file: 'ropes/knots.md',
      line: 9,
      reason: 'invalid_value',
      message: expect.stringMatching(/leads out of the repository/),
    },
  ]);
});

test('documents, links and PDFs of a page contain what its files contain', async () => {
  const { spaceId, page } = await publish(HONKIT);
  const { revision: revisionId } = await ok(
    client().GET('/v1/spaces/{spaceId}', { params: { path: { spaceId } } }),
  );
  const path = { spaceId, revisionId, pageId: page('Ropes') };
  const read = await ok(
    client().GET('/v1/spaces/{spaceId}/revisions/{revisionId}/page/{pageId}/document', {
      params: { path, query: { dereferenced: 'reusable-contents' } },
    }),
  );
  expect(JSON.stringify(read)).toContain('marlinspike');
  const links = await ok(listLinks(client(), { spaceId }, undefined, { limit: 100 }));
  const written = JSON.stringify(links.items);
  expect(written).toContain(page('Knots'));
  expect(links.items.filter(({ status }) => status === 'broken')).toHaveLength(2);
  const { url } = await ok(
    client().GET('/v1/spaces/{spaceId}/change-requests/{changeRequestId}/pdf', {
      params: {
        path: { spaceId, changeRequestId: await createChangeRequest(spaceId) },
        query: { page: path.pageId, only: true },
      },
    }),
  );
  const pdf = await readPdf(new Uint8Array(await (await fetch(url)).arrayBuffer()));
  const text = withoutSpaces(JSON.stringify(pdf));
  expect(text).toContain('marlinspike');
  expect(text).toContain('bowline');
});

test('exports keep the tags and files that authors wrote', async () => {
  const site = await publish(HONKIT);
  expect(await site.exported()).toEqual([]);
  const path = { spaceId: site.spaceId, changeRequestId: await createChangeRequest(site.spaceId) };
  await ok(
    client().POST('/v1/spaces/{spaceId}/change-requests/{changeRequestId}/content', {
      params: { path },
      body: {
        changes: [
          {
            operation: 'update_page',
            page: site.page('Boats'),
            document: { markdown: '{% include "/shared/safety.md" %}\n\nMore.\n' },
          },
        ],
      },
    }),
  );
  await ok(
    client().POST('/v1/spaces/{spaceId}/change-requests/{changeRequestId}/merge', { params: { path } }),
  );
  expect(await site.exported()).toEqual([['README.md', `${HONKIT['README.md']}\nMore.\n`]]);
  // An included file that changed is shown after the next import.
  await site.repository.update({ 'shared/safety.md': 'Wear a harness.\n' });
  await importRepository(server, site.spaceId, site.repository);
  expect(await site.html('')).toContain('Wear a harness.');
  expect(await site.search('harness')).toEqual(['Boats', 'Ropes']);
  expect(await site.search('lifejacket')).toEqual([]);
});

const MDBOOK = {
  'book.toml': '[book]\ntitle = "Boats"\n',
  'src/SUMMARY.md': '# Summary\n\n- [Code](ch01/code.md)\n- [Text](text.md)\n',
  'src/ch01/code.md':
    '# Code\n\n```rust\n{{#include ../../listings/main.rs:2:3}}\n```\n\n```rust\n{{#rustdoc_include ../../listings/main.rs:sail}}\n```\n\n- Item\n\n  ```\n  {{#include ../../listings/main.rs:2:3}}\n  ```\n\n{{#playground ../../listings/main.rs editable}}\n\n```\n\\{{#include escaped.rs}}\n```\n\n```\n{{#include gone.rs}}\n{{#include ../../listings/main.rs:none}}\n{{#include ../../link.rs}}\n```\n',
  'src/text.md':
    '{{#title Texts}}\n\n# Text\n\nBefore {{#include part.txt}} after.\n\n{{#include loop.md}}\n',
  'src/part.txt': 'in **between**\n',
  'src/loop.md': 'Loop.\n\n{{#include loop.md}}\n',
  'listings/main.rs':
    'fn main() {\n    hoist();\n    reef();\n    // ANCHOR: sail\n    // ANCHOR: deep\n    tack();\n    // ANCHOR_END: deep\n    // ANCHOR_END: sail\n}\n',
  'link.rs': { symlink: 'listings/main.rs' },
};

/** Returns the texts of the code blocks of a page. */
const codeIn = (html: string): string[] =>
  [...html.matchAll(/<pre[^>]*>([\s\S]*?)<\/pre>/g)].map(([, code = '']) =>
    code
      .replace(/<[^>]*>/g, '')
      .replaceAll('&gt;', '>')
      .trimEnd(),
  );

test('pages show the parts of files that mdBook includes', async () => {
  const { html, run, search, markdown } = await publish(MDBOOK);
  const code = codeIn(await html('code'));
  expect(code.slice(0, 3)).toEqual(['    hoist();\n    reef();', '    tack();', '    hoist();\n    reef();']);
  expect(code[3]).toContain('fn main() {');
  expect(code[4]).toBe('{{#include escaped.rs}}');
  const text = await html('text');
  expect(text).toContain('Before in <strong>between</strong> after.');
  expect(text).not.toContain('#title');
  expect(await search('reef')).toEqual(['Code']);
  expect(await markdown('code')).toContain('tack();');
  expect(run.problems.map(({ file, line, reason }) => ({ file, line, reason }))).toEqual([
    { file: 'src/ch01/code.md', line: 24, reason: 'not_found' },
    { file: 'src/ch01/code.md', line: 25, reason: 'not_found' },
    { file: 'src/ch01/code.md', line: 26, reason: 'unsupported' },
    { file: 'src/loop.md', line: 3, reason: 'unsupported' },
  ]);
});

test('pages of a folder show files of the whole repository', async () => {
  const files = Object.fromEntries(
    Object.entries(MDBOOK).map(([path, text]) => [path.replace(/^(?=src|book)/, 'book/'), text]),
  );
  const inFolder = {
    ...files,
    'book/src/ch01/code.md': '# Code\n\n```rust\n{{#include ../../../listings/main.rs:sail}}\n```\n',
  };
  const { html, exported, run } = await publish(inFolder, { repoProjectDirectory: 'book' });
  expect(codeIn(await html('code'))).toEqual(['    tack();']);
  expect(run.problems.map(({ file }) => file)).toEqual(['book/src/loop.md']);
  expect(await exported({ repoProjectDirectory: 'book' })).toEqual([]);
});

const CODE = {
  'book.json': '{"plugins":["include-codeblock"]}',
  'SUMMARY.md': '* [Code](docs/code.md)\n',
  'docs/code.md':
    "# Code\n\n[import:2-3](../src/boat.ts)\n\n- Item\n\n  [import:'reef', unindent:\"true\", lang-javascript](../src/boat.ts)\n\n[import](plain.txt)\n\nAn [import](../src/boat.ts) is a link.\n\n[import](gone.ts)\n\n[import:40-50](plain.txt)\n\n[import:'none'](plain.txt)\n",
  'docs/plain.txt': 'A line\n{% include "secret.txt" %}\n```\n',
  'docs/secret.txt': 'Secret.\n',
  'src/boat.ts':
    'export class Boat {\n  hoist() {}\n  lower() {}\n  /// [reef]\n  reef() {\n    /// [deep]\n    tie();\n  }\n  /// [reef]\n}\n',
};

test('pages show the code that the links of include-codeblock import', async () => {
  const { html, run, search, exported } = await publish(CODE);
  const page = await html('code');
  expect(codeIn(page)).toEqual([
    '  hoist() {}\n  lower() {}',
    'reef() {\n  tie();\n}',
    'A line\n{% include &quot;secret.txt&quot; %}\n```',
  ]);
  expect(page).toMatch(/An <a [^>]*href="[^"]*boat\.ts"[^>]*>import<\/a> is a link/);
  expect(await search('lower')).toEqual(['Code']);
  expect(run.problems.map(({ line, reason, message }) => [line, reason, message])).toEqual([
    [13, 'not_found', expect.stringContaining('"gone.ts" was not included')],
    [15, 'not_found', expect.stringContaining('no such lines')],
    [17, 'not_found', expect.stringContaining('no snippet "none"')],
  ]);
  expect(await exported()).toEqual([]);
});

const CHAIN = {
  'book.json': '{"title":"Boats"}',
  'SUMMARY.md':
    '# Summary\n\n* [Boats](README.md)\n* [Crew](crew/list.md)\n* [Rules](rules.md)\n* [Other](other.md)\n* [Deep](deep/deep.md)\n',
  'README.md': '# Boats\n\n{% include "crew/list.md" %}\n',
  'crew/list.md': '# Crew\n\nCaptain Aldebaran.\n\n## Watches\n\n{{#include ../rules.md}}\n',
  'rules.md': '# Rules\n\nRule of Betelgeuse.\n',
  'other.md': '# Other\n\n`{% include "rules.md" %}`\n',
  'deep/deep.md': '# Deep\n\n{% include "/deep/part.md" %}\n\n[watches](../README.md#watches)\n',
  'deep/part.md': 'Part.\n\n{% include "/rules.md" %}\n',
};

test('pages that include a changed page, also through others, are indexed again', async () => {
  const site = await publish(CHAIN);
  const found = async (query: string) => (await site.search(query)).sort();
  expect(await found('betelgeuse')).toEqual(['Boats', 'Crew', 'Deep', 'Rules']);
  await site.repository.update({ 'rules.md': '# Rules\n\nRule of Capella.\n' });
  await importRepository(server, site.spaceId, site.repository);
  expect(await found('capella')).toEqual(['Boats', 'Crew', 'Deep', 'Rules']);
  expect(await found('betelgeuse')).toEqual([]);
  for (const path of ['', 'list', 'deep']) {
    expect(await site.html(path)).toContain('Rule of Capella.');
  }
  expect(await site.markdown('list')).toContain('Rule of Capella.');

  // Anchors of the included page are those of the page that includes it.
  const statuses = async () => {
    const { items } = await ok(listLinks(client(), { spaceId: site.spaceId }, undefined, { limit: 100 }));
    return items.flatMap(({ status, targetReference }) =>
      JSON.stringify(targetReference).includes('watches') ? [status] : [],
    );
  };
  expect(await statuses()).toEqual(['ok']);
  await site.repository.update({ 'crew/list.md': '# Crew\n\nCaptain Deneb.\n' });
  await importRepository(server, site.spaceId, site.repository);
  expect(await statuses()).toEqual(['broken']);
  expect(await found('deneb')).toEqual(['Boats', 'Crew']);
  expect(await found('capella')).toEqual(['Deep', 'Rules']);

  // An edit, and a page that is removed, are changes, too.
  const path = { spaceId: site.spaceId, changeRequestId: await createChangeRequest(site.spaceId) };
  await ok(
    client().POST('/v1/spaces/{spaceId}/change-requests/{changeRequestId}/content', {
      params: { path },
      body: {
        changes: [
          { operation: 'update_page', page: site.page('Rules'), document: { markdown: 'Rule of Vega.\n' } },
          { operation: 'delete_page', page: site.page('Crew') },
        ],
      },
    }),
  );
  await ok(
    client().POST('/v1/spaces/{spaceId}/change-requests/{changeRequestId}/merge', { params: { path } }),
  );
  await vi.waitFor(async () => expect(await found('vega')).toEqual(['Deep', 'Rules']), {
    timeout: 20_000,
    interval: 100,
  });
  expect(await found('deneb')).toEqual([]);
});
