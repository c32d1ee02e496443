import { readFile } from 'node:fs/promises';
import { createClient, ok, waitForRun } from '../../../client/platform/index.ts';
import { manyPages } from '../../support/content/repositories.ts';
import { startGitServer } from '../../support/git/git-server.ts';
import { childrenOf } from '../../support/processes/kill-tree.ts';
import { amountFor, type Benchmark, type Size } from '../benchmark.ts';
import { onEachEngine } from '../engines.ts';
import { type Figure, ratioOf } from '../table.ts';

/** Timeout of an import. */
const IMPORT_LIMIT_MS = 600_000;

/** Maximum memory of the processes of a service during the import of a large repository. */
export const benchmark: Benchmark = {
  description: 'maximum memory during the import of a large Git repository',
  run,
};

async function run(size: Size, report: (figure: Figure) => void): Promise<void> {
  const pages = amountFor(size, { full: 20_000, tiny: 3 });
  const server = await startGitServer();
  const { url } = await server.createRepository(manyPages(pages));
  await onEachEngine(async ({ engine, startService }) => {
    const { url: baseUrl, token, pid, stop } = await startService();
    const client = createClient({ baseUrl, token });
    const organizationId = (await ok(client.GET('/v1/orgs'))).items[0]?.id ?? '';
    const inOrganization = { path: { organizationId } };
    const { id } = await ok(
      client.POST('/v1/orgs/{organizationId}/spaces', { params: inOrganization, body: {} }),
    );
    const params = { path: { spaceId: id } };
    // The oldest one.
    const [jobs] = childrenOf(pid).sort((a, b) => a - b);
    if (jobs === undefined) {
      throw new Error('The service has no process for jobs.');
    }
    const before = await peakOf(jobs);
    const body = { url, ref: 'refs/heads/main' };
    const started = client.POST('/v1/spaces/{spaceId}/git/import', { params, body });
    await waitForRun(client, started, { timeout: IMPORT_LIMIT_MS });
    const after = await peakOf(jobs);
    const service = await peakOf(pid);
    await stop();
    report({
      name: `peak memory of the process for jobs, Git import of ${pages.toLocaleString('en')} pages, on ${engine}`,
      result: `${megabytes(after)}, ${megabytes(service)} in the process for requests`,
      baseline: `${megabytes(before)} before`,
      ratio: ratioOf(after, before),
      target: 'under 450 MB',
    });
  });
  await server.close();
}

/** Returns the peak memory of a process so far, in bytes. */
async function peakOf(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024;
}

const megabytes = (bytes: number) => `${Math.round(bytes / 1_000_000)} MB`;
