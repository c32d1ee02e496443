import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, cp, mkdir, readFile, rename, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from '../../support/processes/program.ts';

/** What package.json and the lock file state about a package. */
interface Manifest {
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
}

/** What package.json of a packed package states. */
interface Packed extends Manifest {
  name: string;
  /** Its programs, by name. */
  bin: Record<string, string>;
}

type Locked = Readonly<Record<string, Manifest>>;

/**
 * Installs a packed package as `npm install` does with the lock file of this repository, whose packages it copies: npm
 * would request the registry.
 */
export async function installPacked(folder: string, archive: string): Promise<void> {
  const unpacked = join(folder, 'unpacked');
  await mkdir(unpacked);
  await promisify(execFile)('tar', ['-xzf', archive, '-C', unpacked, '--strip-components=1']);
  const manifest: Packed = JSON.parse(await readFile(join(unpacked, 'package.json'), 'utf8'));
  const { name, bin } = manifest;
  await mkdir(join(folder, 'node_modules', dirname(name)), { recursive: true });
  await rename(unpacked, join(folder, 'node_modules', name));
  const lock: { packages: Locked } = JSON.parse(await readFile(join(folder, 'package-lock.json'), 'utf8'));
  // Optional packages of other systems are not installed.
  const paths = [...dependenciesOf(manifest, lock.packages)].filter((path) => existsSync(join(ROOT, path)));
  for (const path of paths) {
    await cp(join(ROOT, path), join(folder, path), { recursive: true, verbatimSymlinks: true });
  }
  const programs = join(folder, 'node_modules/.bin');
  await mkdir(programs);
  for (const [program, file] of Object.entries(bin)) {
    await chmod(join(folder, 'node_modules', name, file), 0o755);
    await symlink(join('..', name, file), join(programs, program));
  }
}

/** Lists the paths of a package's dependencies, with theirs, that are installed for this machine. */
function dependenciesOf(manifest: Manifest, locked: Locked): Set<string> {
  const found = new Set<string>();
  const visit = ({ dependencies, optionalDependencies }: Manifest, from: string) => {
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
      const path = resolvePackage(name, from, locked);
      const entry = path === undefined ? undefined : locked[path];
      if (path !== undefined && entry !== undefined && !found.has(path)) {
        found.add(path);
        visit(entry, path);
      }
    }
  };
  visit(manifest, '');
  return found;
}

/** Finds a package as Node does, from the folder of the package that requires it. */
function resolvePackage(name: string, from: string, locked: Locked): string | undefined {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/node_modules/')))) {
    const path = `${folder === '' ? '' : `${folder}/`}node_modules/${name}`;
    if (path in locked || folder === '') {
      return path in locked ? path : undefined;
    }
  }
}
