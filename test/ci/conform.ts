import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/*
 * Tests the service against its contract, as spec/toolchain/ci.md describes: starts a server on a temporary data folder,
 * runs `conform` with two tokens and the given options, and exits with its code, or with 1 if it did not test each
 * operation.
 */

const ROOT = join(import.meta.dirname, '../..');
const TOKEN = 'the-admin-token-of-a-temporary-database';
/** Maximum time until the server is ready. */
const START_TIMEOUT_MS = 120_000;
const POLL_INTERVAL_MS = 200;

/** Returns a free port of this machine. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') {
    throw new Error('A listening TCP server has a port.');
  }
  return address.port;
}

async function waitUntilReady(url: string, server: ChildProcess): Promise<void> {
  const deadline = Date.now() + START_TIMEOUT_MS;
  while (Date.now() < deadline && server.exitCode === null) {
    const response = await fetch(`${url}/readyz`).catch(() => undefined);
    if (response?.ok) {
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_INTERVAL_MS));
  }
  throw new Error('The server did not start. Run `npm start` to see the reason.');
}

/** Runs a program of the repository to its end, and returns its exit code and output. */
async function run(
  file: string,
  options: readonly string[],
  env: NodeJS.ProcessEnv,
  output: 'pipe' | 'inherit',
): Promise<{ code: number; text: string }> {
  const child = spawn(process.execPath, [file, ...options], {
    cwd: ROOT,
    env,
    stdio: ['ignore', output, 'inherit'],
  });
  let text = '';
  child.stdout?.on('data', (chunk: Buffer) => {
    text += chunk.toString();
  });
  const [code] = await once(child, 'close');
  return { code: Number(code ?? 1), text };
}

const folder = await mkdtemp(join(tmpdir(), 'colophon-conform-'));
const port = await freePort();
const url = `http://127.0.0.1:${port}`;
const env = {
  ...process.env,
  COLOPHON_DATA: join(folder, 'data'),
  COLOPHON_BOOTSTRAP_TOKEN: TOKEN,
  COLOPHON_RATE_LIMIT: 'off',
  DATABASE_URL: '',
  PORT: String(port),
};
const server = spawn(process.execPath, ['server/main.ts'], { cwd: ROOT, env, stdio: 'ignore' });
try {
  await waitUntilReady(url, server);
  const second = await run('server/commands/token.ts', ['--email', 'second@example.com'], env, 'pipe');
  const report = join(folder, 'report.json');
  const files = ['--json', report, '--save-replay', join(folder, 'replay.json')];
  const { code } = await run(
    'spec/toolchain/cli.ts',
    ['conform', '--url', url, ...files, ...process.argv.slice(2)],
    { ...process.env, COLOPHON_TOKEN: TOKEN, COLOPHON_SECOND_TOKEN: second.text.trim() },
    'inherit',
  );
  // The documented output of the command.
  const { coverage }: { coverage: { operation: string; state: string }[] } = JSON.parse(
    await readFile(report, 'utf8'),
  );
  const untested = coverage.filter(({ state }) => state !== 'tested').map(({ operation }) => operation);
  if (untested.length > 0) {
    console.error(`Operations that were not tested: ${untested.join(', ')}.`);
  }
  process.exitCode = code === 0 && untested.length > 0 ? 1 : code;
} finally {
  server.kill();
  if (server.exitCode === null && server.signalCode === null) {
    await once(server, 'exit');
  }
  await rm(folder, { recursive: true, force: true });
}
