import { readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { relative } from 'node:path';
import { findReferences, packageOf } from './imports.ts';

/** Properties of the project's manifest that the published manifest is derived from. */
export interface ProjectManifest {
  name: string;
  version: string;
  description: string;
  license: string;
  engines: Readonly<Record<string, string>>;
  dependencies: Readonly<Record<string, string>>;
  devDependencies: Readonly<Record<string, string>>;
}

/** Export of the package: the path of a module without extension, or of a data file. */
export type PackageExport = { module: string } | { file: string };

/**
 * Finds the imported packages, with the versions that the project pins.
 *
 * A declaration file that imports a package without types needs the package of its types: `@types/express` for
 * `express`, `@types/node` for the modules of Node.
 * @param files absolute paths of JavaScript and declaration files
 * @param project manifest of the project
 * @param out folder of the files; messages name files relative to it
 * @param optional packages to ignore, because their importers work without them
 * @throws Error when a file imports a package that is not among the project's dependencies
 */
export function findDependencies(
  files: readonly string[],
  project: ProjectManifest,
  out: string,
  optional: readonly string[] = [],
): Record<string, string> {
  const dependencies = new Map<string, string>();
  for (const file of files.filter((name) => /\.(js|ts)$/.test(name))) {
    for (const { specifier } of findReferences(readFileSync(file, 'utf8'), file)) {
      const isDeclaration = file.endsWith('.d.ts');
      const name = isBuiltin(specifier) ? (isDeclaration ? 'node' : undefined) : packageOf(specifier);
      if (name === undefined || name === project.name || optional.includes(name)) {
        continue;
      }
      const types = `@types/${name.replace(/^@(.*)\//, '$1__')}`;
      const typesVersion = project.devDependencies[types];
      if (isDeclaration && typesVersion !== undefined) {
        dependencies.set(types, typesVersion);
        continue;
      }
      const version = project.dependencies[name];
      if (version === undefined) {
        throw new Error(
          `${relative(out, file)} imports ${name}, which is not in "dependencies" of package.json, ` +
            'so the installed package could not resolve it. Add it there, or remove the import.',
        );
      }
      dependencies.set(name, version);
    }
  }
  return Object.fromEntries([...dependencies].sort(([one], [other]) => (one < other ? -1 : 1)));
}

/**
 * Creates the published manifest: no scripts, no tools, and only the dependencies that are imported.
 * @param project manifest of the project
 * @param packageExports exports by entry
 * @param commands paths of JavaScript files by the name of the command
 * @param dependencies as from `findDependencies`
 * @param optional packages of the project that become optional peers
 */
export function publishedManifest(
  project: ProjectManifest,
  packageExports: Readonly<Record<string, PackageExport>>,
  commands: Readonly<Record<string, string>>,
  dependencies: Readonly<Record<string, string>>,
  optional: readonly string[],
): object {
  const { name, version, description, license, engines } = project;
  const exports = Object.fromEntries(
    Object.entries(packageExports).map(([path, entry]) => [
      path,
      'file' in entry ? entry.file : { types: `${entry.module}.d.ts`, default: `${entry.module}.js` },
    ]),
  );
  const bin = Object.keys(commands).length > 0 ? { bin: commands } : {};
  return {
    ...{ name, version, description, license, type: 'module', exports, ...bin, engines, dependencies },
    // Peers, so that the installing project and this package share one copy of each; ranges, so that the project chooses
    // the version.
    peerDependencies: Object.fromEntries(optional.map((peer) => [peer, `^${project.devDependencies[peer]}`])),
    peerDependenciesMeta: Object.fromEntries(optional.map((peer) => [peer, { optional: true }])),
  };
}
