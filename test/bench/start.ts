import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '../support/ports.ts';
import { type Child, startChild } from './child.ts';
import { type Figure, median, milliseconds, time } from './table.ts';

const TOKEN = 'the token of a measured server, long enough'.replaceAll(' ', '-');

/** Time from the start of the process to its first response that required a token and the database. */
export async function measureStart(): Promise<Figure[]> {
  const first: number[] = [];
  const again: number[] = [];
  const bare: number[] = [];
  for (let round = 0; round < 5; round++) {
    const folder = await mkdtemp(join(tmpdir(), 'colophon-bench-'));
    first.push(await untilAnswer(folder));
    again.push(await untilAnswer(folder));
    await rm(folder, { recursive: true });
    let child: Child | undefined;
    bare.push(await time(async () => (child = await startChild('express'))));
    await child?.stop();
  }
  const baseline = { baseline: `${milliseconds(median(bare))} bare Express` };
  const ratioOf = (times: number[]) => median(times) / median(bare);
  return [
    {
      name: 'first start to first response',
      result: milliseconds(median(first)),
      ...baseline,
      ratio: ratioOf(first),
    },
    {
      name: 'later start to first response',
      result: milliseconds(median(again)),
      ...baseline,
      ratio: ratioOf(again),
    },
  ];
}

async function untilAnswer(folder: string): Promise<number> {
  const port = await freePort();
  const startedAt = performance.now();
  const child = spawn(process.execPath, ['server/main.ts'], {
    env: { PORT: String(port), COLOPHON_DATA: folder, COLOPHON_BOOTSTRAP_TOKEN: TOKEN },
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
  child.kill('SIGKILL');
  await once(child, 'exit');
  return duration;
}
