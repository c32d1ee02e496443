import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { killTree } from '../../support/processes/kill-tree.ts';
import { amountFor, type Benchmark, type Size } from '../benchmark.ts';
import { inheritedVariables, startChild } from '../child.ts';
import { usageOfTree } from '../processes.ts';
import { type Figure, median, milliseconds, ratioOf } from '../table.ts';

const ROOT = join(import.meta.dirname, '../../..');
const TOKEN = 'the token of a measured server, long enough'.replaceAll(' ', '-');

/** CPU and time from the start of the process to its first response, which required a token and the database. */
export const benchmark: Benchmark = {
  description: 'CPU and time from the start of the server to its first response, compared with bare Express',
  run,
};

/** What a start took until the first response, in milliseconds. */
interface Start {
  /** Of all processes. */
  cpuMs: number;
  timeMs: number;
}

async function run(size: Size, report: (figure: Figure) => void): Promise<void> {
  const rounds = amountFor(size, { full: 9, tiny: 1 });
  // Compiles the modules, which later processes find in the cache.
  await startService(await newFolder(), { isStopped: true });
  const starts = { bare: [] as Start[], first: [] as Start[], later: [] as Start[], uncached: [] as Start[] };
  for (let round = 0; round < rounds; round++) {
    const folder = await newFolder();
    starts.bare.push(await startBare());
    starts.first.push(await startService(folder));
    starts.later.push(await startService(folder));
    starts.uncached.push(await startService(folder, { environment: { NODE_DISABLE_COMPILE_CACHE: '1' } }));
  }
  const medianOf = (measured: readonly Start[], unit: keyof Start) =>
    median(measured.map((start) => start[unit]));
  const compare = (name: string, measured: readonly Start[], target?: string) => {
    for (const [unit, label] of [
      ['cpuMs', 'CPU'],
      ['timeMs', 'time'],
    ] as const) {
      const [result, bare] = [medianOf(measured, unit), medianOf(starts.bare, unit)];
      report({
        name: `${label} of ${name}`,
        result: milliseconds(result),
        baseline: `${milliseconds(bare)} bare Express`,
        ratio: ratioOf(result, bare),
        ...(unit === 'cpuMs' && target !== undefined && { target }),
      });
    }
  };
  compare('the first start to the first response', starts.first, 'at most 4x');
  compare('a later start to the first response', starts.later, 'at most 4x');
  compare('a start without compiled code to the first response', starts.uncached);
}

const newFolder = () => mkdtemp(join(tmpdir(), 'colophon-bench-'));

async function startBare(): Promise<Start> {
  const startedAt = performance.now();
  const child = await startChild('express');
  await fetch(child.url);
  const start = await startOf(child, startedAt);
  await child.stop();
  return start;
}

/** @param options.isStopped whether the server stops by itself, which writes the compiled code, instead of being killed */
async function startService(
  folder: string,
  { environment = {}, isStopped = false }: { environment?: Record<string, string>; isStopped?: boolean } = {},
): Promise<Start> {
  const startedAt = performance.now();
  const child = spawn(process.execPath, ['--max-semi-space-size=32', 'server/start.js'], {
    env: {
      ...inheritedVariables(),
      ...environment,
      PORT: '0',
      COLOPHON_DATA: folder,
      COLOPHON_BOOTSTRAP_TOKEN: TOKEN,
    },
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const response = await fetch(`${await urlOf(child.stdout)}/v1/user`, {
    headers: { Authorization: `Bearer ${TOKEN}` },
  });
  const start = await startOf(child, startedAt);
  if (!response.ok) {
    throw new Error(`A measured server responded with ${response.status}.`);
  }
  if (isStopped) {
    child.kill();
    await once(child, 'exit');
  }
  await killTree(child);
  return start;
}

/** Returns the URL that a server prints. */
async function urlOf(stdout: Readable): Promise<string> {
  for await (const line of createInterface({ input: stdout })) {
    const [, url] = /^Documentation: (.*)\/docs$/.exec(line) ?? [];
    if (url !== undefined) {
      return url;
    }
  }
  throw new Error('A measured server ended by itself.');
}

async function startOf({ pid = 0 }: { pid?: number | undefined }, startedAt: number): Promise<Start> {
  const timeMs = performance.now() - startedAt;
  return { cpuMs: (await usageOfTree(pid)).cpuMs, timeMs };
}
