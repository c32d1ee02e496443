import { randomBytes } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { createClient, ok, waitForRun } from '../../client/platform/index.ts';
import { startGitServer } from '../support/git-server.ts';
import { startChild } from './child.ts';
import { onEachEngine } from './engines.ts';
import { type Figure, median, milliseconds, time } from './table.ts';

const LARGE_BYTES = 200_000_000;
const SMALL_BYTES = 2_000_000;
const ROUNDS = 20;

/**
 * A file of 200 MB compared with one of 2 MB: memory of the processes that import and send it, delay of other callers
 * meanwhile, and time to read one byte of it.
 */
export async function measureFiles(): Promise<Figure[]> {
  const server = await startGitServer();
  const repositoryOf = async (size: number) =>
    (
      await server.createRepository({
        'README.md': '# File\n\n[file](file.bin)\n',
        'file.bin': randomBytes(size),
      })
    ).url;
  const [small, large] = [await repositoryOf(SMALL_BYTES), await repositoryOf(LARGE_BYTES)];
  const figures = await onEachEngine(async ({ engine, environment }) => {
    const service = await startChild('service', environment);
    const client = createClient({ baseUrl: service.url, token: service.token });
    const organizationId = (await ok(client.GET('/v1/orgs'))).items[0]?.id ?? '';
    const importFile = async (url: string): Promise<string> => {
      const space = await ok(
        client.POST('/v1/orgs/{organizationId}/spaces', {
          params: { path: { organizationId } },
          body: { title: 'File' },
        }),
      );
      const params = { path: { spaceId: space.id } };
      const body = { url, ref: 'refs/heads/main' };
      await waitForRun(client, client.POST('/v1/spaces/{spaceId}/git/import', { params, body }));
      const { items } = await ok(client.GET('/v1/spaces/{spaceId}/content/files', { params }));
      return items[0]?.downloadURL ?? '';
    };
    const smallFile = await importFile(small);
    await download(smallFile);
    const before = await peakMemory(service.pid);
    const idle = await longestWait(service.url, importFile(small));
    const importing = importFile(large);
    const busy = await longestWait(service.url, importing);
    const largeFile = await importing;
    const imported = await peakMemory(service.pid);
    await download(largeFile);
    const sent = await peakMemory(service.pid);
    const byteOf = async (address: string) => {
      const times: number[] = [];
      for (let round = 0; round < ROUNDS; round++) {
        times.push(await time(() => download(address, { range: 'bytes=1000000-1000000' })));
      }
      return median(times);
    };
    const [first, second] = [await byteOf(largeFile), await byteOf(smallFile)];
    await service.stop();
    return [
      {
        name: `peak memory of importing 200 MB, on ${engine}`,
        result: megabytes(imported),
        baseline: `${megabytes(before)} for 2 MB`,
        ratio: imported / before,
        target: 'at most 1.5x',
      },
      {
        name: `peak memory of sending 200 MB, on ${engine}`,
        result: megabytes(sent),
        baseline: `${megabytes(imported)} before`,
        ratio: sent / imported,
        target: 'at most 1.5x',
      },
      {
        name: `longest wait of another caller meanwhile, on ${engine}`,
        result: milliseconds(busy),
        baseline: `${milliseconds(idle)} for 2 MB`,
        target: 'under 250 ms',
      },
      {
        name: `one byte of 200 MB, on ${engine}`,
        result: milliseconds(first),
        baseline: `${milliseconds(second)} of 2 MB`,
        ratio: first / second,
        target: 'at most 2x',
      },
    ];
  });
  await server.close();
  return figures.flat();
}

async function download(address: string, headers: Record<string, string> = {}): Promise<void> {
  const { body } = await fetch(address, { headers });
  for await (const _ of body ?? []) {
    // Reads and discards it.
  }
}

/** Returns the milliseconds of the slowest of small sequential requests during some work. */
async function longestWait(url: string, work: Promise<unknown>): Promise<number> {
  let [done, longest] = [false, 0];
  const ended = work.finally(() => {
    done = true;
  });
  while (!done) {
    longest = Math.max(longest, await time(() => download(`${url}/healthz`)));
    await delay(2);
  }
  await ended;
  return longest;
}

/** Returns the maximum memory of any process of a service, excluding programs such as git. */
async function peakMemory(root: number): Promise<number> {
  const parents = new Map<number, { parent: number; name: string; peak: number }>();
  for (const entry of await readdir('/proc')) {
    const status = /^\d+$/.test(entry) && (await readFile(`/proc/${entry}/status`, 'utf8').catch(() => ''));
    if (!status) {
      continue;
    }
    const field = (name: string) => new RegExp(`^${name}:\\s+(\\S+)`, 'm').exec(status)?.[1] ?? '';
    const [parent, peak] = [Number(field('PPid')), Number(field('VmHWM')) * 1024];
    parents.set(Number(entry), { parent, name: field('Name'), peak });
  }
  const isOurs = (id: number): boolean => {
    const parent = parents.get(id);
    return id === root || (parent !== undefined && isOurs(parent.parent));
  };
  const peaks = [...parents]
    .filter(([id, { name }]) => isOurs(id) && name !== 'git')
    .map(([, { peak }]) => peak);
  return Math.max(...peaks);
}

const megabytes = (bytes: number) => `${Math.round(bytes / 1_000_000)} MB`;
