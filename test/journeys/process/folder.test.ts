import { chmod, mkdir, readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { copyMigrated, testEngine } from '../../support/database/engines.ts';
import {
  createDataLocation,
  type DataLocation,
  finish,
  run,
  type ServerProgram,
  useTestPrograms,
} from '../../support/processes/program.ts';

/** Starts another server, waits until it ends or listens, and returns its output and its code, if it has ended. */
async function startAnother({ environment }: DataLocation) {
  const program = run(process.execPath, ['server/main.ts'], { PORT: '0', ...environment });
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

/** On PostgreSQL, the folder contains no files. */
const PRIVATE = new Set(['folder 700', ...(testEngine() === 'sqlite' ? ['600'] : [])]);

/** Expects that a server with another key does not start, and reports it in one line. */
async function expectOtherKeyRejected(location: DataLocation): Promise<void> {
  const ColophonSecretKey = 'another secret key, of 32 characters or more';
  const environment = { ...location.environment, COLOPHON_SECRET_KEY: ColophonSecretKey };
  const refused = await startAnother({ ...location, environment });
  expect(refused).toMatchObject({ code: 1, stdout: '' });
  expect(refused.stderr.split('\n').filter((line) => !line.startsWith('{'))).toEqual([
    'The server could not start: COLOPHON_SECRET_KEY is not the secret key of this database. Credentials that the ' +
      'database stores cannot be decrypted without it. Set the key with which the database was used before, or ' +
      'restore it from the backup of the database. If the key is lost, replace it: npm run secret-key -- replace.',
    '',
  ]);
}

const readiness = async ({ url }: ServerProgram) => (await fetch(`${url}/readyz`)).status;

describe('a data folder', () => {
  const programs = useTestPrograms({ blank: true, shared: true });
  let server: ServerProgram;

  beforeAll(async () => {
    const { folder } = programs.location;
    await mkdir(folder, { recursive: true });
    await chmod(folder, 0o777);
    if (testEngine() === 'sqlite') {
      await copyMigrated(folder);
      await chmod(join(folder, 'colophon.sqlite'), 0o644);
      await writeFile(join(folder, 'secret-key'), 'k'.repeat(43), { mode: 0o644 });
    }
    server = await programs.serve();
  });

  test('is private, with all of its files, regardless of who created it', async () => {
    expect(await modes(programs.location.folder)).toEqual(PRIVATE);
  });

  test.runIf(testEngine() === 'sqlite')('is used by one server at a time', async () => {
    const second = await startAnother(programs.location);
    expect(second).toMatchObject({ code: 1, stdout: '' });
    expect(second.stderr).toMatch(
      /^The server could not start: .* in use by another server.*DATABASE_URL\.\n$/,
    );
    expect(await readiness(server)).toBe(200);
    const command = ['server/commands/secret-key.ts', 'replace'];
    const replaced = await finish(process.execPath, command, programs.location.environment);
    expect(replaced).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('in use by') });
  });

  test.runIf(testEngine() === 'postgres')('is used only with the key of its database', async () => {
    await expectOtherKeyRejected(programs.location);
    expect(await readiness(server)).toBe(200);
  });

  test.runIf(testEngine() === 'sqlite')(
    'is free as soon as its server is killed, only with its key, and private again with the next one',
    async () => {
      const { folder } = programs.location;
      await server.stop('SIGKILL');
      for (const { name } of await readdir(folder, { withFileTypes: true })) {
        await chmod(join(folder, name), 0o755);
      }
      await expectOtherKeyRejected(programs.location);
      server = await programs.serve();
      expect(await readiness(server)).toBe(200);
      expect(await modes(folder)).toEqual(PRIVATE);
    },
  );

  test.runIf(testEngine() === 'sqlite')('is rejected if other accounts can access it', async () => {
    const location = await createDataLocation({ blank: true });
    onTestFinished(() => location.remove());
    await mkdir(location.folder, { recursive: true });
    await chmod(location.folder, 0o1777);
    const ended = await startAnother(location);
    expect(ended.code).toBe(1);
    expect(ended.stderr).toMatch(/is shared with other accounts\. Set COLOPHON_DATA/);
    expect(await modeOf(location.folder)).toBe('777');
  });
});
