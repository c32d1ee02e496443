import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { publint } from 'publint';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readProject } from '../../client/build/manifest.ts';
import { type PackageDescription, packages } from '../../client/build/packages.ts';
import {
  type BuiltPackages,
  buildPackages,
  installPackage,
  type PackageFolder,
  type Project,
} from '../support/packages.ts';
import { freePort } from '../support/processes/ports.ts';
import { ROOT } from '../support/processes/program.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { testClient } from './packages/client.ts';
import { testManagers } from './packages/managers.ts';
import { testOwnService } from './packages/own-service.ts';
import { testPlatform } from './packages/platform.ts';
import { testToolkit } from './packages/toolkit.ts';

// Each package is built and installed once, as its README describes, which takes half a minute of CPU. All tests share
// the three projects.

const names = Object.keys(packages) as PackageFolder[];
const descriptions: Readonly<Record<PackageFolder, PackageDescription>> = packages;

let built: BuiltPackages;
let server: TestServer;
const projects = new Map<PackageFolder, Project>();

beforeAll(async () => {
  [built, server] = await Promise.all([buildPackages(), startTestServer()]);
  const [toolkitPort, platformPort] = [await freePort(), await freePort()];
  const settings: Record<PackageFolder, [Record<string, string>, (text: string) => string]> = {
    toolkit: [
      {},
      (text) =>
        text
          .replaceAll('8080', String(toolkitPort))
          // Instead of a minute of requests.
          .replaceAll('colophon conform', 'colophon conform --seed 1 --max-requests 200'),
    ],
    'platform-client': [
      { TOKEN: server.admin.token },
      (text) => text.replaceAll('https://docs.example.com', server.url),
    ],
    platform: [
      { PORT: String(platformPort), COLOPHON_COMPILE_AHEAD: 'off' },
      (text) => text.replaceAll('127.0.0.1:3000', `127.0.0.1:${platformPort}`),
    ],
  };
  const install = async (name: PackageFolder) => {
    projects.set(name, await installPackage(built, name, descriptions[name].readme, ...settings[name]));
  };
  await Promise.all(names.map(install));
});

afterAll(async () => {
  await Promise.all([...projects.values()].map(({ reader }) => reader.close()));
  await server?.stop();
  await built?.remove();
});

function installed(name: PackageFolder): Project {
  const project = projects.get(name);
  if (project === undefined) {
    throw new Error(`The package ${name} was not installed.`);
  }
  return project;
}

test.each(names)('the package %s passes the checks of publint', async (name) => {
  const tarball = new Uint8Array(readFileSync(built.of(name).tarball)).buffer;
  const { messages } = await publint({ pack: { tarball }, strict: true });
  expect(messages).toEqual([]);
});

test.each(names)('the package %s has correct types for ES modules and CommonJS', async (name) => {
  const result = await checkPackage(createPackageFromTarballData(readFileSync(built.of(name).tarball)));
  const modules = Object.entries(descriptions[name].exports).filter(([, entry]) => 'module' in entry);
  expect(result.types ? Object.keys(result.entrypoints) : []).toEqual(modules.map(([path]) => path));
  const problems = result.types ? result.problems : [];
  // The resolution of Node 10 does not support exports, except that of the package itself.
  expect(
    problems.filter((problem) => !('resolutionKind' in problem && problem.resolutionKind === 'node10')),
  ).toEqual([]);
});

test.each(names)('the package %s depends on packages at exact versions, without install scripts', (name) => {
  const { manifest, project } = installed(name);
  const root = readProject(ROOT);
  for (const [dependency, version] of Object.entries(manifest.dependencies)) {
    expect(version).toMatch(/^\d+\.\d+\.\d+$/);
    expect(root.dependencies[dependency] ?? root.devDependencies[dependency]).toBe(version);
  }
  expect(Object.keys(manifest)).not.toContain('scripts');
  const lock = JSON.parse(readFileSync(join(project, 'package-lock.json'), 'utf8'));
  const scripts = Object.entries<{ hasInstallScript?: boolean }>(lock.packages);
  expect(scripts.filter(([, { hasInstallScript }]) => hasInstallScript)).toEqual([]);
});

test.each(names)('the package %s has a README whose links lead to its files and headings', (name) => {
  const { folder, manifest } = built.of(name);
  const readme = readFileSync(join(folder, 'README.md'), 'utf8');
  expect(readme).toMatch(new RegExp(`^# ${manifest.name}\\n`));
  const headings = [...readme.matchAll(/^#+ (.+)$/gm)].map(
    ([, heading = '']) =>
      `#${heading
        .toLowerCase()
        .replace(/[^\w -]/g, '')
        .replaceAll(' ', '-')}`,
  );
  const links = [...readme.matchAll(/\]\((?!https:)([^)]+)\)/g)].map(([, link = '']) => link);
  expect(links.filter((link) => !headings.includes(link) && !existsSync(join(folder, link)))).toEqual([]);
  expect(readdirSync(folder)).toContain('LICENSE');
});

test('every dependency of the repository is one of a package', () => {
  const { dependencies } = readProject(ROOT);
  const used = new Set(names.flatMap((name) => Object.keys(built.of(name).manifest.dependencies)));
  expect(Object.keys(dependencies).filter((name) => !used.has(name))).toEqual([]);
});

describe('the platform client', () =>
  testClient(
    () => installed('platform-client'),
    () => server,
  ));
describe('the toolkit', () => {
  testToolkit(() => installed('toolkit'));
  testOwnService(() => built);
  testManagers(() => built);
});
describe('the platform', () =>
  testPlatform(
    () => installed('platform'),
    () => installed('platform-client'),
  ));
