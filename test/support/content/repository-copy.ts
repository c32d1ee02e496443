import { lstatSync } from 'node:fs';
import { cp, mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { git } from '../git/git-files.ts';
import { ROOT } from '../processes/program.ts';
import { makeNumberedFolder } from '../processes/temporary.ts';

/** Creates a folder that the test removes. */
export async function makeFolder(): Promise<{ folder: string; remove(): Promise<void> }> {
  const folder = await makeNumberedFolder('colophon-guide-');
  return { folder, remove: () => rm(folder, { recursive: true, force: true }) };
}

/** Copies the files of the repository that git tracks or would track: no packages, no data. */
export async function copyRepository(folder: string): Promise<void> {
  const listed = await git(ROOT, ['ls-files', '-z', '--cached', '--others', '--exclude-standard']);
  // Files only: through a link, a clean install would empty the installed packages themselves.
  const files = listed.split('\0').filter((name) => lstatSync(join(ROOT, name), quiet)?.isFile());
  await Promise.all(files.map((file) => cp(join(ROOT, file), join(folder, file))));
}

const quiet = { throwIfNoEntry: false } as const;

/** What `test/` needs to run a test: its configuration, and the servers and databases of all tests. */
const TEST_SUPPORT = ['vitest.config.ts', 'support', 'fixtures'];

/**
 * Removes the tests from a copy for a page that runs none of them, except those in `retained`, and the modules that
 * only they import: each type check of the page would check them, which takes a third of its time.
 */
export async function removeTests(folder: string, retained: readonly string[] = []): Promise<void> {
  const tests = join(folder, 'test');
  const removed = (await readdir(tests)).filter((name) => !TEST_SUPPORT.includes(name));
  await Promise.all(removed.map((name) => rm(join(tests, name), { recursive: true })));
  await Promise.all(retained.map((file) => cp(join(ROOT, file), join(folder, file))));
}

/** Copies the repository and links the packages of this one. Nothing may be installed in the copy. */
export async function installedCopy(): Promise<{ folder: string; remove(): Promise<void> }> {
  const copy = await makeFolder();
  await copyRepository(copy.folder);
  await linkPackages(copy.folder);
  return copy;
}

/** Folders with installed packages. */
const PACKAGE_FOLDERS = ['node_modules', 'spec/toolchain/types/node_modules'];

/** Links the packages of this repository into a copy. Packages of the repository itself are those of the copy. */
export async function linkPackages(folder: string): Promise<void> {
  const own = '@colophon';
  for (const path of PACKAGE_FOLDERS) {
    const [packages, links] = [join(ROOT, path), join(folder, path)];
    await mkdir(links, { recursive: true });
    const names = (await readdir(packages)).filter((name) => name !== own);
    await Promise.all(names.map((name) => symlink(join(packages, name), join(links, name))));
  }
  const scope = join('node_modules', own);
  await cp(join(ROOT, scope), join(folder, scope), { recursive: true, verbatimSymlinks: true });
}

/** Removes clean installs from commands for an {@link installedCopy}: they would empty the packages of this one. */
export function withoutInstall(text: string): string {
  return text.replace(/\bnpm ci\b/g, 'echo installed');
}

/** Turns a folder into a clone of its own repository, with its files committed to the branch `main`. */
export async function commitAll(folder: string, origin: string): Promise<void> {
  await git(folder, ['init', '--quiet', '--initial-branch=main', '.']);
  await git(folder, ['add', '--all']);
  const author = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com', '-c', 'commit.gpgSign=false'];
  await git(folder, [...author, 'commit', '--quiet', '--message', 'Begin']);
  await git(folder, ['clone', '--quiet', '--bare', '.', origin]);
  await git(folder, ['remote', 'add', 'origin', origin]);
  await git(folder, ['fetch', '--quiet', 'origin']);
  await git(folder, ['branch', '--quiet', '--set-upstream-to=origin/main']);
}

/** Limits the formatter and the linter of a copy to some files: all files of the repository take three seconds of CPU. */
export async function limitBiome(folder: string, files: readonly string[]): Promise<void> {
  await editSettings<{ files: object }>(join(folder, '.biome.json'), (settings) => {
    settings.files = { includes: files };
  });
}

/**
 * Limits `npm run check` of a copy, if its page changes the service, to the types of the service and the format of some
 * files: CI runs the check of the whole repository.
 *
 * @param files of the page. Those in `test/` are type-checked
 */
export async function limitChecks(folder: string, files: readonly string[]): Promise<void> {
  await limitBiome(folder, files);
  await editSettings<{ include: string[] }>(join(folder, 'tsconfig.json'), (settings) => {
    settings.include = ['generated', 'server', 'client', ...files.filter((file) => file.startsWith('test/'))];
  });
}

/**
 * Makes type checks of a copy of the repository incremental: later ones take a third of the CPU time of the first.
 *
 * @param buildInfoFile cache of the compiler, relative to the copy
 */
export async function checkTypesIncrementally(
  folder: string,
  buildInfoFile = '.colophon/types.tsbuildinfo',
): Promise<void> {
  const file = join(folder, 'tsconfig.json');
  const text = await readFile(file, 'utf8');
  const options = { incremental: true, tsBuildInfoFile: buildInfoFile };
  const lines = Object.entries(options).map(([name, value]) => `\n    "${name}": ${JSON.stringify(value)},`);
  // As the formatter writes it, which the gate runs in its copies.
  await writeFile(
    file,
    text.replace('"compilerOptions": {', (start) => start + lines.join('')),
  );
}

async function editSettings<Settings>(file: string, edit: (settings: Settings) => void): Promise<void> {
  const settings: Settings = JSON.parse(await readFile(file, 'utf8'));
  edit(settings);
  await writeFile(file, `${JSON.stringify(settings, null, 2)}\n`);
}
