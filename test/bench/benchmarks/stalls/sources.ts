import { type Client, createClient, ok, waitForRun } from '../../../../client/platform/index.ts';
import { computedEntry } from '../../../support/content/computed-pages.ts';
import { manyPages } from '../../../support/content/repositories.ts';
import type { CommitFiles } from '../../../support/git/git-files.ts';
import { type GitServer, type ServedRepository, startGitServer } from '../../../support/git/git-server.ts';
import { startSite, type TestSite } from '../../../support/http/site.ts';
import { docx } from '../../../support/zip.ts';
import type { Child } from '../../child.ts';

/** A service that receives loads. */
export type MeasuredService = Pick<Child, 'url' | 'token'>;

/** Target of loads. */
export interface LoadTarget {
  service: MeasuredService;
  client: Client;
  organizationId: string;
  sources: Sources;
  /** Factor of the sizes of the loads, at most 1. */
  scale: number;
}

/** Sources of imports. Repositories are created on first use, which takes a minute. */
export interface Sources {
  git: GitServer;
  site: TestSite;
  scale: number;
  repository(name: keyof typeof REPOSITORIES): Promise<ServedRepository>;
  close(): Promise<void>;
}

/** Maximum measured duration of a load. */
export const LOAD_LIMIT_MS = 120_000;

export const repeat = (text: string, bytes: number) => text.repeat(Math.ceil(bytes / text.length));

export const SPECIFICATION_SLUG = 'large';
const SPECIFICATION_SUMMARY = `* [Reference](README.md)\n${computedEntry(SPECIFICATION_SLUG)}`;

/** Files of repositories by a factor of their sizes. */
const REPOSITORIES = {
  manyPages: (scale) => manyPages(countOf(20_000, scale)),
  variables: (scale) => ({ ...manyPages(countOf(2000, scale)), '.gitbook/vars.yaml': 'product: Colophon\n' }),
  printed: (scale) => manyPages(countOf(900, scale)),
  published: (scale) => manyPages(countOf(1300, scale)),
  specification: () => ({ 'README.md': '# Reference\n', 'SUMMARY.md': SPECIFICATION_SUMMARY }),
  largeFile: (scale) => ({
    'README.md': '# A file\n\n[file](large.bin)\n',
    'large.bin': Buffer.alloc(countOf(200_000_000, scale), 'a'),
  }),
  frontMatter: (scale) => ({ 'README.md': `---\na: ${'['.repeat(countOf(7_000_000, scale))}\n---\n# A\n` }),
} satisfies Record<string, (scale: number) => CommitFiles>;

/** Returns a scaled number of pages or bytes; at least two pages. */
const countOf = (full: number, scale: number) => Math.max(2, Math.ceil(full * scale));

/** Creates the sources, once for all engines. */
export async function prepareLoads(scale: number): Promise<Sources> {
  const git = await startGitServer();
  const site = await startSite({
    '/large.html': `<main><ul>${repeat('<li>An item</li>', 2_500_000 * scale)}</ul></main>`,
    '/large.docx': (response) =>
      response.end(docx(Array.from({ length: countOf(100_000, scale) }, () => ['', 'a']))),
  });
  const repositories = new Map<string, Promise<ServedRepository>>();
  return {
    git,
    site,
    scale,
    repository: (name) => {
      const repository = repositories.get(name) ?? git.createRepository(REPOSITORIES[name](scale));
      repositories.set(name, repository);
      return repository;
    },
    close: async () => {
      await Promise.all([git.close(), site.close()]);
    },
  };
}

/** Creates the target for the first organization of a service. */
export async function createLoadTarget(service: MeasuredService, sources: Sources): Promise<LoadTarget> {
  const { url: baseUrl, token } = service;
  const client = createClient({ baseUrl, token, retries: 0, timeout: LOAD_LIMIT_MS });
  const organizationId = (await ok(client.GET('/v1/orgs'))).items[0]?.id ?? '';
  return { service, client, organizationId, sources, scale: sources.scale };
}

/** Creates a space. */
export async function newSpace({ client, organizationId }: LoadTarget): Promise<string> {
  const params = { path: { organizationId } };
  return (await ok(client.POST('/v1/orgs/{organizationId}/spaces', { params, body: {} }))).id;
}

/** Waits until the import has ended or failed. */
export async function importRepository(
  target: LoadTarget,
  name: keyof typeof REPOSITORIES,
  space?: string,
): Promise<string> {
  const { url } = await target.sources.repository(name);
  const spaceId = space ?? (await newSpace(target));
  const params = { path: { spaceId } };
  const body = { url, ref: 'refs/heads/main' };
  await waitForRun(target.client, target.client.POST('/v1/spaces/{spaceId}/git/import', { params, body }));
  return spaceId;
}
