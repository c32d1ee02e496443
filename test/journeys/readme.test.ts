import { existsSync, lstatSync, readFileSync } from 'node:fs';
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { operations } from '../../generated/operations.ts';
import { VARIABLES } from '../../server/config.ts';
import { UNIMPLEMENTED } from '../../server/resources/unimplemented.ts';
import { type GitServer, git, startGitServer } from '../support/git-server.ts';
import { finish, type Program, ROOT, run } from '../support/program.ts';

const readme = readFileSync(join(ROOT, 'README.md'), 'utf8');

/** A block of the first five minutes, and what a reader does with it: `the server`, `run` or `save <file>`. */
interface Step {
  role: string;
  text: string;
}

const steps: Step[] = [...readme.matchAll(/<!-- first steps: (.+) -->\s+```\w+\n([\s\S]*?)```/g)].map(
  ([, role = '', text = '']) => ({ role, text }),
);

const isFile = (path: string) => lstatSync(path, { throwIfNoEntry: false })?.isFile() === true;

/** The path of commands without what the test runner put in front: a reader's shell. */
const PATH = (process.env.PATH ?? '')
  .split(delimiter)
  .filter((folder) => !folder.includes('node_modules'))
  .join(delimiter);

/**
 * The blocks run as they stand in the README, in a copy of the repository. Two things are replaced: the address
 * of the server by the one that this run got, and the address of the Git repository by one on this machine.
 */
describe('the first five minutes of the README', () => {
  let folder: string;
  let gitServer: GitServer;
  let server: Program;
  let terminal: Program;
  let replaced: (text: string) => string;

  /** Types a line, or a block, into the terminal and answers what came of it. */
  let typed = 0;
  async function type(text: string): Promise<string> {
    const before = terminal.output.stdout.length;
    const end = `the end of step ${++typed}`;
    terminal.child.stdin.write(`${text}\nprintf '\\n%s: %s\\n' '${end}' "$?"\n`);
    const [, status] = await terminal.until('stdout', new RegExp(`${end}: (\\d+)\\n`));
    if (status !== '0')
      throw new Error(`${text}\nfailed:\n${terminal.output.stdout}${terminal.output.stderr}`);
    return terminal.output.stdout.slice(before).replace(/\nthe end of step.*\n$/, '');
  }

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'colophon-readme-'));
    const listed = await git(ROOT, ['ls-files', '-z', '--cached', '--others', '--exclude-standard']);
    // Files alone: a link to installed packages would have the clean install empty what it leads to.
    for (const file of listed.split('\0').filter((name) => isFile(join(ROOT, name))))
      await cp(join(ROOT, file), join(folder, file));
    gitServer = await startGitServer();
    const repository = await gitServer.createRepository(REPOSITORY, { branch: 'master' });
    const npm = { npm_config_prefer_offline: 'true', npm_config_audit: 'false', npm_config_fund: 'false' };
    server = run(
      'setsid',
      ['sh', '-c', steps.find(({ role }) => role === 'the server')?.text ?? ''],
      { ...npm, PATH, PORT: '0', COLOPHON_OUTGOING_ALLOW: '127.0.0.0/8' },
      folder,
    );
    const [, url = ''] = await server.until(
      'stdout',
      /^Documentation and trying it out: (.*)\/docs$/m,
      300_000,
    );
    replaced = (text) =>
      text
        .replaceAll('http://127.0.0.1:3000', url)
        .replaceAll('https://github.com/fluent/fluent-bit-docs.git', repository.url);
    terminal = run('bash', [], { ...npm, PATH }, folder);
  }, 320_000);

  afterAll(async () => {
    terminal?.child.kill();
    server?.child.kill('SIGKILL');
    await gitServer?.close();
    await rm(folder, { recursive: true, force: true });
  });

  test('are a server, and steps in a second terminal', () => {
    expect(steps.map(({ role }) => role)).toEqual(['the server', 'run', 'run', 'save first-steps.ts', 'run']);
  });

  test('lead from an empty machine to a search in imported pages', async () => {
    const [, printed = ''] = /^ {2}token +(\S+)$/m.exec(server.output.stdout) ?? [];
    const [, paste, who, script, last] = steps.map(({ role, text }) => ({ role, text: replaced(text) }));
    // As in a terminal, the line behind the command is what `read` gets.
    expect(await type(`${paste?.text.trimEnd()}\n${printed}`)).toContain('Token: ');
    expect(JSON.parse(await type(who?.text ?? ''))).toMatchObject({ email: 'admin@localhost' });
    await writeFile(join(folder, 'first-steps.ts'), script?.text ?? '');
    const lines = (await type(last?.text ?? '')).trim().split('\n');
    expect(lines).toEqual([
      'Admin of My organization',
      "[ 'Welcome', 'Setting up' ]",
      'Where it begins.',
      '',
      'Linux  setup/linux',
    ]);
  });

  test('use the client as its types allow', async () => {
    const config = { extends: './tsconfig.json', include: ['first-steps.ts'] };
    await writeFile(join(folder, 'tsconfig.first-steps.json'), JSON.stringify(config));
    const checked = await finish('npx', ['tsc', '-p', 'tsconfig.first-steps.json'], { PATH }, folder);
    expect(checked).toMatchObject({ code: 0, stdout: '' });
  });

  test('end when the server is told to', async () => {
    // The whole group, as Ctrl-C in a terminal does: npm and the server, and npm tells the server again.
    process.kill(-Number(server.child.pid), 'SIGINT');
    await server.until('stderr', /"msg":"stopping/);
    await server.ended;
    expect(server.output.stderr).not.toContain('stopping at once');
  });
});

describe('the README', () => {
  test('lists the variables that the server reads, with their defaults', () => {
    const rows = [...readme.matchAll(/^\| `([A-Z_]+)` +\| (.+?) +\| (.+?) +\|$/gm)];
    expect(rows.map(([, name]) => name)).toEqual(VARIABLES.map(({ name }) => name));
    for (const [index, { is, otherwise }] of VARIABLES.entries()) {
      expect(rows[index]?.[2]).toContain(is);
      expect(rows[index]?.[3]).toBe(otherwise);
    }
  });

  test('names the groups whose operations are not all served, and no other', () => {
    const [, listed = ''] = /<!-- groups with operations that are not served -->\s+(.+)/.exec(readme) ?? [];
    const table: Readonly<Record<string, { tag: string | null }>> = operations;
    const groups = new Set(UNIMPLEMENTED.map((id: string) => table[id]?.tag));
    expect(listed.split(' · ').sort()).toEqual([...groups].sort());
  });

  test('leads to files that are there, and to commands that npm knows', () => {
    const links = [...readme.matchAll(/\]\((?!https?:)([^)#]+)\)/g)].map(([, path = '']) => path);
    expect(links.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
    const commands = [...readme.matchAll(/npm run (\w+)/g)].map(([, name = '']) => name);
    const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
    expect(commands.filter((name) => !(name in scripts))).toEqual([]);
  });
});

/** Stands in for the repository of the README. */
const REPOSITORY = {
  'SUMMARY.md':
    '# Contents\n\n* [Welcome](README.md)\n* [Setting up](setup/README.md)\n  * [Linux](setup/linux.md)\n',
  'README.md': '# Welcome\n\nWhere it begins.\n',
  'setup/README.md': '# Setting up\n\nChoose a system.\n',
  'setup/linux.md': '# Linux\n\nHow to install it on Linux.\n',
};
