import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { killTree } from '../support/processes/kill-tree.ts';

/** Clock ticks per second in `/proc`; a constant of the interface of Linux on all common architectures. */
const TICKS_PER_SECOND = 100;

/** Variable that marks the processes of a benchmark with the ID of its run. */
export const RUN_VARIABLE = 'COLOPHON_BENCH_RUN';

/** Maximum duration of ending the processes of a benchmark, in milliseconds. */
const END_TIMEOUT_MS = 30_000;
/** Interval of checks whether they have ended, in milliseconds. */
const END_CHECK_MS = 20;

/** Usage of a process and its running descendants; only on Linux. */
export interface TreeUsage {
  /** CPU time in milliseconds, including that of descendants that have ended. */
  cpuMs: number;
  /** Memory in bytes; pages that processes share count for each of them. */
  rss: number;
}

/** Returns the usage of a process and its descendants. */
export async function usageOfTree(root: number): Promise<TreeUsage> {
  const usage: TreeUsage = { cpuMs: 0, rss: 0 };
  for (const id of await treeOf(root)) {
    const { cpuMs, rss } = await usageOf(id);
    usage.cpuMs += cpuMs;
    usage.rss += rss;
  }
  return usage;
}

/** Returns the usage of a process, with the CPU time of descendants that have ended; only on Linux. */
export async function usageOf(id: number): Promise<TreeUsage> {
  const [stat = '', status = ''] = await Promise.all(
    ['stat', 'status'].map((file) => readFile(`/proc/${id}/${file}`, 'utf8').catch(() => '')),
  );
  const [user, system, usersOfEnded, systemsOfEnded] = fieldsOf(stat).slice(11, 15).map(Number);
  const ticks = [user, system, usersOfEnded, systemsOfEnded].reduce<number>(
    (sum, value = 0) => sum + value,
    0,
  );
  return {
    cpuMs: (ticks * 1000) / TICKS_PER_SECOND,
    rss: Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1024,
  };
}

/**
 * Runs a program, and returns the CPU time of it and its descendants in milliseconds, at least one clock tick. Its output
 * is discarded.
 */
export async function cpuOfProgram(
  program: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
): Promise<number> {
  const { stdout } = await promisify(execFile)('sh', ['-c', '"$@" >&2 && times', 'sh', program, ...args], {
    env: { ...process.env, ...environment },
  });
  // The first line is about the shell, the second about its children: their user time and system time.
  const [user = 0, system = 0] = Array.from(
    stdout
      .trimEnd()
      .split('\n')
      .at(-1)
      ?.matchAll(/(\d+)m([\d.]+)s/g) ?? [],
    ([, minutes, seconds]) => (Number(minutes) * 60 + Number(seconds)) * 1000,
  );
  return Math.max(user + system, 1000 / TICKS_PER_SECOND);
}

/** Fields of `/proc/<id>/stat` from the state on. The name of the program, in parentheses, may contain spaces. */
const fieldsOf = (stat: string): string[] => stat.slice(stat.lastIndexOf(')') + 2).split(' ');

/** Returns the IDs of a process and its running descendants. */
async function treeOf(root: number): Promise<number[]> {
  const children = new Map<number, number[]>();
  for (const id of await allProcesses()) {
    const stat = await readFile(`/proc/${id}/stat`, 'utf8').catch(() => '');
    const parent = Number(fieldsOf(stat)[1]);
    if (stat !== '') {
      children.set(parent, [...(children.get(parent) ?? []), id]);
    }
  }
  const tree = [root];
  for (const id of tree) {
    tree.push(...(children.get(id) ?? []));
  }
  return tree;
}

/** The processes of one benchmark. */
export interface ProcessGroup {
  /** ID of its first process, which leads a session and a process group. */
  leader: number;
  /** Value of {@link RUN_VARIABLE}. */
  run: string;
}

/**
 * Returns the running processes of a benchmark, even if their parents have ended: those with its mark in the
 * environment, and those of the session that its first process leads. Only on Linux.
 */
export async function processesOf({ leader, run }: ProcessGroup): Promise<number[]> {
  const found: number[] = [];
  for (const id of await allProcesses()) {
    const [stat = '', environment = ''] = await Promise.all(
      ['stat', 'environ'].map((file) => readFile(`/proc/${id}/${file}`, 'utf8').catch(() => '')),
    );
    const [state = '', , , session] = fieldsOf(stat);
    const isMarked = environment.split('\0').includes(`${RUN_VARIABLE}=${run}`);
    if ((isMarked || Number(session) === leader) && !/[ZX]/.test(state)) {
      found.push(id);
    }
  }
  return found;
}

/** Kills the processes of a benchmark, and their descendants. Rejects if some do not end. */
export async function endProcesses(group: ProcessGroup): Promise<void> {
  const deadline = performance.now() + END_TIMEOUT_MS;
  for (;;) {
    const left = await processesOf(group);
    if (left.length === 0) {
      break;
    }
    if (performance.now() > deadline) {
      throw new Error(`Processes of a benchmark do not end: ${left.join(', ')}. End them with kill -9.`);
    }
    await Promise.all(left.map((pid) => killTree({ pid })));
    await delay(END_CHECK_MS);
  }
  // On systems without /proc, at least the process group ends.
  try {
    process.kill(-group.leader, 'SIGKILL');
  } catch {
    // It ended.
  }
}

async function allProcesses(): Promise<number[]> {
  const names = await readdir('/proc').catch(() => []);
  return names.filter((name) => /^\d+$/.test(name)).map(Number);
}
