import { spawn } from 'node:child_process';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  NOT_FOUND_STATUS,
  PROCESSOR_GRACE_MS,
  type ProgramLimits,
  withLimits,
} from '../../../server/programs/limits.ts';
import { TEMPORARY_FOLDER } from '../../support/processes/temporary.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(TEMPORARY_FOLDER, 'programs-'));
});
afterAll(() => rm(folder, { recursive: true }));

const MEBIBYTE = 1_048_576;

/** Runs a program with limits in the folder. */
async function run(limits: Partial<ProgramLimits>, command: [string, ...string[]]) {
  const [program, ...parameters] = withLimits({ dataBytes: 256 * MEBIBYTE, ...limits }, command);
  const child = spawn(program, parameters, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = new Promise<{ status: number | null; signal: NodeJS.Signals | null }>((resolve) => {
    child.on('close', (status, signal) => resolve({ status, signal }));
  });
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { ...(await ended), pid: child.pid, stdout, stderr };
}

const shell = (script: string): [string, ...string[]] => ['sh', '-c', script];

describe('a program with limits', () => {
  test('replaces the shell that sets them, with its arguments unchanged', async () => {
    const { pid, stdout, stderr, status } = await run({}, [
      'sh',
      '-c',
      'echo $$ "$@"',
      'name',
      `'"$HOME`,
      '*',
    ]);
    expect([stdout, stderr, status]).toEqual([`${pid} '"$HOME *\n`, '', 0]);
  });

  test('ends when a file exceeds the limit', async () => {
    const write = 'exec head -c 8192 /dev/zero > file';
    expect(await run({ fileBytes: 4096 }, shell(write))).toMatchObject({ signal: 'SIGXFSZ' });
    expect((await stat(join(folder, 'file'))).size).toBe(4096);
  });

  test('receives a signal at the limit of processor time, and is killed some seconds later', async () => {
    const { stdout } = await run({ processorMs: 1500 }, shell('ulimit -S -t; ulimit -H -t'));
    expect(stdout).toBe(`2\n${2 + PROCESSOR_GRACE_MS / 1000}\n`);
  });

  test.runIf(process.platform === 'linux')('cannot allocate more than the limit', async () => {
    // Keeps what it reads.
    const keep = 'head -c 64000000 /dev/zero | tail -c 64000000 > kept';
    expect((await run({ dataBytes: 16 * MEBIBYTE }, shell(keep))).status).not.toBe(0);
    expect((await run({ dataBytes: 128 * MEBIBYTE }, shell(keep))).status).toBe(0);
  });

  test('cannot open more files than the limit', async () => {
    const { status } = await run({ descriptors: 8 }, shell('exec 3<. 4<. 5<. 6<. 7<. && exec 9<.'));
    expect(status).not.toBe(0);
  });

  test('starts even if a limit cannot be set, without a message', async () => {
    const nested = withLimits({ dataBytes: 256 * MEBIBYTE, descriptors: 64 }, shell('ulimit -n'));
    const { stdout, stderr } = await run({ descriptors: 32 }, nested);
    // Only the administrator of a system can raise a limit.
    expect([stdout, stderr]).toEqual([expect.stringMatching(/^(?:32|64)\n$/), '']);
  });

  test('reports that it does not exist', async () => {
    expect((await run({}, ['no-such-program'])).status).toBe(NOT_FOUND_STATUS);
  });
});
