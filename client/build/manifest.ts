import { readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join, relative } from 'node:path';
import { commonJsName } from './commonjs.ts';
import { findReferences, packageOf } from './imports.ts';
import type { PackageDescription, PackageExport } from './packages.ts';

/** Properties of the project's manifest that the published manifests are derived from. */
export interface ProjectManifest {
  version: string;
  license: string;
  dependencies: Readonly<Record<string, string>>;
  devDependencies: Readonly<Record<string, string>>;
  optionalDependencies: Readonly<Record<string, string>>;
}

/**
 * Reads the manifest of a project. Packages of the project itself (`file:`) are built into the packages that import them,
 * so that their dependencies replace them.
 * @param root folder of the project
 */
export function readProject(root: string): ProjectManifest {
  // The project's own manifests have the properties of the type.
  const read = (folder: string) =>
    JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')) as ProjectManifest;
  const project = read('.');
  const dependencies = Object.entries(project.dependencies).flatMap(([name, version]) =>
    version.startsWith('file:')
      ? Object.entries(read(version.slice('file:'.length)).dependencies)
      : [[name, version] as const],
  );
  return { ...project, dependencies: Object.fromEntries(dependencies) };
}

/**
 * Finds the imported packages, with the versions that the project pins.
 *
 * A declaration file that imports a package without types needs the package of its types: `@types/express` for
 * `express`, `@types/node` for the modules of Node.
 * @param files absolute paths of JavaScript and declaration files
 * @param project manifest of the project
 * @param out folder of the files; messages name files relative to it
 * @param additional packages to add
 * @throws Error when a package is not among the project's dependencies
 */
export function findDependencies(
  files: readonly string[],
  project: ProjectManifest,
  out: string,
  additional: readonly string[] = [],
): Record<string, string> {
  const dependencies = new Map<string, string>();
  const add = (name: string, user: string) => {
    const version = project.dependencies[name];
    if (version === undefined) {
      throw new Error(
        `${user} ${name}, which is not in "dependencies" of package.json, ` +
          'so the installed package could not resolve it. Add it there, or remove the import.',
      );
    }
    dependencies.set(name, version);
  };
  for (const name of additional) {
    add(name, 'client/build/packages.ts lists');
  }
  for (const file of files.filter((name) => /\.(js|ts)$/.test(name))) {
    for (const { specifier } of findReferences(readFileSync(file, 'utf8'), file)) {
      const isDeclaration = file.endsWith('.d.ts');
      const name = isBuiltin(specifier) ? (isDeclaration ? 'node' : undefined) : packageOf(specifier);
      if (name === undefined) {
        continue;
      }
      const types = `@types/${name.replace(/^@(.*)\//, '$1__')}`;
      const typesVersion = project.devDependencies[types];
      if (isDeclaration && typesVersion !== undefined) {
        dependencies.set(types, typesVersion);
      } else {
        add(name, `${relative(out, file)} imports`);
      }
    }
  }
  return Object.fromEntries([...dependencies].sort(([one], [other]) => (one < other ? -1 : 1)));
}

/**
 * Creates a published manifest: no scripts, no tools, and only the dependencies that are imported.
 * @param project manifest of the project
 * @param description contents of the package
 * @param dependencies as from `findDependencies`
 * @param files names of the files and folders at the root of the package
 */
export function publishedManifest(
  { version, license, optionalDependencies }: ProjectManifest,
  { name, description, node, exports, commands, ...more }: PackageDescription,
  dependencies: Readonly<Record<string, string>>,
  files: readonly string[],
): object {
  const { '.': main } = exports;
  return {
    name,
    version,
    description,
    license,
    type: 'module',
    // For compilers and tools that do not support exports.
    ...(main && 'module' in main && { main: `${main.module}.cjs`, types: `${main.module}.d.cts` }),
    exports: Object.fromEntries(Object.entries(exports).map(([path, entry]) => [path, targetsOf(entry)])),
    ...(Object.keys(commands).length > 0 && {
      bin: Object.fromEntries(Object.entries(commands).map(([command, module]) => [command, `${module}.js`])),
    }),
    files,
    engines: { node },
    dependencies,
    ...(more.optionalDependencies.length > 0 && {
      optionalDependencies: Object.fromEntries(
        more.optionalDependencies.map((optional) => [optional, optionalDependencies[optional]]),
      ),
    }),
  };
}

function targetsOf(entry: PackageExport): object | string {
  if ('file' in entry) {
    return entry.file;
  }
  const [types, code] = [`${entry.module}.d.ts`, `${entry.module}.js`];
  return {
    import: { types, default: code },
    require: { types: commonJsName(types), default: commonJsName(code) },
  };
}
