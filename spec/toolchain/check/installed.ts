import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { Project } from '../project.ts';

/** Absolute path of a file in an installed package of the project; `undefined` if it is not installed. */
export function installedFile(project: Project, specifier: string): string | undefined {
  const { resolve } = createRequire(join(project.root, 'package.json'));
  try {
    return resolve(specifier);
  } catch {
    return undefined;
  }
}

/** TypeScript compiler: absolute path of its script, and its major version. */
export interface TypeScript {
  command: string;
  major: number;
}

/** Finds the compiler that `npx tsc` runs in the project, or else the compiler of this package. */
export function findTypeScript(project: Project): TypeScript {
  const manifest =
    manifestOfCommand(project.root) ??
    installedFile(project, 'typescript/package.json') ??
    createRequire(import.meta.url).resolve('typescript/package.json');
  // The manifest of an installed package always has a version.
  const { version } = JSON.parse(readFileSync(manifest, 'utf8')) as { version: string };
  return { command: join(dirname(manifest), 'bin/tsc'), major: Number.parseInt(version, 10) };
}

/** Finds the package of the command `tsc`: if two versions are installed under two names, it is the intended one. */
function manifestOfCommand(folder: string): string | undefined {
  const command = join(folder, 'node_modules/.bin/tsc');
  if (existsSync(command)) {
    const manifest = join(dirname(realpathSync(command)), '../package.json');
    // On Windows the command is an npm script that does not link to its package.
    return existsSync(manifest) && manifest.includes('node_modules') && !manifest.includes('.bin')
      ? manifest
      : undefined;
  }
  return dirname(folder) === folder ? undefined : manifestOfCommand(dirname(folder));
}
