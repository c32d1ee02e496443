import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { Project } from './project.ts';

/** The absolute path of a file of a package that the project has installed; undefined where it has not. */
export function installedFile(project: Project, specifier: string): string | undefined {
  const { resolve } = createRequire(join(project.root, 'package.json'));
  try {
    return resolve(specifier);
  } catch {
    return undefined;
  }
}

/** A TypeScript compiler: the absolute path of its script, and its major version. */
export interface TypeScript {
  command: string;
  major: number;
}

/** The compiler that `npx tsc` runs in the project; the one of this package where the project has none. */
export function findTypeScript(project: Project): TypeScript {
  const manifest =
    manifestOfCommand(project.root) ??
    installedFile(project, 'typescript/package.json') ??
    createRequire(import.meta.url).resolve('typescript/package.json');
  // What a package says of itself, which always has a version.
  const { version } = JSON.parse(readFileSync(manifest, 'utf8')) as { version: string };
  return { command: join(dirname(manifest), 'bin/tsc'), major: Number.parseInt(version, 10) };
}

/** Where two versions are installed, under two names, the command `tsc` belongs to the one that is meant to check. */
function manifestOfCommand(folder: string): string | undefined {
  const command = join(folder, 'node_modules/.bin/tsc');
  if (existsSync(command)) {
    const manifest = join(dirname(realpathSync(command)), '../package.json');
    // Elsewhere than on POSIX the command is a script of npm's, which leads to no package.
    return existsSync(manifest) && manifest.includes('node_modules') && !manifest.includes('.bin')
      ? manifest
      : undefined;
  }
  return dirname(folder) === folder ? undefined : manifestOfCommand(dirname(folder));
}
