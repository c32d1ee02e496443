import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { resolveProject, startDev } from '../../../spec/toolchain/main.ts';
import { until } from '../workspace.ts';

const repository = join(import.meta.dirname, '../../..');

let root: string;
beforeAll(async () => {
  const parent = join(import.meta.dirname, '.colophon');
  await mkdir(parent, { recursive: true });
  root = await mkdtemp(join(parent, 'command-'));
});
afterAll(() => rm(root, { recursive: true, force: true }));

/** Runs one of the two entries of the commands in an empty folder. */
function run(entry: 'cli' | 'colophon', ...args: string[]) {
  return new Promise<{ code: number; out: string; err: string }>((resolve) => {
    const script = join(repository, `spec/toolchain/${entry}.ts`);
    const child = execFile(process.execPath, [script, ...args], { cwd: root }, (_error, out, err) =>
      resolve({ code: child.exitCode ?? -1, out, err }),
    );
  });
}

describe('the command', () => {
  test('prints its help and its version', async () => {
    const { code, out } = await run('colophon', '--help');
    expect(code).toBe(0);
    expect(out).toContain('Usage: colophon [options] [command]');
    for (const name of ['generate', 'check', 'diff', 'conform', 'dev']) {
      expect(out).toMatch(new RegExp(`^  ${name} `, 'm'));
    }
    const { version } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8'));
    expect(await run('colophon', '--version')).toEqual({ code: 0, out: `${version}\n`, err: '' });
  });

  test.each([
    ['no command', [], 'Usage: colophon'],
    ['an unknown command', ['generated'], "unknown command 'generated'\n(Did you mean generate?)"],
    [
      'an unknown option',
      ['check', '--contact', 'x'],
      "unknown option '--contact'\n(Did you mean --contract?)",
    ],
    ['an option without a value', ['check', '--contract'], 'argument missing'],
    ['too many arguments', ['generate', 'spec/main.tsp'], 'too many arguments'],
    ['a missing contract', ['check'], 'Contract spec/main.tsp does not exist'],
    ['a missing folder', ['dev', '--watch', '.', 'srcc'], '--watch: srcc does not exist'],
  ])('exits with 2 for %s', async (_name, args, message) => {
    const { code, out, err } = await run('colophon', ...args);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain(message);
  });

  test('suggests commands in the form in which it was run', async () => {
    await cp(join(repository, 'test/fixtures/carts/openapi.yaml'), join(root, 'carts.yaml'));
    const args = ['generate', '--check', '--contract', 'carts.yaml'];
    expect((await run('colophon', ...args)).err).toContain('npx colophon generate --contract carts.yaml');
    expect((await run('cli', ...args)).err).toContain('npm run generate -- --contract carts.yaml');
  });
});

test('regenerates after each change of a contract that is an OpenAPI document', async () => {
  await mkdir(join(root, 'api'));
  const contract = join(root, 'api/carts.yaml');
  await cp(join(repository, 'test/fixtures/carts/openapi.yaml'), contract);
  const lines: string[] = [];
  const waitForLine = (line: RegExp) =>
    until(
      () => lines.some((text) => line.test(text)),
      () => `Expected ${line} in:\n${lines.join('\n')}`,
    );
  const project = resolveProject({ root, contract: 'api/carts.yaml', tool: 'npx colophon' });
  const dev = await startDev(project, { watch: ['api'], log: (line) => lines.push(line) });
  try {
    await waitForLine(/contract +wrote generated\/openapi\.json/);
    await waitForLine(/types +skipped: tsconfig\.json does not exist/);
    lines.length = 0;
    const text = await readFile(contract, 'utf8');
    await writeFile(contract, text.replace('operationId: addLine', 'operationId: putLine'));
    await waitForLine(/contract +wrote .*operations\.ts/);
    lines.length = 0;
    await writeFile(contract, 'words');
    await waitForLine(/^error: api\/carts\.yaml is not an OpenAPI document/);
    await waitForLine(/contract +has errors/);
    lines.length = 0;
    await writeFile(contract, text);
    await waitForLine(/contract +wrote .*operations\.ts/);
  } finally {
    await dev.close();
  }
});
