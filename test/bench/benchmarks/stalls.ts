import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createClient, ok } from '../../../client/platform/index.ts';
import { REPLACEMENT_IDLE_MS } from '../../../server/jobs/supervisor.ts';
import { type Amounts, amountFor, type Benchmark, type Size } from '../benchmark.ts';
import { type Child, nextMessage, startChild } from '../child.ts';
import type { LoadEnd, LoadRequest } from '../children/caller.ts';
import type { Turn } from '../children/channel.ts';
import { type Exchange, exchangesFor } from '../children/exchanges.ts';
import type { Delays, Probe } from '../children/prober.ts';
import { onEachEngine } from '../engines.ts';
import { usageOfTree } from '../processes.ts';
import { type Figure, milliseconds, ratioOf } from '../table.ts';
import { LOADS } from './stalls/loads.ts';
import { LOAD_LIMIT_MS } from './stalls/sources.ts';

/** Amounts of work of a run. */
interface StallAmounts {
  /** Measures each nth load. */
  step: number;
  /** Factor of the sizes of the loads. */
  scale: number;
  /** Minimum duration of a load, in a full run a hundred requests of the second caller. */
  measuredMs: number;
  /** Time for a new server to finish its own work, such as compiling validators. */
  settledMs: number;
  /** Time without work and without a decrease for memory to count as settled. */
  memorySettledMs: number;
}

const AMOUNTS: Amounts<StallAmounts> = {
  full: {
    step: 1,
    scale: 1,
    measuredMs: 1000,
    settledMs: 10_000,
    // Idle processes retain memory for a shorter time.
    memorySettledMs: REPLACEMENT_IDLE_MS + 20_000,
  },
  tiny: { step: 5, scale: 0.0002, measuredMs: 50, settledMs: 0, memorySettledMs: 0 },
};
/** Interval of measurements of memory. */
const MEMORY_INTERVAL_MS = 1000;
/** Maximum memory after the loads, relative to that before. */
const MEMORY_TARGET = 1.5;
/** Decrease of memory that counts. */
const MEMORY_STEP = 0.02;
/** Maximum time for memory to settle after the loads. */
const MEMORY_DEADLINE_MS = 600_000;
/** Maximum processor share of an idle service. Above it, the service is still working, such as on a job of a load. */
const WORKING_SHARE = 0.2;

/** Substring of the loads to measure; all by default. */
const ONLY = process.env.COLOPHON_BENCH_LOADS ?? '';

/** Measurements during a load. */
interface LoadDelays {
  /** Delays of the second caller's requests to the service. */
  platform: Delays;
  /** Delays of its concurrent requests to bare Express, which are caused by the machine. */
  express: Delays;
  /** Longest turn of the service's thread for requests. */
  turn: Turn;
}

/**
 * Delays of a second caller while the first one sends large or hostile requests: 99th percentile and maximum,
 * compared with those of a server that does nothing else.
 */
export const benchmark: Benchmark = {
  description: 'delays of a caller while another one sends large or hostile requests, and memory afterwards',
  run,
};

async function run(size: Size, report: (figure: Figure) => void): Promise<void> {
  const { step, scale, measuredMs, settledMs, memorySettledMs } = amountFor(size, AMOUNTS);
  const caller = await startCaller(scale);
  await onEachEngine(async ({ engine, startService }) => {
    const service = await startService();
    const bare = await startChild('express', exchangesFor([BARE]));
    const probers = [await startServiceProber(service), await startProber(bare, [BARE.target])];
    const measure = async (): Promise<LoadDelays> => {
      const [platform, express] = await Promise.all(probers.map((prober) => prober.report()));
      if (!platform || !express) {
        throw new Error('There are two probers.');
      }
      return { platform, express, turn: (await service.usage()).turn };
    };
    await delay(settledMs);
    await measure();
    await delay(5 * measuredMs);
    report(figure('nothing', engine, await measure()));
    const memoryBefore = (await usageOfTree(service.pid)).rss;
    let memoryPeak = memoryBefore;
    for (const [index, label] of Object.keys(LOADS).entries()) {
      if (!label.includes(ONLY) || index % step !== 0) {
        continue;
      }
      const began = performance.now();
      // Requests of the first caller may be rejected: only the second one is measured.
      const note = await Promise.race([
        caller.send({ service: { url: service.url, token: service.token }, label }),
        delay(LOAD_LIMIT_MS, ' (not over after two minutes)'),
      ]);
      await delay(Math.max(0, measuredMs - (performance.now() - began)));
      const scaled = scale === 1 ? '' : ` (${scale} of its size)`;
      report(figure(label + scaled + note, engine, await measure()));
      memoryPeak = Math.max(memoryPeak, (await usageOfTree(service.pid)).rss);
    }
    for (const { child } of probers) {
      child.kill('SIGKILL');
    }
    const settled = await settledMemory(service, memorySettledMs);
    report(memoryFigure(engine, { before: memoryBefore, peak: memoryPeak, ...settled }));
    await Promise.all([service.stop(), bare.stop()]);
  });
  await caller.stop();
}

