import { randomBytes } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { createClient, ok, waitForRun } from '../../../client/platform/index.ts';
import { startGitServer } from '../../support/git/git-server.ts';
import { type Amounts, amountFor, type Benchmark, type Size } from '../benchmark.ts';
import { onEachEngine } from '../engines.ts';
import { type Figure, median, megabytes, milliseconds, ratioOf, time } from '../table.ts';

const AMOUNTS: Amounts<{ largeBytes: number; smallBytes: number; rounds: number }> = {
  full: { largeBytes: 200_000_000, smallBytes: 2_000_000, rounds: 20 },
  tiny: { largeBytes: 2_000_000, smallBytes: 1_000_000, rounds: 1 },
};

/**
 * A file of 200 MB compared with one of 2 MB: memory of the processes that import and send it, delay of other callers
 * meanwhile, and time to read one byte of it.
 */
export const benchmark: Benchmark = {
  description: 'memory and delays of importing, sending and reading a large file, compared with a small one',
  run,
};

async function run(size: Size, report: (figure: Figure) => void): Promise<void> {
  const { largeBytes, smallBytes, rounds } = amountFor(size, AMOUNTS);
  const [largeFile, smallFile] = [megabytes(largeBytes), megabytes(smallBytes)];
  const server = await startGitServer();
  const repositoryOf = async (size: number) =>
    (
      await server.createRepository({
        'README.md': '# File\n\n[file](file.bin)\n',
        'file.bin': randomBytes(size),
      })
    ).url;
  const [small, large] = [await repositoryOf(smallBytes), await repositoryOf(largeBytes)];
  await onEachEngine(async ({ engine, startService }) => {
    const service = await startService();
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
    const smallAddress = await importFile(small);
    await download(smallAddress);
    const before = await peakMemory(service.pid);
    const idle = await longestWait(service.url, importFile(small));
    const importing = importFile(large);
    const busy = await longestWait(service.url, importing);
    const largeAddress = await importing;
    const imported = await peakMemory(service.pid);
    await download(largeAddress);
    const sent = await peakMemory(service.pid);
    const byteOf = async (address: string) => {
      const times: number[] = [];
      for (let round = 0; round < rounds; round++) {
        times.push(
          await time(() => download(address, { range: `bytes=${smallBytes / 2}-${smallBytes / 2}` })),
        );
      }
      return median(times);
    };
    const [first, second] = [await byteOf(largeAddress), await byteOf(smallAddress)];
    await service.stop();
    report({
      name: `peak memory of importing ${largeFile}, on ${engine}`,
      result: megabytes(imported),
      baseline: `${megabytes(before)} for ${smallFile}`,
      ratio: ratioOf(imported, before),
      target: 'at most 1.5x',
    });
    report({
      name: `peak memory of sending ${largeFile}, on ${engine}`,
      result: megabytes(sent),
      baseline: `${megabytes(imported)} before`,
      ratio: ratioOf(sent, imported),
      target: 'at most 1.5x',
    });
    report({
      name: `longest wait of another caller meanwhile, on ${engine}`,
      result: milliseconds(busy),
      baseline: `${milliseconds(idle)} for ${smallFile}`,
      ratio: ratioOf(busy, idle),
      target: 'under 250 ms',
    });
    report({
      name: `one byte of ${largeFile}, on ${engine}`,
      result: milliseconds(first),
      baseline: `${milliseconds(second)} of ${smallFile}`,
      ratio: ratioOf(first, second),
      target: 'at most 2x',
    });
  });
  await server.close();
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
