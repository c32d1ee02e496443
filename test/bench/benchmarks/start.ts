import { spawn } from 'node:child_process';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { killTree } from '../../support/processes/kill-tree.ts';
import { freePort } from '../../support/processes/ports.ts';
import { amountFor, type Benchmark, type Size } from '../benchmark.ts';
import { type Child, inheritedVariables, startChild } from '../child.ts';
import { type Figure, median, milliseconds, time } from '../table.ts';

const ROOT = join(import.meta.dirname, '../../..');
const TOKEN = 'the token of a measured server, long enough'.replaceAll(' ', '-');

/** Time from the start of the process to its first response that required a token and the database. */
export const benchmark: Benchmark = {
  description: 'time from the start of the server to its first response, compared with bare Express',
  run,
};

async function run(size: Size, report: (figure: Figure) => void): Promise<void> {
  const rounds = amountFor(size, { full: 5, tiny: 1 });
  const first: number[] = [];
  const again: number[] = [];
  const bare: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const folder = await mkdtemp(join(tmpdir(), 'colophon-bench-'));
    first.push(await untilAnswer(folder));
    again.push(await untilAnswer(folder));
    let child: Child | undefined;
    bare.push(await time(async () => (child = await startChild('express'))));
    await child?.stop();
  }
  const baseline = { baseline: `${milliseconds(median(bare))} bare Express` };
  const ratioOf = (times: number[]) => median(times) / median(bare);
  report({
    name: 'first start to first response',
    result: milliseconds(median(first)),
    ...baseline,
    ratio: ratioOf(first),
  });
  report({
    name: 'later start to first response',
    result: milliseconds(median(again)),
    ...baseline,
    ratio: ratioOf(again),
  });
}

async function untilAnswer(folder: string): Promise<number> {
  const port = await freePort();
  const startedAt = performance.now();
  const child = spawn(process.execPath, ['server/main.ts'], {
    env: {
      ...inheritedVariables(),
      PORT: String(port),
      COLOPHON_DATA: folder,
      COLOPHON_BOOTSTRAP_TOKEN: TOKEN,
    },
    cwd: ROOT,
    stdio: 'ignore',
  });
  const requested = { headers: { Authorization: `Bearer ${TOKEN}` } };
  for (;;) {
    const response = await fetch(`http://127.0.0.1:${port}/v1/user`, requested).catch(() => undefined);
    if (response?.ok) {
      break;
    }
    if (child.exitCode !== null) {
      throw new Error('A measured server ended by itself.');
    }
    await delay(2);
  }
  const duration = performance.now() - startedAt;
  await killTree(child);
  return duration;
}
