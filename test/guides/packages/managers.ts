import { readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { openReader } from '../../support/guides.ts';
import type { BuiltPackages } from '../../support/packages.ts';
import { finish, run } from '../../support/processes/program.ts';
import { installPrograms, type Programs, runsPrograms } from './programs-of-npm.ts';

/** A package manager other than npm with commands on the pages. */
interface Manager {
  name: string;
  /** Adds a tarball to a project. */
  add(tarball: string): string;
  /** Runs a command of a package. */
  exec: string;
  /** Runs a script, and installs. */
  program: string;
  /** Installs what the lock file contains. */
  frozen: string;
  /** Files of the project before it. */
  files?: Readonly<Record<string, string>>;
}

const managers: readonly Manager[] = [
  {
    name: 'pnpm',
    add: (tarball) => `pnpm add ${tarball}`,
    exec: 'pnpm exec',
    program: 'pnpm',
    frozen: 'pnpm install --frozen-lockfile',
  },
  {
    name: 'yarn-classic',
    add: (tarball) => `yarn add file:${tarball}`,
    exec: 'yarn run',
    program: 'yarn',
    frozen: 'yarn install --frozen-lockfile',
  },
  {
    name: 'yarn',
    add: (tarball) => `yarn add @colophon/toolkit@file:${tarball}`,
    exec: 'yarn exec',
    program: 'yarn',
    frozen: 'yarn install --immutable',
    files: { '.yarnrc.yml': 'nodeLinker: node-modules\n', 'yarn.lock': '' },
  },
  {
    name: 'bun',
    add: (tarball) => `bun add ${tarball}`,
    exec: 'bunx',
    program: 'bun',
    frozen: 'bun install --frozen-lockfile',
  },
];

/** Calls of the client, in the project of `init`. */
const CALLS = `import { createClient, paginate } from '@colophon/toolkit/client';
import { createTask, getTask } from './generated/functions.ts';
import type { paths } from './generated/schema.d.ts';

const client = createClient<paths>({ baseUrl: process.argv[2] ?? '' });
const { id: taskId } = await createTask(client, { body: { title: 'Call' } });
console.log((await getTask(client, { taskId })).title);
for await (const { title } of paginate(client, '/tasks')) {
  console.log(title);
}
`;

/** Tests of projects of `init` with each package manager, and in each runtime that its page names. */
export function testManagers(built: () => BuiltPackages): void {
  describe.runIf(runsPrograms)('a project of init', () => {
    let programs: Programs;
    beforeAll(async () => {
      programs = await installPrograms(built());
    });
    const folderOf = (name: string) => join(built().place, `service-${name}`);
    const environmentOf = (name: string) => ({
      ...built().environment,
      PATH: `${programs.pathOf(name)}${delimiter}${built().environment.PATH}`,
      YARN_ENABLE_TELEMETRY: '0',
      PORT: '0',
    });

    test.each(managers)('is installed, checked, tested and started by $name', async (manager) => {
      const { name, add, exec, program, frozen, files = {} } = manager;
      const folder = folderOf(name);
      await mkdir(folder);
      const all = { 'package.json': JSON.stringify({ name, type: 'module' }), ...files };
      for (const [path, text] of Object.entries(all)) {
        await writeFile(join(folder, path), text);
      }
      const reader = openReader({ folder, environment: environmentOf(name) });
      try {
        await reader.type(add(built().of('toolkit').tarball));
        const written = await reader.type(`${exec} colophon init`);
        expect(written).toContain(`\nNext:\n  ${program} install\n`);
        await reader.type(`${program} install`);
        expect(await reader.type(`${program} run check`)).toMatch(/^green types/m);
        expect(await reader.type(`${program} run test`)).toMatch(/Tests {2}3 passed \(3\)/);
        // The command of the workflow, which fails if the lock file does not match.
        await reader.type(frozen);
        const block = { argument: '', section: '', line: 0 };
        await reader.follow({ ...block, action: 'start', text: `${program} run start` });
        await reader.follow({ ...block, action: 'start shows', text: 'Documentation: …' });
      } finally {
        await reader.close();
      }
    });

    describe.each([
      ['Node 22.18', () => [programs.file('node22', 'bin/node')]],
      ['Bun', () => [join(programs.pathOf('bun'), 'bun'), '--bun']],
      ['Deno', () => [join(programs.pathOf('deno'), 'deno'), 'run', '--allow-all']],
    ] as const)('in %s', (_, runtimeOf) => {
      // With copies of all packages, as those of npm.
      const folder = () => folderOf('yarn-classic');
      const start = (...args: string[]) => {
        const [program = '', ...options] = runtimeOf();
        return run(program, [...options, ...args], { ...built().environment, PORT: '0' }, folder());
      };
      const command = 'node_modules/@colophon/toolkit/spec/toolchain/colophon.js';

      test.each([
        ['generate --check', /generated files are up to date/],
        ['check', /^green types/m],
      ])('runs colophon %s', async (args, output) => {
        const program = start(command, ...args.split(' '));
        expect(await program.ended, program.output.stderr).toEqual({ code: 0, signal: null });
        expect(program.output.stdout).toMatch(output);
      });

      test.each([
        ['the server', ['server/main.ts'], /^Documentation: (.*)\/docs$/m],
        ['the mock', [command, 'mock', '--port', '0'], / on (http:.*)$/m],
      ] as const)('runs %s and the client, until it is stopped', async (_name, args, ready) => {
        const server = start(...args);
        const [, url = ''] = await server.until('stdout', ready);
        await writeFile(join(folder(), 'calls.ts'), CALLS);
        const calls = start('calls.ts', url);
        expect(await calls.ended, calls.output.stderr).toEqual({ code: 0, signal: null });
        expect(calls.output.stdout).toMatch(/^.+\n(.*\n)*.+\n$/);
        server.child.kill('SIGTERM');
        expect(await server.ended, server.output.stderr).toEqual({ code: 0, signal: null });
      });
    });

    test('states in one sentence which versions of Node it requires', async () => {
      const command = 'node_modules/@colophon/toolkit/spec/toolchain/colophon.js';
      const node20 = programs.file('node20', 'bin/node');
      const outcome = await finish(node20, [command, 'check'], {}, folderOf('yarn-classic'));
      const { engines } = JSON.parse(
        readFileSync(join(built().of('toolkit').folder, 'package.json'), 'utf8'),
      );
      expect(outcome).toEqual({
        code: 1,
        signal: null,
        stdout: '',
        stderr: `error: colophon requires Node.js ${engines.node.slice('>='.length)} or later, but this is Node.js 20.19.5. Install a later version: https://nodejs.org/en/download\n`,
      });
    });

    test.each([
      ['a server and a client', ['server/*.ts', 'calls.ts'], { types: ['node'], lib: ['es2022'] }],
      [
        'a client in a browser',
        ['calls.ts', 'process.d.ts'],
        { types: [], lib: ['es2022', 'dom', 'dom.iterable'] },
      ],
    ])('has types for the oldest supported TypeScript: %s', async (_, include, options) => {
      const folder = folderOf('yarn-classic');
      await writeFile(join(folder, 'process.d.ts'), 'declare const process: { argv: string[] };\n');
      await writeFile(join(folder, 'calls.ts'), CALLS);
      const compilerOptions = {
        ...{ target: 'es2022', module: 'nodenext', strict: true, exactOptionalPropertyTypes: true },
        ...{
          noUncheckedIndexedAccess: true,
          allowImportingTsExtensions: true,
          noEmit: true,
          skipLibCheck: false,
        },
        ...options,
      };
      const config = join(folder, 'tsconfig.oldest.json');
      const generated = ['generated/*.ts', ...include];
      await writeFile(config, JSON.stringify({ compilerOptions, include: generated }));
      const compiler = programs.file('oldest-typescript', 'bin/tsc');
      const checked = await finish(process.execPath, [compiler, '-p', config], {}, folder);
      expect(checked).toMatchObject({ code: 0, stdout: '' });
    });
  });
}
