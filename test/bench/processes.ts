import { readdir, readFile } from 'node:fs/promises';

/** Clock ticks per second in `/proc`; a constant of the interface of Linux on all common architectures. */
const TICKS_PER_SECOND = 100;

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
    const [stat, status] = await Promise.all(
      ['stat', 'status'].map((file) => readFile(`/proc/${id}/${file}`, 'utf8').catch(() => '')),
    );
    // The name of the program, in parentheses, may contain spaces.
    const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ') ?? [];
    const [user, system, usersOfEnded, systemsOfEnded] = fields.slice(11, 15).map(Number);
    const ticks = [user, system, usersOfEnded, systemsOfEnded].reduce<number>(
      (sum, value = 0) => sum + value,
      0,
    );
    usage.cpuMs += (ticks * 1000) / TICKS_PER_SECOND;
    usage.rss += Number(/^VmRSS:\s+(\d+) kB$/m.exec(status ?? '')?.[1] ?? 0) * 1024;
  }
  return usage;
}

/** Returns the IDs of a process and its running descendants. */
async function treeOf(root: number): Promise<number[]> {
  const children = new Map<number, number[]>();
  for (const name of await readdir('/proc')) {
    const stat = /^\d+$/.test(name) ? await readFile(`/proc/${name}/stat`, 'utf8').catch(() => '') : '';
    const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
    if (stat !== '') {
      children.set(parent, [...(children.get(parent) ?? []), Number(name)]);
    }
  }
  const tree = [root];
  for (const id of tree) {
    tree.push(...(children.get(id) ?? []));
  }
  return tree;
}