/** Request to bare Express. */
const BARE: Exchange = {
  operation: 'getUser',
  method: 'GET',
  target: '/v1/user',
  pathname: '/v1/user',
  status: 200,
  body: { object: 'user', id: 'usr_bare', displayName: 'Bare' },
};

function figure(label: string, engine: string, { platform, express, turn }: LoadDelays): Figure {
  const rejected = platform.failed > 0 ? `, ${platform.failed} failed` : '';
  const longest = `longest turn ${milliseconds(turn.cpu)} of CPU, ${milliseconds(turn.blocked)} with its waits for the disk`;
  return {
    name: `a second caller during ${label}, on ${engine}`,
    result: `p99 ${milliseconds(platform.p99)}, max ${milliseconds(platform.max)} of ${platform.count}${rejected}; ${longest}`,
    baseline: `bare Express at the same time: p99 ${milliseconds(express.p99)}, max ${milliseconds(express.max)}`,
    ratio: ratioOf(platform.p99, express.p99),
    target: 'p99 under 50 ms, max under 250 ms',
  };
}

/** Memory of a service after the loads. */
interface SettledMemory {
  after: number;
  /** Time until it settled, or the deadline. */
  waitedMs: number;
}

/** Returns the memory of a service when it is idle and no longer decreases, at the latest after the deadline. */
async function settledMemory(service: Child, settledMs: number): Promise<SettledMemory> {
  const began = performance.now();
  let lowest = Number.POSITIVE_INFINITY;
  let changedAt = began;
  let previous = { at: began, cpuMs: Number.POSITIVE_INFINITY };
  for (;;) {
    const { rss, cpuMs } = await usageOfTree(service.pid);
    const now = performance.now();
    const isWorking = cpuMs - previous.cpuMs > WORKING_SHARE * (now - previous.at);
    previous = { at: now, cpuMs };
    if (isWorking || rss < (1 - MEMORY_STEP) * lowest) {
      lowest = Math.min(lowest, rss);
      changedAt = now;
    }
    const waitedMs = now - began;
    if (now - changedAt >= settledMs || waitedMs > MEMORY_DEADLINE_MS) {
      return { after: rss, waitedMs };
    }
    await delay(MEMORY_INTERVAL_MS);
  }
}

function memoryFigure(
  engine: string,
  { before, peak, after, waitedMs }: SettledMemory & { before: number; peak: number },
): Figure {
  const megabytes = (bytes: number) => `${Math.round(bytes / 1_000_000)} MB`;
  return {
    name: `memory of all processes of the service after these loads, on ${engine}`,
    result: `${megabytes(after)} after ${Math.round(waitedMs / 1000)} s without load, ${megabytes(peak)} after the largest`,
    baseline: `${megabytes(before)} before`,
    ratio: ratioOf(after, before),
    target: `at most ${MEMORY_TARGET}x`,
  };
}

/** The first caller, in a separate process. */
interface Caller {
  /** Sends a load. Resolves at its end with a note, which is empty unless it failed. */
  send(load: LoadRequest): Promise<string>;
  stop(): Promise<void>;
}

async function startCaller(scale: number): Promise<Caller> {
  const child = fork(join(import.meta.dirname, '../children', 'caller.ts'), [String(scale)]);
  await nextMessage(child);
  return {
    send: (load) => {
      const { promise, resolve } = Promise.withResolvers<string>();
      const receive = ({ label, note }: LoadEnd) => {
        // A load that exceeded its limit may end during a later one.
        if (label === load.label) {
          child.off('message', receive);
          resolve(note);
        }
      };
      child.on('message', receive);
      child.send(load);
      return promise;
    },
    stop: async () => {
      child.disconnect();
      await once(child, 'exit');
    },
  };
}

/** A client of a server, in a separate process. */
interface Prober {
  child: ChildProcess;
  /** Returns its delays since the last call. */
  report(): Promise<Delays>;
}

async function startServiceProber(service: Child): Promise<Prober> {
  const client = createClient({ baseUrl: service.url, token: service.token, retries: 0 });
  // A separate organization, so that limits of the first caller do not affect the second.
  const { id } = await ok(client.POST('/v1/orgs', { body: { title: 'Second' } }));
  const params = { path: { organizationId: id } };
  const space = await ok(client.POST('/v1/orgs/{organizationId}/spaces', { params, body: {} }));
  return await startProber(service, [
    '/v1/user',
    `/v1/spaces/${space.id}`,
    `/v1/orgs/${id}/spaces`,
    `/v1/spaces/${space.id}/content/pages`,
  ]);
}

async function startProber({ url, token }: Child, targets: string[]): Promise<Prober> {
  const child = fork(join(import.meta.dirname, '../children', 'prober.ts'));
  child.send({ url, token, targets } satisfies Probe);
  await nextMessage(child);
  return {
    child,
    report: async () => {
      child.send('report');
      return await nextMessage<Delays>(child);
    },
  };
}
