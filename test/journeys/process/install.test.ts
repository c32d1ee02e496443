// Runs on one engine: the program always starts a server with the embedded database.
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { ADMIN_TOKEN } from '../../support/environment.ts';
import { finish, runServer } from '../../support/processes/program.ts';
import { TEMPORARY_FOLDER } from '../../support/processes/temporary.ts';

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(TEMPORARY_FOLDER, 'install-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** Runs the script `prepare` with a cache of compiled code in a folder. */
const install = (cache: string, environment: Record<string, string> = {}) =>
  finish(process.execPath, ['server/process/after-install.js'], {
    NODE_COMPILE_CACHE: cache,
    ...environment,
  });

const compiledFiles = async (cache: string) =>
  (await readdir(cache, { recursive: true })).filter((path) => path.includes('/'));

test('after an installation, the first start of a server finds compiled code', async () => {
  const [cache, data] = [await newFolder(), await newFolder()];
  // Variables of a server that exists must not matter.
  const variables = { DATABASE_URL: 'postgres://nowhere.invalid/none', COLOPHON_DATA: '/dev/null/none' };
  expect(await install(cache, variables)).toEqual({ code: 0, signal: null, stdout: '', stderr: '' });
  const installed = await compiledFiles(cache);
  expect(installed.length).toBeGreaterThan(500);
  const server = await runServer(
    { NODE_COMPILE_CACHE: cache, COLOPHON_DATA: data, COLOPHON_BOOTSTRAP_TOKEN: ADMIN_TOKEN },
    'server/start.js',
  );
  const response = await fetch(`${server.url}/v1/user`, {
    headers: { Authorization: `Bearer ${ADMIN_TOKEN}`, Connection: 'close' },
  });
  expect(response.status).toBe(200);
  await server.stop();
  const added = (await compiledFiles(cache)).filter((path) => !installed.includes(path));
  // Only the entry, and modules of the job process if it has started.
  expect(added.length).toBeLessThan(installed.length / 3);
});

test('an installation succeeds without a cache, and if no server can start', async () => {
  const file = join(await newFolder(), 'file');
  await writeFile(file, '');
  const unwritable = await install(join(file, 'cache'));
  expect(unwritable).toMatchObject({ code: 0, stdout: '' });
  expect(await install(await newFolder(), { NODE_DISABLE_COMPILE_CACHE: '1' })).toMatchObject({
    code: 0,
    stderr: '',
  });
  const failed = await install(await newFolder(), { TMPDIR: '/dev/null/none' });
  expect(failed).toMatchObject({ code: 0, stdout: '' });
  expect(failed.stderr).toContain('The first start of the server will compile its modules');
});
