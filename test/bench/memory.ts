import { readFile } from 'node:fs/promises';
import { createClient, ok, waitForRun } from '../../client/platform/index.ts';
import { type OperationEntry, operations } from '../../generated/operations.ts';
import { startGitServer } from '../support/git-server.ts';
import { manyPages } from '../support/repositories.ts';
import { startChild } from './child.ts';
import { onEachEngine } from './engines.ts';
import type { Figure } from './table.ts';

/** Memory of the service before and after a request to every operation, which compiles all validators. */
export async function measureMemory(): Promise<Figure[]> {
  return await onEachEngine(async ({ engine, environment }) => {
    const { url, token, usage, stop } = await startChild('service', environment);
    const before = (await usage()).rss;
    for (const [id, { method, path, body }] of Object.entries<OperationEntry>(operations)) {
      const response = await fetch(url + path.replaceAll(/\{\w+\}/g, 'nothing'), {
        method: method.toUpperCase(),
        headers: { Authorization: `Bearer ${token}`, ...(body && { 'Content-Type': 'application/json' }) },
        ...(body && { body: '{}' }),
      });
      await response.arrayBuffer();
      if (response.status === 500) {
        throw new Error(`${id} returned 500.`);
      }
    }
    const after = (await usage()).rss;
    await stop();
    return {
      name: `memory after every operation, on ${engine}`,
      result: megabytes(after),
      baseline: `${megabytes(before)} after the start`,
      ratio: after / before,
      target: 'under 250 MB',
    };
  });
}

/** Maximum memory of the processes of a service during the import of a large repository. */
export async function measureImportMemory(): Promise<Figure[]> {
  const server = await startGitServer();
  const { url } = await server.createRepository(manyPages(IMPORTED_PAGES));
  const figures = await onEachEngine(async ({ engine, environment }) => {
    const { url: baseUrl, token, pid, stop } = await startChild('service', environment);
    const client = createClient({ baseUrl, token });
    const organizationId = (await ok(client.GET('/v1/orgs'))).items[0]?.id ?? '';
    const inOrganization = { path: { organizationId } };
    const { id } = await ok(
      client.POST('/v1/orgs/{organizationId}/spaces', { params: inOrganization, body: {} }),
    );
    const params = { path: { spaceId: id } };
    const [jobs] = await childrenOf(pid);
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
    return {
      name: `peak memory of the process for jobs, Git import of ${IMPORTED_PAGES.toLocaleString('en')} pages, on ${engine}`,
      result: `${megabytes(after)}, ${megabytes(service)} in the process for requests`,
      baseline: `${megabytes(before)} before`,
      ratio: after / before,
      target: 'under 450 MB',
    };
  });
  await server.close();
  return figures;
}

const IMPORTED_PAGES = 20_000;
/** Timeout of an import. */
const IMPORT_LIMIT_MS = 600_000;

/** Returns the processes that a process started, oldest first; only on Linux. */
async function childrenOf(pid: number): Promise<number[]> {
  const text = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8');
  return text.split(' ').filter(Boolean).map(Number);
}

/** Returns the peak memory of a process so far, in bytes. */
async function peakOf(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024;
}

const megabytes = (bytes: number) => `${Math.round(bytes / 1_000_000)} MB`;
