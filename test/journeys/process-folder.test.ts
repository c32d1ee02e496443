import { chmod, mkdir, readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { testEngine } from '../support/engines.ts';
import { run, useTestPrograms } from '../support/program.ts';

const programs = useTestPrograms({ blank: true });

/** Starts another server, waits until it ends or listens, and returns its output and its code, if it has ended. */
async function startAnother() {
  const program = run(process.execPath, ['server/main.ts'], {
    PORT: '0',
    ...programs.location.environment,
  });
  try {
    const listening = program.until('stdout', /^Documentation:/m).then(() => ({ code: null }));
    // The program ended without listening.
    const outcome = await Promise.race([program.ended, listening]).catch(() => program.ended);
    return { code: outcome.code, ...program.output };
  } finally {
    program.child.kill('SIGKILL');
    await program.ended;
  }
}

const modeOf = async (path: string) => ((await stat(path)).mode & 0o777).toString(8);

/** Returns the modes of the folder and of all files in it. */
async function modes(folder: string): Promise<Set<string>> {
  const files = (await readdir(folder, { withFileTypes: true })).filter((entry) => entry.isFile());
  const all = await Promise.all(files.map(({ name }) => modeOf(join(folder, name))));
  return new Set([`folder ${await modeOf(folder)}`, ...all]);
}

describe.runIf(testEngine() === 'sqlite')('a data folder', () => {
  test('is used by one server at a time, and is free as soon as that one is killed', async () => {
    const first = await programs.serve();
    const second = await startAnother();
    expect(second).toMatchObject({ code: 1, stdout: '' });
    expect(second.stderr).toMatch(
      /^The server could not start: .* in use by another server.*DATABASE_URL\.\n$/,
    );
    expect((await fetch(`${first.url}/readyz`)).status).toBe(200);
    await first.stop('SIGKILL');
    const third = await programs.serve();
    expect((await fetch(`${third.url}/readyz`)).status).toBe(200);
  });

  test('is rejected if other accounts can access it', async () => {
    await mkdir(programs.location.folder, { recursive: true });
    await chmod(programs.location.folder, 0o1777);
    const ended = await startAnother();
    expect(ended.code).toBe(1);
    expect(ended.stderr).toMatch(/is shared with other accounts\. Set COLOPHON_DATA/);
    expect(await modeOf(programs.location.folder)).toBe('777');
  });
});

test('is private, with all of its files, regardless of who created it', async () => {
  const { folder } = programs.location;
  await mkdir(folder, { recursive: true });
  await chmod(folder, 0o777);
  if (testEngine() === 'sqlite') {
    await writeFile(join(folder, 'secret-key'), 'k'.repeat(43), { mode: 0o644 });
    await writeFile(join(folder, 'colophon.sqlite'), '', { mode: 0o644 });
  }
  const first = await programs.serve();
  expect(await modes(folder)).toEqual(new Set(['folder 700', ...(testEngine() === 'sqlite' ? ['600'] : [])]));
  await first.stop('SIGKILL');
  for (const { name } of await readdir(folder, { withFileTypes: true })) {
    await chmod(join(folder, name), 0o755);
  }
  await programs.serve();
  expect(await modes(folder)).toEqual(new Set(['folder 700', ...(testEngine() === 'sqlite' ? ['600'] : [])]));
});
