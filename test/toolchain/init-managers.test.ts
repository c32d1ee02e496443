import { existsSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { findReferences, packageOf } from '../../client/build/imports.ts';
import { contractFiles } from '../../spec/toolchain/init/contract-files.ts';
import { detectPackageManager } from '../../spec/toolchain/init/package-manager.ts';
import { ROOT } from '../support/processes/program.ts';
import { PACKAGE, runCommand } from './run-command.ts';

// What a project declares and states for its package manager. The tests of the packages run each of them.

let place: string;
beforeAll(async () => {
  const parent = join(import.meta.dirname, '.colophon');
  await mkdir(parent, { recursive: true });
  place = await mkdtemp(join(parent, 'managers-'));
});
afterAll(() => rm(place, { recursive: true, force: true }));

async function folderWith(name: string, files: Record<string, string> = {}): Promise<string> {
  const root = join(place, name);
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
  await mkdir(root, { recursive: true });
  return root;
}

/** Runs `init` as a package manager does. Returns the output, and the names of the written files. */
async function initWith(
  root: string,
  userAgent: string,
  ...args: string[]
): Promise<{ out: string; files: string[] }> {
  const before = process.env.npm_config_user_agent;
  process.env.npm_config_user_agent = userAgent;
  try {
    const { code, out, err } = await runCommand(PACKAGE, root, ['init', ...args]);
    expect([code, err]).toEqual([0, '']);
    return { out, files: [...out.matchAll(/^wrote (.*)$/gm)].map(([, path = '']) => path) };
  } finally {
    if (before === undefined) {
      delete process.env.npm_config_user_agent;
    } else {
      process.env.npm_config_user_agent = before;
    }
  }
}

/** Packages that files import, or that scripts start. */
async function packagesUsedIn(root: string, files: readonly string[]): Promise<string[]> {
  const used = new Set<string>();
  for (const file of files.filter((path) => /\.[cm]?ts$/.test(path))) {
    for (const { specifier } of findReferences(await readFile(join(root, file), 'utf8'), file)) {
      const name = isBuiltin(specifier) ? '@types/node' : packageOf(specifier);
      if (name !== undefined) {
        used.add(name);
      }
    }
  }
  const { packages } = await contractFiles(
    root,
    files.filter((path) => path.endsWith('.tsp')),
  );
  const { compilerOptions } = JSON.parse(await readFile(join(root, 'tsconfig.json'), 'utf8'));
  const { scripts } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  const programs: Record<string, string> = { colophon: '@colophon/toolkit', vitest: 'vitest' };
  for (const command of Object.values<string>(scripts)) {
    const [program = ''] = command.split(' ');
    expect([...Object.keys(programs), 'node']).toContain(program);
    used.add(programs[program] ?? '@types/node');
  }
  for (const name of compilerOptions.types) {
    used.add(`@types/${name}`);
  }
  return [...used, ...packages];
}

/** Packages that a package requires next to it, and the types of one without types of its own. */
function companionsOf(name: string): string[] {
  const folder = name === '@colophon/toolkit' ? ROOT : join(ROOT, 'node_modules', name);
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const { peerDependencies = {}, peerDependenciesMeta = {} } = manifest;
  const peers = Object.keys(peerDependencies).filter((peer) => !peerDependenciesMeta[peer]?.optional);
  const types = `@types/${name}`;
  return existsSync(join(ROOT, 'node_modules', types)) ? [...peers, types] : peers;
}

describe('the manifest of a project', () => {
  test.each([
    ['its first contract', undefined],
    ['an OpenAPI document', 'test/fixtures/pets/openapi.yaml'],
  ])('declares exactly what the project of %s imports and starts, with its peers', async (_, contract) => {
    const root = await folderWith(contract === undefined ? 'starter' : 'pets');
    const { files } = await initWith(root, '', ...(contract === undefined ? [] : [join(ROOT, contract)]));
    const used = new Set(await packagesUsedIn(root, files));
    // The type check of the project runs its own compiler.
    used.add('typescript');
    for (const name of used) {
      for (const companion of companionsOf(name)) {
        used.add(companion);
      }
    }
    const manifest = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
    const declared = Object.keys({ ...manifest.dependencies, ...manifest.devDependencies });
    expect(declared.sort()).toEqual([...used].sort());
  });
});

describe('the package manager of a project', () => {
  test.each([
    ['npm', {}, ''],
    ['npm', {}, 'npm/11.6.0 node/v24.0.0 linux x64'],
    ['pnpm', {}, 'pnpm/12.21.0 npm/? node/v24.0.0 linux x64'],
    ['yarn', {}, 'yarn/4.18.1 npm/? node/v24.0.0 linux x64'],
    ['yarn-classic', {}, 'yarn/1.22.22 npm/? node/v24.0.0 linux x64'],
    ['bun', {}, 'bun/1.4.5 npm/? node/v24.0.0 linux x64'],
    ['npm', {}, 'cnpm/9.0.0 node/v24.0.0'],
    ['npm', {}, 'constructor/1.0.0'],
    ['pnpm', { 'pnpm-lock.yaml': '' }, 'npm/11.6.0 node/v24.0.0'],
    ['yarn', { 'yarn.lock': '__metadata:\n  version: 8\n' }, 'npm/11.6.0 node/v24.0.0'],
    ['yarn', { 'yarn.lock': '', '.yarnrc.yml': '' }, 'npm/11.6.0 node/v24.0.0'],
    ['yarn-classic', { 'yarn.lock': '# yarn lockfile v1\n' }, 'npm/11.6.0 node/v24.0.0'],
    ['bun', { 'bun.lock': '{}' }, 'npm/11.6.0 node/v24.0.0'],
    ['npm', { 'package-lock.json': '{}' }, 'pnpm/12.21.0 npm/?'],
    ['pnpm', { 'package.json': '{ "packageManager": "pnpm@10.1.0" }', 'yarn.lock': '' }, 'npm/11.6.0'],
    ['yarn-classic', { 'package.json': '{ "packageManager": "yarn@1.22.19" }' }, 'npm/11.6.0'],
    ['yarn', { 'package.json': '{ "packageManager": "yarn@4.9.1" }' }, 'yarn/1.22.22 npm/?'],
  ])('is %s, given the files %j and the program %j', async (name, files, userAgent) => {
    const root = await folderWith(`detect-${Math.abs(hash(JSON.stringify([files, userAgent])))}`, files);
    expect(detectPackageManager(root, userAgent).name).toBe(name);
  });

  test.each([
    ['npm/11.6.0 node/v24.0.0', 'npm', 'npm install && npm run dev', 'npm ci', 'npm test'],
    [
      'pnpm/12.21.0 npm/?',
      'pnpm',
      'pnpm install && pnpm run dev',
      'pnpm install --frozen-lockfile',
      'pnpm test',
    ],
    ['yarn/4.18.1 npm/?', 'yarn', 'yarn install && yarn run dev', 'yarn install --immutable', 'yarn test'],
    [
      'yarn/1.22.22 npm/?',
      'yarn',
      'yarn install && yarn run dev',
      'yarn install --frozen-lockfile',
      'yarn test',
    ],
    ['bun/1.4.5 npm/?', 'bun', 'bun install && bun run dev', 'bun install --frozen-lockfile', 'bun run test'],
  ])(
    'that %j names has its commands in the README, the workflow and the output',
    async (agent, program, dev, frozen, tests) => {
      const root = await folderWith(`written-${agent.replace(/\W+/g, '-')}`);
      const { out, files } = await initWith(root, agent, join(ROOT, 'test/fixtures/pets/openapi.yaml'));
      expect(out).toContain(`\nNext:\n  ${program} install\n  ${tests}\n  ${program} run dev\n`);
      const readme = await readFile(join(root, 'README.md'), 'utf8');
      expect(readme).toContain(`\n${dev}\n`);
      expect(readme).toContain(`| \`${tests}\` |`);
      const workflow = parse(await readFile(join(root, '.github/workflows/contract.yml'), 'utf8'));
      const steps: { run?: string; uses?: string }[] = workflow.jobs.contract.steps;
      const commands = steps.flatMap(({ run }) =>
        run === undefined || run === 'corepack enable' ? [] : [run],
      );
      expect(commands.slice(0, 3)).toEqual([frozen, `${program} run check`, tests]);
      const other = ['npm', 'pnpm', 'yarn', 'bun'].filter((name) => name !== program);
      const texts = [readme, ...commands, await readFile(join(root, 'spec/released/approvals.yaml'), 'utf8')];
      for (const text of texts) {
        expect(text).not.toMatch(new RegExp(`\\b(${other.join('|')})( run| test| install| start|x )`));
      }
      // Plug'n'Play is not supported.
      expect(files.includes('.yarnrc.yml')).toBe(agent.startsWith('yarn/4'));
    },
  );
});

/** Short name of a case. */
function hash(text: string): number {
  return [...text].reduce((sum, character) => (sum * 31 + (character.codePointAt(0) ?? 0)) | 0, 7);
}
