// Runs on one engine: repositories are read before they are stored, and written after they are read.
import { beforeAll, describe, expect, test } from 'vitest';
import { ok } from '../../../client/platform/index.ts';
import type { components } from '../../../generated/schema.d.ts';
import { readWireDocument } from '../../../server/content/wire/read.ts';
import { exportTo } from '../../support/content/exports.ts';
import { createSpace, flatten, importRepository } from '../../support/content/imports.ts';
import { rawMarkupIn } from '../../support/content/raw-markup.ts';
import {
  type RepositoryStep,
  type WrittenRepository,
  writtenRepositories,
} from '../../support/content/written-repositories.ts';
import { readFiles } from '../../support/git/git-files.ts';
import type { ServedRepository } from '../../support/git/git-server.ts';
import { blocksOf, linksOf } from './documents.ts';
import { git, server, useServers } from './servers.ts';

type Schemas = components['schemas'];
type Page = Schemas['Page'];
type DocumentPage = Extract<Page, { type: 'document' }>;
type Change = Schemas['ContentChange'];

useServers();

const client = () => server.admin.client;

/** Entries of the tip of a repository by path: mode and text. */
type Tree = Record<string, string>;

async function treeOf(repository: ServedRepository): Promise<Tree> {
  const files = await readFiles(repository.folder, 'main');
  return Object.fromEntries([...files].map(([path, { mode, text }]) => [path, `${mode} ${text}`]));
}

/** An imported repository. */
class Imported {
  readonly space: string;
  readonly repository: ServedRepository;
  readonly reading: WrittenRepository;
  content: Schemas['Revision'];
  tree: Tree;

  private constructor(
    space: string,
    repository: ServedRepository,
    reading: WrittenRepository,
    content: Schemas['Revision'],
    tree: Tree,
  ) {
    this.space = space;
    this.repository = repository;
    this.reading = reading;
    this.content = content;
    this.tree = tree;
  }

  static async create(reading: WrittenRepository): Promise<Imported> {
    const repository = await git.createRepository(reading.tree);
    const { id } = await createSpace(server);
    const { directory } = reading;
    await importRepository(server, id, repository, directory ? { repoProjectDirectory: directory } : {});
    return new Imported(id, repository, reading, await readContent(id), await treeOf(repository));
  }

  get pages(): DocumentPage[] {
    return flatten(this.content.pages).filter((page): page is DocumentPage => page.type === 'document');
  }

  /** Returns the ID of the page with a file; null without a file. */
  idOf(path: string): string {
    const page = this.pages.find(({ git }) => git?.path === path);
    if (!page) {
      throw new Error(`The space has no page from ${path}.`);
    }
    return page.id;
  }

  /** Names a page, file or reusable content by its path in the repository. */
  nameOf(id: string | undefined): string {
    const { files, reusableContents } = this.content;
    const found = [...this.pages, ...files, ...reusableContents].find((item) => item.id === id);
    return found?.git?.path ?? `unknown ${id}`;
  }

  async document(page: string): Promise<Schemas['Document']> {
    const read = await ok(
      client().GET('/v1/spaces/{spaceId}/content/page/{pageId}', {
        params: { path: { spaceId: this.space, pageId: this.idOf(page) }, query: { format: 'document' } },
      }),
    );
    if (read.type !== 'document' || !read.document) {
      throw new Error(`${page} has no document.`);
    }
    return read.document;
  }

  /** Makes changes in a change request, and merges it. */
  async change(changes: Change[]): Promise<void> {
    const path = { spaceId: this.space };
    const created = client().POST('/v1/spaces/{spaceId}/change-requests', { params: { path }, body: {} });
    const { id: changeRequestId } = await ok(created);
    const params = { path: { ...path, changeRequestId } };
    await ok(
      client().POST('/v1/spaces/{spaceId}/change-requests/{changeRequestId}/content', {
        params,
        body: { changes },
      }),
    );
    await ok(client().POST('/v1/spaces/{spaceId}/change-requests/{changeRequestId}/merge', { params }));
  }

  async export(): Promise<Tree> {
    const { directory } = this.reading;
    const body = directory ? { repoProjectDirectory: directory } : {};
    await exportTo(server, this.space, this.repository, body);
    return await treeOf(this.repository);
  }
}

async function readContent(spaceId: string): Promise<Schemas['Revision']> {
  return await ok(client().GET('/v1/spaces/{spaceId}/content', { params: { path: { spaceId } } }));
}

function outlineOf(imported: Imported, pages = imported.content.pages, indent = ''): string[] {
  return pages.flatMap((page) => {
    const target =
      page.type === 'link' ? targetOf(imported, page) : page.type === 'document' ? page.git?.path : undefined;
    const line = `${indent}${page.type} ${page.title}${target === undefined ? '' : ` | ${target}`}`;
    return [line, ...('pages' in page ? outlineOf(imported, page.pages, `${indent}  `) : [])];
  });
}

function targetOf(imported: Imported, { target }: Extract<Page, { type: 'link' }>): string {
  switch (target.kind) {
    case 'url':
      return target.url;
    case 'file':
      return `file ${imported.nameOf(target.file)}`;
    case 'page':
      return `page ${imported.nameOf(target.page)}`;
    case 'anchor':
      return `anchor ${imported.nameOf(target.page)}#${target.anchor}`;
    default:
      return target.kind;
  }
}

const nameOf = (step: RepositoryStep): string => `${step.change} ${'page' in step ? step.page : step.title}`;

