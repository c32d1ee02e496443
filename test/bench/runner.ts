import { type ChildProcess, fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { FOLDER_VARIABLE, TEMPORARY_FOLDER } from '../support/processes/temporary.ts';
import type { BenchmarkMessage, BenchmarkOptions, BenchmarkRequest, Size } from './benchmark.ts';
import { dropDatabases } from './engines.ts';
import { endProcesses, type ProcessGroup, RUN_VARIABLE } from './processes.ts';
import type { BenchmarkModule } from './registry.ts';
import type { Figure } from './table.ts';

/** Maximum duration of one benchmark, in milliseconds. */
export const DEADLINE_MS: Readonly<Record<Size, number>> = {
  full: 60 * 60_000,
  small: 10 * 60_000,
  tiny: 2 * 60_000,
};
/** Characters of the output of a failed benchmark that are reported. */
const MAX_OUTPUT_CHARACTERS = 4000;

/** Result of a benchmark. */
export interface BenchmarkResult {
  name: string;
  /** The figures that it measured; those before the failure if it failed. */
  figures: Figure[];
  /** Why it failed. */
  failure?: string;
  durationMs: number;
}

/** A benchmark that started, and what is removed when it ends. */
export interface StartedBenchmark {
  processes: ProcessGroup;
  /** Its temporary folders. */
  folders: readonly string[];
}

/** Options of {@link runBenchmarks}. */
export interface RunOptions extends BenchmarkOptions {
  size: Size;
  /** Ends the running benchmark, and starts no other. */
  signal?: AbortSignal;
  /** Maximum duration of one benchmark, in milliseconds; {@link DEADLINE_MS} by default. */
  deadlineMs?: number;
  /** Variables for the benchmarks, in addition to those of this process. */
  environment?: Readonly<Record<string, string>>;
  /** Called when a benchmark starts. */
  onStart?: (name: string, started: StartedBenchmark) => void;
  /** Called with each figure when it is measured. */
  onFigure?: (name: string, figure: Figure) => void;
  /** Called when a benchmark and all of its processes have ended. */
  onEnd?: (result: BenchmarkResult) => void;
}

/**
 * Runs benchmarks one after the other, each in a process of its own. However a benchmark ends, its processes are ended
 * and its temporary files are removed, and the next one starts.
 */
export async function runBenchmarks(
  benchmarks: readonly BenchmarkModule[],
  options: RunOptions,
): Promise<BenchmarkResult[]> {
  const results: BenchmarkResult[] = [];
  for (const benchmark of benchmarks) {
    if (options.signal?.aborted) {
      break;
    }
    const result = await runBenchmark(benchmark, options);
    results.push(result);
    options.onEnd?.(result);
  }
  return results;
}

async function runBenchmark(benchmark: BenchmarkModule, options: RunOptions): Promise<BenchmarkResult> {
  const { name } = benchmark;
  const startedAt = performance.now();
  const run = randomBytes(8).toString('hex');
  const figures: Figure[] = [];
  // Only a full run measures writes to the disk.
  const parents = [options.size === 'full' ? tmpdir() : TEMPORARY_FOLDER, TEMPORARY_FOLDER];
  const folders = await Promise.all(parents.map((parent) => mkdtemp(join(parent, 'colophon-bench-'))));
  const [disk = '', memory = ''] = folders;
  // PostgreSQL runs as another user.
  await chmod(memory, 0o755);
  const failures: string[] = [];
  try {
    const child = fork(join(import.meta.dirname, 'benchmark-process.ts'), {
      env: {
        ...process.env,
        ...options.environment,
        [RUN_VARIABLE]: run,
        [FOLDER_VARIABLE]: memory,
        TMPDIR: disk,
      },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      // A signal from the terminal reaches only the runner, which ends the processes of the benchmark.
      detached: true,
      execArgv: [],
    });
    const output = collectOutput(child);
    if (child.pid === undefined) {
      await once(child, 'error');
    }
    // A child without an error has an ID.
    const group: ProcessGroup = { leader: child.pid ?? 0, run };
    try {
      options.onStart?.(name, { processes: group, folders });
      const failure = await outcomeOf(child, benchmark, options, (figure) => {
        figures.push(figure);
        options.onFigure?.(name, figure);
      });
      if (failure !== undefined) {
        failures.push([failure, output()].filter(Boolean).join('\n'));
      }
    } finally {
      await endProcesses(group);
      await dropDatabases(run);
    }
  } catch (error) {
    failures.push(String(error));
  }
  for (const folder of folders) {
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
  if (failures.length === 0 && figures.length === 0) {
    failures.push('It reported no figures.');
  }
  return {
    name,
    figures,
    ...(failures.length > 0 && { failure: failures.join('\n') }),
    durationMs: performance.now() - startedAt,
  };
}

/** Waits until a benchmark ends. Returns why it failed, or undefined. */
async function outcomeOf(
  child: ChildProcess,
  { module }: BenchmarkModule,
  { size, signal, against, deadlineMs = DEADLINE_MS[size] }: RunOptions,
  report: (figure: Figure) => void,
): Promise<string | undefined> {
  const { promise, resolve } = Promise.withResolvers<string | undefined>();
  // Only the process of a benchmark sends messages.
  child.on('message', (message: BenchmarkMessage) => {
    if (message === 'done') {
      resolve(undefined);
    } else if ('figure' in message) {
      report(message.figure);
    } else {
      resolve(message.failure);
    }
  });
  child.once('error', (error) => resolve(`Its process failed: ${error}`));
  child.once('exit', (code, killedBy) => resolve(`Its process ended with ${killedBy ?? `status ${code}`}.`));
  const timer = setTimeout(
    () => resolve(`It did not end within ${deadlineMs / 1000} seconds and was stopped.`),
    deadlineMs,
  );
  const abort = () => resolve('It was interrupted.');
  signal?.addEventListener('abort', abort, { once: true });
  child.send({ module, size, options: { against } } satisfies BenchmarkRequest, (error) => {
    if (error) {
      resolve(`Its process did not start: ${error}`);
    }
  });
  const failure = await promise;
  clearTimeout(timer);
  signal?.removeEventListener('abort', abort);
  return failure;
}

/** Reads the output of a process. Returns a function that returns its end. */
function collectOutput({ stdout, stderr }: ChildProcess): () => string {
  let text = '';
  for (const stream of [stdout, stderr].filter((stream): stream is Readable => stream !== null)) {
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      text = (text + chunk).slice(-MAX_OUTPUT_CHARACTERS);
    });
  }
  return () => text.trim();
}
