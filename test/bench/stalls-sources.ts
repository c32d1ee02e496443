import { type Client, createClient, ok, waitForRun } from '../../client/platform/index.ts';
import { computedEntry } from '../support/computed-pages.ts';
import { type GitServer, type ServedRepository, startGitServer } from '../support/git-server.ts';
import { manyPages } from '../support/repositories.ts';
import { startSite, type TestSite } from '../support/site.ts';
import { docx } from '../support/zip.ts';
import type { Child } from './child.ts';

/** A service that receives loads. */
export type MeasuredService = Pick<Child, 'url' | 'token'>;

/** Target of loads. */
export interface LoadTarget {
  service: MeasuredService;
  client: Client;
  organizationId: string;
  sources: Sources;
}

/** Sources of imports. Repositories are created on first use, which takes a minute. */
export interface Sources {
  git: GitServer;
  site: TestSite;
  repository(name: keyof typeof REPOSITORIES): Promise<ServedRepository>;
  close(): Promise<void>;
}

/** Maximum measured duration of a load. */
export const LOAD_LIMIT_MS = 120_000;

export const repeat = (text: string, bytes: number) => text.repeat(Math.ceil(bytes / text.length));

export const SPECIFICATION_SLUG = 'large';
const SPECIFICATION_SUMMARY = `* [Reference](README.md)\n${computedEntry(SPECIFICATION_SLUG)}`;

const REPOSITORIES = {
  manyPages: () => manyPages(20_000),
  variables: () => ({ ...manyPages(2000), '.gitbook/vars.yaml': 'product: Colophon\n' }),
  printed: () => manyPages(900),
  published: () => manyPages(1300),
  specification: () => ({ 'README.md': '# Reference\n', 'SUMMARY.md': SPECIFICATION_SUMMARY }),
  largeFile: () => ({
    'README.md': '# A file\n\n[file](large.bin)\n',
    'large.bin': Buffer.alloc(200_000_000, 'a'),
  }),
  frontMatter: () => ({ 'README.md': `---\na: ${'['.repeat(7_000_000)}\n---\n# A\n` }),
};

/** Creates the sources, once for all engines. */
export async function prepareLoads(): Promise<Sources> {
  const git = await startGitServer();
  const site = await startSite({
    '/large.html': `<main><ul>${repeat('<li>An item</li>', 2_500_000)}</ul></main>`,
    '/large.docx': (response) => response.end(docx(Array.from({ length: 100_000 }, () => ['', 'a']))),
  });
  const repositories = new Map<string, Promise<ServedRepository>>();
  return {
    git,
    site,
    repository: (name) => {
      const repository = repositories.get(name) ?? git.createRepository(REPOSITORIES[name]());
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
  return { service, client, organizationId, sources };
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