/** Converts a step to changes of the API. */
async function changesOf(imported: Imported, step: RepositoryStep): Promise<Change[]> {
  switch (step.change) {
    case 'word': {
      const json = JSON.stringify(await imported.document(step.page));
      const [from, to] = [step.from, step.to].map((text) => JSON.stringify(text).slice(1, -1));
      expect(json.split(from ?? ''), `${step.page} contains "${step.from}" once`).toHaveLength(2);
      const document = JSON.parse(json.replace(from ?? '', to ?? '')) as Schemas['Document'];
      return [{ operation: 'update_page', page: imported.idOf(step.page), document }];
    }
    case 'title':
      return [{ operation: 'update_page', page: imported.idOf(step.page), title: step.title }];
    case 'add': {
      const { title, markdown, parent } = step;
      const into = parent === null ? null : imported.idOf(parent);
      return [{ operation: 'insert_page', title, into, document: { markdown } }];
    }
    case 'move':
      return [{ operation: 'update_page', page: imported.idOf(step.page), at: step.at }];
  }
}

/** Applies the expected replacements of a step to the files of a repository. */
function expectedTree(tree: Tree, step: RepositoryStep): Tree {
  const result = { ...tree };
  for (const [path, before, after] of step.expected) {
    const text = result[path] ?? '';
    expect(text.split(before), `${path} contains ${JSON.stringify(before)} once`).toHaveLength(2);
    result[path] = text.replace(before, () => after);
  }
  for (const [path, text] of step.change === 'add' ? Object.entries(step.created) : []) {
    result[path] = `100644 ${text}`;
  }
  return result;
}

describe.each(writtenRepositories)('the repository $name', (reading) => {
  let imported: Imported;
  beforeAll(async () => {
    imported = await Imported.create(reading);
  });

  test('has the pages, files and settings of its files', () => {
    expect(outlineOf(imported)).toEqual(reading.pages);
    expect(imported.content.files.map(({ git }) => git?.path).sort()).toEqual(reading.files);
    for (const [path, settings] of Object.entries(reading.settings ?? {})) {
      expect(imported.pages.find(({ git }) => git?.path === path)).toMatchObject(settings);
    }
  });

  test('has the blocks and links of its texts, without raw markup', async () => {
    const documents = await Promise.all(
      imported.pages.map(
        async ({ git }) => [git?.path ?? '', await imported.document(git?.path ?? '')] as const,
      ),
    );
    const blocks = documents.map(([path, document]) => [path, blocksOf(document)] as const);
    expect(Object.fromEntries(blocks.filter(([path]) => reading.blocks[path] !== undefined))).toEqual(
      reading.blocks,
    );
    const links = documents.map(
      ([path, document]) => [path, linksOf(document, (id) => imported.nameOf(id))] as const,
    );
    const linked = links.filter(([path, list]) => list.length > 0 || reading.links[path] !== undefined);
    expect(Object.fromEntries(linked)).toEqual(reading.links);
    expect(documents.map(([path, document]) => [path, rawMarkupIn(readWireDocument(document))])).toEqual(
      documents.map(([path]) => [path, []]),
    );
  });

  test('reports its broken links with their lines', async () => {
    const { items } = await ok(
      client().GET('/v1/spaces/{spaceId}/links', {
        params: { path: { spaceId: imported.space }, query: { status: 'broken' } },
      }),
    );
    const broken = items.flatMap(({ address = '', locationReferences }) =>
      locationReferences.map((location) => {
        const at = location.kind === 'page' ? location.internalLocation : undefined;
        const page = location.kind === 'page' ? imported.nameOf(location.page.id) : location.kind;
        const place = at?.type === 'node' && at.line !== undefined ? `${page}:${at.line}` : page;
        const withPaths = address.replace(/^\/pages\/(\w+)/, (_, id: string) =>
          id === (location.kind === 'page' ? location.page.id : '') ? '' : imported.nameOf(id),
        );
        return `${place} ${withPaths} (${(at?.type === 'node' && at.text) || ''})`;
      }),
    );
    expect(broken.sort()).toEqual([...reading.broken].sort());
  });

  test('is found by the words of its texts, and by no others', async () => {
    const search = async (query: string) => {
      const params = { path: { spaceId: imported.space }, query: { query } };
      const { items } = await ok(client().GET('/v1/spaces/{spaceId}/search', { params }));
      return items.map(({ id }) => imported.nameOf(id));
    };
    for (const [query, page] of Object.entries(reading.search)) {
      expect([query, (await search(query))[0]]).toEqual([query, page]);
    }
    for (const query of reading.notFound) {
      expect([query, await search(query)]).toEqual([query, []]);
    }
  });

  test('is unchanged by an export, and when its documents are sent back', async () => {
    expect(await imported.export()).toEqual(imported.tree);
    const changes = await Promise.all(
      imported.pages.map(async ({ id, git }): Promise<Change> => {
        return { operation: 'update_page', page: id, document: await imported.document(git?.path ?? '') };
      }),
    );
    await imported.change(changes);
    expect(await imported.export()).toEqual(imported.tree);
  });

  const steps = reading.steps.map((step) => [nameOf(step), step] as const);

  test.each(steps)('changes only the lines of a change: %s', async (_, step) => {
    await imported.change(await changesOf(imported, step));
    const expected = expectedTree(imported.tree, step);
    const exported = await imported.export();
    imported.tree = exported;
    expect(exported).toEqual(expected);
  });

  test('is the same content when it is imported again', async () => {
    const before = await readContent(imported.space);
    const { directory } = reading;
    await importRepository(
      server,
      imported.space,
      imported.repository,
      directory ? { repoProjectDirectory: directory } : {},
    );
    const after = await readContent(imported.space);
    const facts = (pages: readonly Page[]) =>
      flatten(pages).map(({ id, type, title }) => ({ id, type, title }));
    expect(facts(after.pages)).toEqual(facts(before.pages));
    expect(after.files.map(({ id }) => id)).toEqual(before.files.map(({ id }) => id));
  });
});
