// Runs on one engine: repositories are read before they are stored.
import { beforeAll, describe, expect, test } from 'vitest';
import { ok } from '../../../client/platform/index.ts';
import type { components } from '../../../generated/schema.d.ts';
import { createSpace, flatten, importRepository, readTree } from '../../support/content/imports.ts';
import { type SampleRepository, sampleRepositories } from '../../support/content/repositories.ts';
import { readSummaryLines } from '../../support/content/summary-lines.ts';
import type { CommitFiles } from '../../support/git/git-files.ts';
import type { ServedRepository } from '../../support/git/git-server.ts';
import { git, server, useServers } from './servers.ts';

type Schemas = components['schemas'];
type Page = Schemas['Page'];
type Document = Extract<Page, { type: 'document' }>;

useServers();

/** Creates a space with the content of a repository. */
interface Imported {
  space: string;
  repository: ServedRepository;
  revision: Schemas['Revision'];
}

async function importSample({ files, directory }: SampleRepository): Promise<Imported> {
  const repository = await git.createRepository(files);
  const { id } = await createSpace(server);
  await importRepository(server, id, repository, directory ? { repoProjectDirectory: directory } : {});
  return { space: id, repository, revision: await readRevision(id) };
}

async function readRevision(spaceId: string): Promise<Schemas['Revision']> {
  return await ok(server.admin.client.GET('/v1/spaces/{spaceId}/content', { params: { path: { spaceId } } }));
}

async function readMarkdown(spaceId: string, pageId: string): Promise<string | undefined> {
  const page = await ok(
    server.admin.client.GET('/v1/spaces/{spaceId}/content/page/{pageId}', {
      params: { path: { spaceId, pageId }, query: { format: 'markdown' } },
    }),
  );
  return page.type === 'document' ? page.markdown : undefined;
}

/** Formats a page per line, with the result of `where`. */
function lines(pages: readonly Page[], where: (page: Page) => string, indent = ''): string[] {
  return pages.flatMap((page) => [
    `${indent}${page.type} ${page.title} | ${where(page)}`,
    ...('pages' in page ? lines(page.pages, where, `${indent}  `) : []),
  ]);
}

/** Returns the target of a link: a URL, the path of a file, or that of a page with its anchor. */
function target(page: Page, { files, pages }: Schemas['Revision']): string {
  if (page.type !== 'link') {
    return '';
  }
  if (page.target.kind === 'url') {
    return page.target.url;
  }
  const { target: to } = page;
  if (to.kind === 'file') {
    return files.find((file) => file.id === to.file)?.git?.path ?? '';
  }
  const linked = 'page' in to ? documents(pages).find(({ id }) => id === to.page)?.git?.path : undefined;
  return `${linked ?? to.kind}${to.kind === 'anchor' ? `#${to.anchor}` : ''}`;
}

function documents(pages: readonly Page[]): Document[] {
  return flatten(pages).filter((page): page is Document => page.type === 'document');
}

const bytesOf = (file: CommitFiles[string] | undefined): Buffer | undefined =>
  typeof file === 'string' || file instanceof Uint8Array ? Buffer.from(file) : undefined;

/**
 * Returns the body of a page by a minimal parser: without front matter and without a heading that repeats the title.
 */
