import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';

/** Interval of the samples. */
const SAMPLE_MS = 10;

/**
 * Returns the result of some work, and the peak memory meanwhile of one process of this machine, among those with a
 * text in their command or environment (Linux). Processes that are already running are not counted.
 */
export async function peakMemoryDuring<Result>(
  text: string,
  work: () => Promise<Result>,
): Promise<{ result: Result; peakBytes: number }> {
  const others = new Set(await processes());
  let isRunning = true;
  const peak = (async () => {
    let bytes = 0;
    while (isRunning) {
      for (const id of (await processes()).filter((id) => !others.has(id))) {
        bytes = Math.max(bytes, await peakOf(id, text));
      }
      await delay(SAMPLE_MS);
    }
    return bytes;
  })();
  try {
    const result = await work();
    isRunning = false;
    return { result, peakBytes: await peak };
  } finally {
    isRunning = false;
  }
}

const processes = async () => (await readdir('/proc')).filter((name) => /^\d+$/.test(name));

/** Returns the peak of the resident memory of a process; 0 if it has ended, or does not contain the text. */
async function peakOf(id: string, text: string): Promise<number> {
  const read = (name: string) => readFile(`/proc/${id}/${name}`, 'latin1').catch(() => '');
  if (!`${await read('cmdline')}\0${await read('environ')}`.includes(text)) {
    return 0;
  }
  return Number(/^VmHWM:\s*(\d+) kB$/m.exec(await read('status'))?.[1] ?? 0) * 1024;
}
