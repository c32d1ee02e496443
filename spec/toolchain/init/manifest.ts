import { existsSync, readFileSync } from 'node:fs';
import { join, relative, resolve, sep } from 'node:path';

/** Name of the package that contains this file once it is published. */
const TOOLKIT = '@colophon/toolkit';

/** The `test` script of `npm init`, which only fails. */
const NO_TESTS = 'echo "Error: no test specified" && exit 1';

/** Properties of a `package.json` that a project needs. */
export interface Manifest {
  type?: string | undefined;
  scripts?: Record<string, string>;
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
  [property: string]: unknown;
}

/** Manifest of a project, and the properties that it replaces. */
export interface MergedManifest {
  manifest: Manifest;
  /** Such as `scripts.test`. */
  replaced: string[];
}

/**
 * Adds what a project needs to its manifest: scripts, dependencies and the module type. Versions and properties that it
 * has are unchanged; scripts and a module type that differ are replaced. What `init` added for a previous contract is
 * removed.
 * @param added what `init` added before
 * @param kept whether scripts that differ remain
 */
export function mergeManifest(
  needed: Manifest,
  existing: Manifest,
  added: Pick<Manifest, 'scripts' | 'dependencies' | 'devDependencies'> = {},
  kept = false,
): MergedManifest {
  const replaced = Object.entries(needed.scripts ?? {})
    .filter(
      ([name, command]) =>
        ![undefined, command, NO_TESTS, added.scripts?.[name]].includes(existing.scripts?.[name]),
    )
    .map(([name]) => `scripts.${name}`);
  const remaining = Object.fromEntries(
    Object.entries(existing.scripts ?? {}).filter(([name]) => kept && replaced.includes(`scripts.${name}`)),
  );
  if (existing.type !== undefined && existing.type !== needed.type) {
    replaced.push('type');
  }
  const merged = (property: 'dependencies' | 'devDependencies') => {
    const others = { ...existing.dependencies, ...existing.devDependencies };
    const missing = Object.entries(needed[property] ?? {}).filter(([name]) => !(name in others));
    const required = { ...needed.dependencies, ...needed.devDependencies };
    const present = Object.entries(existing[property] ?? {}).filter(
      ([name, version]) => name in required || added[property]?.[name] !== version,
    );
    const all = [...present, ...missing];
    return Object.fromEntries(all.sort(([one], [other]) => (one < other ? -1 : 1)));
  };
  const manifest = {
    ...needed,
    ...existing,
    type: needed.type,
    scripts: { ...existing.scripts, ...needed.scripts, ...remaining },
    dependencies: merged('dependencies'),
    devDependencies: merged('devDependencies'),
  };
  return { manifest, replaced };
}

/** Scripts and dependencies of a manifest that are those that a project needs. */
export function addedBy(
  needed: Manifest,
  manifest: Manifest,
): Pick<Manifest, 'scripts' | 'dependencies' | 'devDependencies'> {
  const same = (property: 'scripts' | 'dependencies' | 'devDependencies') =>
    Object.fromEntries(
      Object.entries(needed[property] ?? {}).filter(([name, value]) => manifest[property]?.[name] === value),
    );
  return {
    scripts: same('scripts'),
    dependencies: same('dependencies'),
    devDependencies: same('devDependencies'),
  };
}

/** Reads the manifest of a folder; empty if there is none. */
export function readManifest(folder: string): Manifest {
  const path = join(folder, 'package.json');
  // npm requires the properties to have these types.
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Manifest) : {};
}

/**
 * Version or location for a project to install the toolkit from: that of the running toolkit, such as
 * `file:../colophon-toolkit-0.1.0.tgz`.
 * @param root folder of the project
 * @param own folder of the running toolkit
 */
export function toolkitSource(root: string, own = join(import.meta.dirname, '../../..')): string {
  const end = own.lastIndexOf(`${sep}node_modules${sep}`);
  const installer = end === -1 ? '' : own.slice(0, end);
  const source = installer === '' ? undefined : readManifest(installer).dependencies?.[TOOLKIT];
  // Bun writes paths without a scheme.
  if (source !== undefined && /^(file:|\.{0,2}\/)/.test(source)) {
    const path = relative(root, resolve(installer, source.replace(/^file:/, '')));
    return `file:${path.split(sep).join('/')}`;
  }
  // The manifest of a package always has a version.
  return source ?? (readManifest(own).version as string);
}

/**
 * Versions of the packages that a contract in TypeSpec imports, and of those that they require: the versions of the
 * toolkit. Some package managers do not install its dependencies where the contract finds them.
 * @param imported names of packages; those that the toolkit does not include are left out
 */
export function contractPackages(
  imported: ReadonlySet<string>,
  own = join(import.meta.dirname, '../../..'),
): Record<string, string> {
  const { dependencies = {} } = readManifest(own);
  const required = ['@typespec/compiler', '@typespec/http', ...imported];
  return Object.fromEntries(
    [...new Set(required)].sort().flatMap((name) => {
      const version = dependencies[name];
      return version === undefined ? [] : [[name, version]];
    }),
  );
}
