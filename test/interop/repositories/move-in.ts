/** Moves a repository into the platform as a team would: import, publishing, an edit, and exports back. */
import { ok, waitForRun } from '../../../client/platform/index.ts';
import type { components } from '../../../generated/schema.d.ts';
import { batches } from '../../../server/database/batches.ts';
import { git as runGit } from '../../support/git-files.ts';
import type { GitServer, ServedRepository } from '../../support/git-server.ts';
import { flatten, readTree } from '../../support/imports.ts';
import { publishSite } from '../../support/published-site.ts';
import type { Service } from '../integrations/service.ts';
import { followLinks, type PublishedPage, readPublished } from './published.ts';
import { fileIn, type Source } from './source.ts';

type Schemas = components['schemas'];
type DocumentPage = Extract<Schemas['Page'], { type: 'document' }>;

/** Where repositories are moved to. */
export interface MovedTo {
  server: Service;
}

/** The cells of a repository in the table, and what readers and authors lose. */
export interface MoveResult {
  cells: string[];
  losses: string[];
}

/** The longest import or export of a large repository. */
const TIMEOUT_MS = 10 * 60_000;
/** Pages that are read at the same time. */
const CONCURRENT_PAGES = 4;
const REF = 'refs/heads/main';

/** Moves a repository in, and compares the result with the repository. */
export async function moveIn(
  { server, git }: MovedTo & { git: GitServer },
  source: Source,
): Promise<MoveResult> {
  const { client } = server.admin;
  const repository = await git.createEmptyRepository();
  await runGit(repository.folder, ['fetch', '--quiet', source.folder, `+HEAD:${REF}`]);
  const { id } = await ok(
    client.POST('/v1/orgs/{organizationId}/spaces', {
      params: { path: { organizationId: server.organization } },
      body: { title: source.name },
    }),
  );
  const params = { path: { spaceId: id } };
  const transfer = {
    url: repository.url,
    ref: REF,
    ...(source.directory !== '' && { repoProjectDirectory: source.directory }),
  };
  await waitForRun(client, client.POST('/v1/spaces/{spaceId}/git/import', { params, body: transfer }), {
    timeout: TIMEOUT_MS,
  });
  const pages = flatten(await readTree(client, id)).filter((page) => page.type === 'document');
  const tree = compareTree(source, pages);
  const { items } = await ok(
    client.GET('/v1/spaces/{spaceId}/links', { params: { ...params, query: { limit: 1000 } } }),
  );
  const broken = items.filter(({ status }) => status === 'broken').length;
  const read = await readSite(server, id, pages);
  const exported = await changesOf(server, repository, { spaceId: id, transfer });
  await editFirst(server, id, pages);
  const edited = await changesOf(server, repository, { spaceId: id, transfer });
  return {
    cells: [
      String(pages.length),
      String(tree.missing.length),
      String(tree.misplaced),
      `${read.links.pages}`,
      String(broken),
      String(read.links.anchors),
      String(read.links.dead.length),
      String(read.leftovers.length),
      exported.length === 0 ? 'empty' : `${exported.length} files`,
      edited.map(({ added, removed }) => `+${added} -${removed}`).join(', ') || 'empty',
    ],
    losses: [
      ...tree.missing.map((file) => `the page ${file} is missing`),
      ...(tree.misplaced > 0
        ? [`${tree.misplaced} pages have another order than the table of contents`]
        : []),
      ...read.links.dead.map((link) => `dead: ${link}`),
      ...read.leftovers,
      ...exported.map(({ path }) => `the unchanged export changes ${path}`),
      ...(edited.length === 1 ? [] : [`an edit of one page changes ${edited.length} files`]),
    ],
  };
}

/** Compares the order of the pages with the table of contents. */
function compareTree(source: Source, pages: readonly DocumentPage[]) {
  const positions = new Map(
    pages.flatMap(({ git }, at) => (git ? [[fileIn(source, git.path), at] as const] : [])),
  );
  const found = source.listed.flatMap((file) => positions.get(file) ?? []);
  return {
    missing: source.listed.filter((file) => !positions.has(file)),
    misplaced: found.filter((at, index) => index > 0 && at < (found[index - 1] ?? 0)).length,
  };
}

/** Publishes the space, and reads all its pages as visitors do. */
async function readSite(server: Service, space: string, pages: readonly DocumentPage[]) {
  const { url: site } = await publishSite(server, { visibility: 'public', spaces: [space] });
  const urls = pages.map(({ path }) => `${site}/${path.split('/').map(encodeURIComponent).join('/')}`);
  const published: PublishedPage[] = [];
  for (const batch of batches(urls, CONCURRENT_PAGES)) {
    published.push(...(await Promise.all(batch.map(readPublished))));
  }
  return {
    links: followLinks(published, site),
    leftovers: published.flatMap(({ url, leftovers }) =>
      leftovers.map((text) => `${url.replace(site, '')} shows ${text}`),
    ),
  };
}

/** Adds a paragraph to the first page through a change request, and merges it. */
async function editFirst({ admin: { client } }: Service, spaceId: string, [page]: readonly DocumentPage[]) {
  if (!page) {
    throw new Error('The repository has no pages.');
  }
  const path = { spaceId };
  const query = { format: 'markdown' } as const;
  const read = await ok(
    client.GET('/v1/spaces/{spaceId}/content/page/{pageId}', {
      params: { path: { ...path, pageId: page.id }, query },
    }),
  );
  const markdown = 'markdown' in read ? (read.markdown ?? '') : '';
  const { id } = await ok(
    client.POST('/v1/spaces/{spaceId}/change-requests', { params: { path }, body: {} }),
  );
  const params = { path: { ...path, changeRequestId: id } };
  const document = { markdown: `${markdown.trimEnd()}\n\nOne more paragraph.\n` };
  await ok(
    client.POST('/v1/spaces/{spaceId}/change-requests/{changeRequestId}/content', {
      params,
      body: { changes: [{ operation: 'update_page', page: page.id, document }] },
    }),
  );
  await ok(client.POST('/v1/spaces/{spaceId}/change-requests/{changeRequestId}/merge', { params }));
}

/** Exports the space, and returns the files that its commit changes, with their numbers of lines. */
async function changesOf(
  { admin: { client } }: Service,
  { folder }: ServedRepository,
  { spaceId, transfer }: { spaceId: string; transfer: { url: string; ref: string } },
) {
  const tip = async () => (await runGit(folder, ['rev-parse', REF])).trim();
  const before = await tip();
  const body = { ...transfer, commitMessage: 'Edit' };
  await waitForRun(
    client,
    client.POST('/v1/spaces/{spaceId}/git/export', { params: { path: { spaceId } }, body }),
    { timeout: TIMEOUT_MS },
  );
  const lines = (await runGit(folder, ['diff', '--numstat', '--no-renames', before, await tip()])).trim();
  return lines === ''
    ? []
    : lines.split('\n').map((line) => {
        const [added = '', removed = '', path = ''] = line.split('\t');
        return { added, removed, path };
      });
}
