// Runs on one engine: the disk of SQLite is simulated.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { createDisk, findCompiler } from '../../support/crash/disk/disk.ts';
import { ROOT, run } from '../../support/processes/program.ts';

/*
 * The disk of the crash rounds: it must lose unsynced data for a power cut to prove anything. Skipped without a C
 * compiler.
 */

const WRITER = 'test/support/crash/disk/writer.ts';

describe.runIf(findCompiler() !== undefined)('a disk after a power cut', () => {
  /** Writes, cuts the power, and returns the last acknowledged number and the last existing one. */
  async function cutPowerAfterWrites(synchronous: 'full' | 'off', keep: number) {
    const folder = mkdtempSync(join(tmpdir(), 'colophon-power-'));
    const disk = createDisk(folder);
    onTestFinished(() => {
      disk.remove();
      rmSync(folder, { recursive: true });
    });
    const file = join(folder, 'numbers.sqlite');
    const writer = run(process.execPath, [WRITER, file, synchronous], disk.environment, ROOT);
    await vi.waitUntil(() => writer.output.stdout.length > 200, { timeout: 60_000, interval: 1 });
    writer.child.kill('SIGKILL');
    await writer.ended;
    disk.cut(Math.random, keep);
    const database = new DatabaseSync(file);
    const intact = database.prepare('pragma integrity_check').get();
    const tables = database.prepare(`select name from sqlite_master where name = 'numbers'`).all();
    const last =
      tables.length === 0
        ? undefined
        : database.prepare('select max(number) as last from numbers').get()?.last;
    database.close();
    return {
      acknowledged: Number(writer.output.stdout.trimEnd().split('\n').at(-1)),
      last: Number(last ?? 0),
      intact,
    };
  }

  test.each([0, 0.5, 1])('keeps synced data, and %d of the rest', async (keep) => {
    const { acknowledged, last, intact } = await cutPowerAfterWrites('full', keep);
    expect(last).toBeGreaterThanOrEqual(acknowledged);
    expect(intact).toEqual({ integrity_check: 'ok' });
  });

  test('loses what a database acknowledged without a sync', async () => {
    const { acknowledged, last } = await cutPowerAfterWrites('off', 0);
    expect(acknowledged).toBeGreaterThan(50);
    expect(last).toBeLessThan(acknowledged);
  });
});
