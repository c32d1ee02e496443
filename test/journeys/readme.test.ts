import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { packages } from '../../client/build/packages.ts';
import { installedCopy, withoutInstall } from '../support/content/repository-copy.ts';
import { type GitServer, startGitServer } from '../support/git/git-server.ts';
import { isStep, missingLine, openReader, type Reader, readBlocks, readText } from '../support/guides.ts';
import { checkTypes, type Program, ROOT } from '../support/processes/program.ts';

const readme = readText('README.md');
const steps = readBlocks('README.md').filter(isStep);

/**
 * Executes the blocks of the README in a copy of the repository. Two values are replaced: the URL of the server by that
 * of this run, and the URL of the Git repository by one on this machine. The clean install is left out, because it is
 * how the packages of this repository were installed: CI runs it in a clone.
 */
describe('the first five minutes of the README', () => {
  let copy: Awaited<ReturnType<typeof installedCopy>>;
  let gitServer: GitServer;
  let reader: Reader;
  let server: Program;

  beforeAll(async () => {
    copy = await installedCopy();
    gitServer = await startGitServer();
    const repository = await gitServer.createRepository(REPOSITORY, { branch: 'master' });
    let url = '';
    reader = openReader({
      folder: copy.folder,
      environment: { PORT: '0', COLOPHON_COMPILE_AHEAD: 'off', COLOPHON_OUTGOING_ALLOW: '127.0.0.0/8' },
      replace: (text) =>
        withoutInstall(text)
          .replaceAll('http://127.0.0.1:3000', url)
          .replaceAll('https://github.com/fluent/fluent-bit-docs.git', repository.url),
    });
    const [start] = steps;
    if (start) {
      await reader.follow(start);
    }
    if (!reader.started) {
      throw new Error('The first step does not start the server.');
    }
    server = reader.started;
    const address = /^Documentation: (.*)\/docs$/m;
    [, url = ''] = await server.until('stdout', address, 300_000);
  }, 320_000);

  afterAll(async () => {
    await reader?.close();
    await gitServer?.close();
    await copy?.remove();
  });

  test('consist of a server and steps in a second terminal', () => {
    const actions = steps.map(({ action: does, argument: of }) => `${does} ${of}`.trim());
    expect(actions).toEqual(['start', 'run', 'run', 'save first-steps.ts', 'run']);
  });

  test('lead from an empty machine to a published site of imported pages', async () => {
    const [, printed = ''] = /^ {2}token +(\S+)$/m.exec(server.output.stdout) ?? [];
    const [, paste, ...others] = steps;
    // As in a terminal, the line after the command is the input of `read`.
    expect(await reader.type(`${paste?.text.trimEnd()}\n${printed}`)).toContain('Token: ');
    for (const step of others) {
      await reader.follow(step);
      if (step.text.startsWith('curl')) {
        expect(reader.printed).toContain('"email":"admin@localhost"');
      }
    }
    const lines = [
      'Admin of My organization',
      '3 pages imported',
      'setup/linux.md:1 layout.width was replaced with "default"…',
      "[ 'Welcome', 'Setting up' ]",
      'Where it begins.',
      'Linux  setup/linux',
    ];
    expect(missingLine(reader.printed, lines.join('\n'))).toBeUndefined();
    const [, site = ''] = /^Published at (\S+)$/m.exec(reader.printed) ?? [];
    expect(await (await fetch(site)).text()).toContain('<h1 id="welcome">Welcome</h1>');
  });

  test('use the client as its types allow', async () => {
    const config = { extends: './tsconfig.json', include: ['first-steps.ts'] };
    await writeFile(join(copy.folder, 'tsconfig.first-steps.json'), JSON.stringify(config));
    const checked = await checkTypes('tsconfig.first-steps.json', copy.folder);
    expect(checked).toMatchObject({ code: 0, stdout: '' });
  });

  test('end when the server is interrupted', async () => {
    // Signals the whole group, as Ctrl-C in a terminal does: npm and the server; npm forwards the signal once more.
    process.kill(-Number(server.child.pid), 'SIGINT');
    await server.until('stdout', /"msg":"stopping/);
    await server.ended;
    expect(server.output.stdout).not.toContain('stopping immediately');
  });
});

/** Pages for adopters with blocks that the tests follow, and pages without blocks that link to them. */
const FOLLOWED = [
  'README.md',
  'client/README.md',
  'client/build/README.md',
  'client/build/platform.md',
  'client/build/toolkit.md',
  'server/contract/README.md',
  'server/running.md',
  'spec/authoring.md',
  'spec/toolchain/ci.md',
  'spec/your-own-service.md',
];
const PAGES = [...FOLLOWED, 'server/README.md', 'spec/README.md', 'test/README.md'];

describe.each(PAGES)('the page %s', (page) => {
  test('has no block without an action', () => {
    const steps = readBlocks(page).filter(isStep);
    const left = steps.filter(({ action: does }) => does === undefined || !FOLLOWED.includes(page));
    expect(left.map(({ line, text }) => `${page}:${line} ${text}`)).toEqual([]);
  });

  test('quotes lines of the files that it names', () => {
    const lines = (text: string) => text.split('\n').map((line) => line.trim());
    for (const { action: does, argument: of, text } of readBlocks(page)) {
      if (does !== 'excerpt') {
        continue;
      }
      expect(lines(readText(of)).join('\n')).toContain(lines(text).join('\n'));
    }
  });

  test('links to existing files, and names existing npm commands', () => {
    const links = [...readText(page).matchAll(/\]\((?!https?:)([^)#]+)[^)]*\)/g)].map(
      ([, path = '']) => path,
    );
    expect(links.filter((path) => !existsSync(join(ROOT, dirname(page), path)))).toEqual([]);
    const commands = [...readText(page).matchAll(/npm run (?:--silent )?([\w-]+)/g)].map(
      ([, name = '']) => name,
    );
    const { scripts } = JSON.parse(readText('package.json'));
    expect(commands.filter((name) => !(name in scripts))).toEqual([]);
  });

  test('runs npx only with commands that are installed, here or by one of the packages', () => {
    const programs = [...readText(page).matchAll(/npx ([\w-]+)/g)].map(([, name = '']) => name);
    const ours = Object.values(packages).flatMap(({ commands }) => Object.keys(commands));
    const isInstalled = (name: string) =>
      ours.includes(name) || existsSync(join(ROOT, 'node_modules/.bin', name));
    expect(programs.filter((name) => !isInstalled(name))).toEqual([]);
  });
});

describe('the README', () => {
  test('links to the guides', () => {
    const guides = [
      'spec/your-own-service.md',
      'spec/authoring.md',
      'client/README.md',
      'spec/toolchain/ci.md',
      'server/running.md',
    ];
    expect(guides.filter((page) => !readme.includes(`](${page})`))).toEqual([]);
  });
});

/** Repository that replaces the one of the README. */
const REPOSITORY = {
  'SUMMARY.md':
    '# Contents\n\n* [Welcome](README.md)\n* [Setting up](setup/README.md)\n  * [Linux](setup/linux.md)\n',
  'README.md': '# Welcome\n\nWhere it begins.\n',
  'setup/README.md': '# Setting up\n\nChoose a system.\n',
  'setup/linux.md': '---\nlayout:\n  width: huge\n---\n\n# Linux\n\nHow to install it on Linux.\n',
};
