/** Moves a repository into the platform as a team would: import, publishing, an edit, and exports back. */
import { ok, waitForRun } from '../../../client/platform/index.ts';
import type { components } from '../../../generated/schema.d.ts';
import { batches } from '../../../server/database/batches.ts';
import { flatten, readTree } from '../../support/content/imports.ts';
import { git as runGit } from '../../support/git/git-files.ts';
import type { GitServer, ServedRepository } from '../../support/git/git-server.ts';
import { publishSite } from '../../support/sites/published-site.ts';
import type { Service } from '../integrations/service.ts';
import { compareBodies, hasAnchor } from './bodies.ts';
import { type JudgedQuery, type JudgedSearch, judgeSearch, queriesOf, readPublicQueries } from './judged.ts';
import { type DeadLink, followLinks, type PublishedPage, readPublished } from './published.ts';
import type { Source } from './source.ts';

export type { Service } from '../integrations/service.ts';

type Schemas = components['schemas'];
/** A page of a space. */
export type DocumentPage = Extract<Schemas['Page'], { type: 'document' }>;

/** Where repositories are moved to. */
export interface MovedTo {
  server: Service;
}

/** Columns of the table. */
export const COLUMNS = [
  'pages',
  'missing',
  'order',
  'bytes',
  'links',
  'broken',
  'anchors',
  'dead',
  'gone',
  'notes',
  'includes',
  'search',
  'export',
  'edit',
] as const;

/** The cells of a repository in the table, and what readers and authors lose. */
export interface MoveResult {
  cells: Record<(typeof COLUMNS)[number], string>;
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
  queries: readonly JudgedQuery[] = queriesOf(readPublicQueries(), source.name),
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
  const started = client.POST('/v1/spaces/{spaceId}/git/import', { params, body: transfer });
  const { problems } = await waitForRun(client, started, { timeout: TIMEOUT_MS });
  const pages = flatten(await readTree(client, id)).filter((page) => page.type === 'document');
  const tree = compareTree(source, pages);
  const { items } = await ok(
    client.GET('/v1/spaces/{spaceId}/links', { params: { ...params, query: { limit: 1000 } } }),
  );
  const broken = items.filter(({ status }) => status === 'broken').length;
  const read = await readSite(server, source, { spaceId: id, pages });
  const search = await judgeSearch(read, queries);
  const bodies = await compareBodies(server, source, { spaceId: id, pages });
  const failedIncludes = problems.filter(({ message }) => message.includes('was not included'));
  const exported = await changesOf(server, repository, { spaceId: id, transfer });
  await editFirst(server, id, pages);
  const edited = await changesOf(server, repository, { spaceId: id, transfer });
  return {
    cells: {
      pages: String(pages.length),
      missing: String(tree.missing.length),
      order: String(tree.misplaced),
      bytes: `${pages.length - bodies.changed.length}/${pages.length}`,
      links: String(read.links.pages),
      broken: String(broken),
      anchors: String(read.links.anchors),
      dead: String(read.dead.length),
      gone: String(read.links.dead.length - read.dead.length),
      notes: `${read.notes}/${bodies.notes}`,
      includes: `${bodies.includes - failedIncludes.length}/${bodies.includes}`,
      search: rightOf(search),
      export: exported.length === 0 ? 'empty' : `${exported.length} files`,
      edit: edited.map(({ added, removed }) => `+${added} -${removed}`).join(', ') || 'empty',
    },
    losses: [
      ...tree.missing.map((file) => `the page ${file} is missing`),
      ...(tree.misplaced > 0
        ? [`${tree.misplaced} pages have another order than the table of contents`]
        : []),
      ...bodies.changed.map((file) => `the page ${file} has other bytes than its file`),
      ...(read.notes < bodies.notes ? [`${bodies.notes - read.notes} notes are not shown`] : []),
      ...failedIncludes.map(({ file, message }) => `${file ?? 'a file'}: ${message}`),
      ...read.dead.map(({ text }) => `dead: ${text}`),
      ...read.leftovers,
      ...search.wrong.map(
        ({ query, titles }) =>
          `the search of "${query}" finds ${titles.map((title) => `"${title}"`).join(', ') || 'nothing'}`,
      ),
      ...exported.map(({ path }) => `the unchanged export changes ${path}`),
      ...(edited.length === 1 ? [] : [`an edit of one page changes ${edited.length} files`]),
    ],
  };
}

/** Formats the number of right queries; `-` without queries. */
const rightOf = ({ queries, wrong }: JudgedSearch): string =>
  queries === 0 ? '-' : `${queries - wrong.length}/${queries}`;

/** Compares the order of the pages with the table of contents. */
function compareTree(source: Source, pages: readonly DocumentPage[]) {
  const positions = new Map(pages.flatMap(({ git }, at) => (git ? [[git.path, at] as const] : [])));
  const found = source.listed.flatMap((file) => positions.get(file) ?? []);
  return {
    missing: source.listed.filter((file) => !positions.has(file)),
    misplaced: found.filter((at, index) => index > 0 && at < (found[index - 1] ?? 0)).length,
  };
}

/** Publishes the space, and reads all its pages as visitors do. */
async function readSite(
  server: Service,
  source: Source,
  { spaceId, pages }: { spaceId: string; pages: readonly DocumentPage[] },
) {
  const { url: site } = await publishSite(server, { visibility: 'public', spaces: [spaceId] });
  const files = new Map(
    pages.map(({ path, git }) => [`${site}/${path.split('/').map(encodeURIComponent).join('/')}`, git?.path]),
  );
  const published: PublishedPage[] = [];
  for (const batch of batches([...files.keys()], CONCURRENT_PAGES)) {
    published.push(...(await Promise.all(batch.map(readPublished))));
  }
  const links = followLinks(published, site);
  const dead: DeadLink[] = [];
  for (const link of links.dead) {
    const file = link.target === undefined ? undefined : files.get(link.target);
    if (file === undefined || hasAnchor(await source.read(file), link.anchor)) {
      dead.push(link);
    }
  }
  return {
    site,
    files,
    links,
    /** Links that are dead, though the repository has the anchor. */
    dead,
    notes: published.reduce((sum, { notes }) => sum + notes, 0),
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
