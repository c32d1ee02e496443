import { readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { relative } from 'node:path';
import { findReferences, packageOf } from './imports.ts';

/** What the manifest of the project says, as far as the published one follows from it. */
export interface ProjectManifest {
  name: string;
  version: string;
  description: string;
  license: string;
  engines: Readonly<Record<string, string>>;
  dependencies: Readonly<Record<string, string>>;
  devDependencies: Readonly<Record<string, string>>;
}

/** An export of the package: a module by its path without ending, or a data file by its path. */
export type Exported = { module: string } | { file: string };

/**
 * Finds the packages that some files import, at the versions that the project pins.
 *
 * A declaration file that names a package without types of its own needs the package of its types: `@types/express`
 * for `express`, `@types/node` for the modules of Node.
 * @param files absolute paths of JavaScript and declaration files
 * @param project the project's manifest
 * @param out the folder of the files, left out where a message names one
 * @param optional packages to pass over, because their importers do without them
 * @throws Error when a file imports a package that is not among the project's dependencies
 */
export function findDependencies(
  files: readonly string[],
  project: ProjectManifest,
  out: string,
  optional: readonly string[] = [],
): Record<string, string> {
  const found = new Map<string, string>();
  for (const file of files.filter((name) => /\.(js|ts)$/.test(name))) {
    for (const { specifier } of findReferences(readFileSync(file, 'utf8'), file)) {
      const declares = file.endsWith('.d.ts');
      const name = isBuiltin(specifier) ? (declares ? 'node' : undefined) : packageOf(specifier);
      if (name === undefined || name === project.name || optional.includes(name)) {
        continue;
      }
      const types = `@types/${name.replace(/^@(.*)\//, '$1__')}`;
      const typesVersion = project.devDependencies[types];
      if (declares && typesVersion !== undefined) {
        found.set(types, typesVersion);
        continue;
      }
      const version = project.dependencies[name];
      if (version === undefined) {
        throw new Error(
          `${relative(out, file)} imports ${name}, which is not in "dependencies" of package.json, ` +
            'so an installed package would not find it: add it there, or do not import it.',
        );
      }
      found.set(name, version);
    }
  }
  return Object.fromEntries([...found].sort(([one], [other]) => (one < other ? -1 : 1)));
}

/**
 * Writes down what is published: no scripts, no tools, and only the dependencies that are imported.
 * @param project the project's manifest
 * @param exported what each entry of the package is
 * @param commands the commands it installs, by name, each a path to JavaScript
 * @param dependencies as from `findDependencies`
 * @param optional packages of the project that whoever wants them installs beside this one
 */
export function publishedManifest(
  project: ProjectManifest,
  exported: Readonly<Record<string, Exported>>,
  commands: Readonly<Record<string, string>>,
  dependencies: Readonly<Record<string, string>>,
  optional: readonly string[],
): object {
  const { name, version, description, license, engines } = project;
  const exports = Object.fromEntries(
    Object.entries(exported).map(([entry, what]) => [
      entry,
      'file' in what ? what.file : { types: `${what.module}.d.ts`, default: `${what.module}.js` },
    ]),
  );
  const bin = Object.keys(commands).length > 0 ? { bin: commands } : {};
  return {
    ...{ name, version, description, license, type: 'module', exports, ...bin, engines, dependencies },
    // Peers, so that the project's own libraries and this package meet in one copy of each; ranges, so that the
    // project chooses its version.
    peerDependencies: Object.fromEntries(optional.map((peer) => [peer, `^${project.devDependencies[peer]}`])),
    peerDependenciesMeta: Object.fromEntries(optional.map((peer) => [peer, { optional: true }])),
  };
}