function plainBody(text: string, title: string): string {
  const all = text
    .replace(/^\uFEFF/, '')
    .replaceAll('\r\n', '\n')
    .split('\n');
  const end = all[0] === '---' ? all.indexOf('---', 1) : -1;
  const rest = all.slice(end + 1);
  const top = rest.findIndex((line) => line.trim() !== '');
  const heading = /^# (.*?)(?: #+)?$/.exec(rest[top] ?? '')?.[1];
  const bare = (item: string) => item.normalize('NFC').replace(/[*`]|[^\p{L}\p{N}]+$|^[^\p{L}\p{N}]+/gu, '');
  const isTitle = heading !== undefined && bare(heading) === bare(title);
  return rest
    .slice(isTitle ? top + 1 : Math.max(top, 0))
    .join('\n')
    .replace(/^\n+/, '');
}

// Reading files does not depend on the engine; that pages are stored unchanged is tested below.
describe.each(sampleRepositories)('$name, imported', (sample) => {
  let imported: Imported;
  beforeAll(async () => {
    imported = await importSample(sample);
  });

  test('has the page tree that its author expects', () => {
    const { revision } = imported;
    const location = (page: Page) =>
      page.type === 'computed' ? page.computed.type : 'path' in page ? page.path : target(page, revision);
    expect(lines(revision.pages, location)).toEqual(sample.outline);
  });

  test.runIf(sample.summary)('has the pages of its table of contents', () => {
    const { summary = '', root = '' } = sample;
    const { revision } = imported;
    const location = (page: Page) =>
      page.type === 'document' ? (page.git?.path ?? '') : page.type === 'link' ? target(page, revision) : '';
    const text = bytesOf(sample.files[summary])?.toString('utf8') ?? '';
    const paths = Object.keys(sample.files).filter((path) => bytesOf(sample.files[path]));
    const expected = readSummaryLines(text, summary, root, paths);
    const outline = lines(revision.pages, location);
    // An entry without a title takes one from elsewhere.
    const untitled = (line: string, at: number) =>
      / (?:computed|document) {2}\|/.test(` ${expected[at]}`)
        ? line.replace(/(\S )[^|]*( \|)/, '$1$2')
        : line;
    expect(outline.map(untitled)).toEqual(expected);
  });

  test('has the text of each page from its file, without front matter and title', async () => {
    for (const page of documents(imported.revision.pages)) {
      const path = page.git?.path ?? '';
      const text = bytesOf(sample.files[path])?.toString('utf8') ?? '';
      const expected = sample.texts?.[path] ?? plainBody(text, page.title);
      expect({ path, markdown: await readMarkdown(imported.space, page.id) }).toEqual({
        path,
        markdown: expected,
      });
    }
  });

  test('has the front matter, includes and variables', () => {
    const { pages, reusableContents, variables } = imported.revision;
    for (const [path, settings] of Object.entries(sample.settings ?? {})) {
      expect(documents(pages).find((page) => page.git?.path === path)).toMatchObject(settings);
    }
    const contents = Object.fromEntries(reusableContents.map(({ title, git }) => [title, git?.path]));
    if (sample.reusableContents) {
      expect(contents).toEqual(sample.reusableContents);
    }
    if (sample.variables) {
      expect(variables).toEqual(sample.variables);
    }
  });

  test('serves the files that pages use', async () => {
    const { files } = imported.revision;
    expect(files.map((file) => file.git?.path).sort()).toEqual([...sample.assets].sort());
    for (const file of files) {
      const path = file.git?.path ?? '';
      const expected = bytesOf(sample.files[path]);
      const [width, height] = sample.dimensions?.[path] ?? [];
      const response = await fetch(file.downloadURL);
      expect(Buffer.from(await response.arrayBuffer())).toEqual(expected);
      expect(response.headers.get('content-type')?.split(';')[0]).toBe(file.contentType);
      expect(file.size).toBe(expected?.length);
      if (sample.dimensions) {
        expect({ path, dimensions: file.dimensions }).toEqual({
          path,
          dimensions: width === undefined ? undefined : { width, height },
        });
      }
    }
  });

  test('is unchanged after another import', async () => {
    const { space, repository, revision } = imported;
    const body = sample.directory ? { repoProjectDirectory: sample.directory } : {};
    await importRepository(server, space, repository, body);
    const again = await readRevision(space);
    expect([again.pages, again.files, again.reusableContents]).toEqual([
      revision.pages,
      revision.files,
      revision.reusableContents,
    ]);
  });
});

describe('a repository that is imported again', () => {
  const summary = (...entries: string[]) => `# Summary\n\n${entries.map((entry) => `* ${entry}\n`).join('')}`;
  const first = {
    'SUMMARY.md': summary(
      '[One](one.md)',
      '[Two](two.md)',
      'Group\n  * [Three](three.md)\n  * [Site](https://example.com/)',
      '[Four](four.md)',
    ),
    'one.md': '# One\n',
    'two.md': '# Two\n\n![](.gitbook/assets/a.txt)\n',
    'three.md': '# Three\n',
    'four.md': '# Four\n',
    '.gitbook/assets/a.txt': 'a',
    '.gitbook/includes/i.md': 'Included.\n',
  };

  const idsByLocation = (pages: readonly Page[]) =>
    new Map(flatten(pages).map((page) => [page.type === 'document' ? page.git?.path : page.title, page.id]));

  async function reimport(change: Record<string, CommitFiles[string] | null>) {
    const repository = await git.createRepository(first);
    const { id } = await createSpace(server);
    await importRepository(server, id, repository);
    const before = await readRevision(id);
    await repository.update(change);
    await importRepository(server, id, repository);
    return { id, before, after: await readRevision(id) };
  }

  test('keeps the ids of renamed and moved pages, and of other groups and links', async () => {
    const { before, after } = await reimport({
      'SUMMARY.md': summary(
        '[The fourth](four.md)\n  * [The third](three.md)',
        'Group\n  * [Site](https://example.com/)\n  * [The first](one.md)\n    * [The second](two.md)',
      ),
    });
    expect(lines(after.pages, (page) => ('path' in page ? page.path : ''))).toEqual([
      'document The fourth | four',
      '  document The third | four/three',
      'group Group | group',
      '  link Site | ',
      '  document The first | group/one',
      '    document The second | group/one/two',
    ]);
    expect(idsByLocation(after.pages)).toEqual(
      new Map(
        [...idsByLocation(after.pages).keys()].map((location) => [
          location,
          idsByLocation(before.pages).get(location),
        ]),
      ),
    );
    expect(after.files).toEqual(before.files);
    expect(after.reusableContents).toEqual(before.reusableContents);
  });

  test('removes deleted pages, and no others', async () => {
    const { id, before, after } = await reimport({
      'two.md': null,
      '.gitbook/assets/a.txt': null,
      '.gitbook/includes/i.md': null,
    });
    const [previous, current] = [idsByLocation(before.pages), idsByLocation(after.pages)];
    const deletedId = previous.get('two.md') ?? '';
    previous.delete('two.md');
    // The table of contents still lists it.
    const link = after.pages.find(({ title }) => title === 'Two');
    expect(link).toMatchObject({ type: 'link', target: { kind: 'url', url: 'two.md' } });
    current.delete('Two');
    expect(current).toEqual(previous);
    expect([after.files, after.reusableContents]).toEqual([[], []]);
    const { response } = await server.admin.client.GET('/v1/spaces/{spaceId}/content/page/{pageId}', {
      params: { path: { spaceId: id, pageId: deletedId } },
    });
    expect(response.status).toBe(404);
  });

  test('gives a restored page a new id, and a changed file its new bytes', async () => {
    const repository = await git.createRepository(first);
    const { id } = await createSpace(server);
    await importRepository(server, id, repository);
    const before = await readRevision(id);
    await repository.update({ '.gitbook/assets/a.txt': 'b' });
    await importRepository(server, id, repository);
    const [previous, current] = [before.files[0], (await readRevision(id)).files[0]];
    expect(current?.id).toBe(previous?.id);
    expect(await (await fetch(current?.downloadURL ?? '')).text()).toBe('b');
    expect(flatten(await readTree(server.admin.client, id)).map((page) => page.id)).toEqual(
      flatten(before.pages).map((page) => page.id),
    );
  });
});
