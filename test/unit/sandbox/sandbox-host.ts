/** Runs a script that never returns and another script, and sends the IDs of their processes to its parent. */
import { execFileSync } from 'node:child_process';
import { callScript, handling, sandboxOf, scriptOf } from './scripts.ts';

const sandbox = sandboxOf();
await callScript(sandbox, scriptOf(handling('')));
const looping = scriptOf(handling('if (event.loop) { for (;;); }'));
await callScript(sandbox, looping);
void callScript(sandbox, looping, { loop: true }).catch(() => {});
const children = execFileSync('ps', ['-o', 'pid=', '--ppid', String(process.pid)], { encoding: 'utf8' });
const names = (pid: number) => execFileSync('ps', ['-o', 'comm=', '-p', String(pid)], { encoding: 'utf8' });
const pids = children.trim().split(/\s+/).map(Number);
process.send?.(pids.filter((pid) => isRunning(pid)));

function isRunning(pid: number): boolean {
  try {
    return names(pid).startsWith('workerd');
  } catch {
    // The process that lists the processes.
    return false;
  }
}
