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
 * has are unchanged; scripts and a module type that differ are replaced.
 */
export function mergeManifest(needed: Manifest, existing: Manifest): MergedManifest {
  const replaced = Object.entries(needed.scripts ?? {})
    .filter(([name, command]) => ![undefined, command, NO_TESTS].includes(existing.scripts?.[name]))
    .map(([name]) => `scripts.${name}`);
  if (existing.type !== undefined && existing.type !== needed.type) {
    replaced.push('type');
  }
  const merged = (property: 'dependencies' | 'devDependencies') => {
    const others = { ...existing.dependencies, ...existing.devDependencies };
    const missing = Object.entries(needed[property] ?? {}).filter(([name]) => !(name in others));
    const all = [...Object.entries(existing[property] ?? {}), ...missing];
    return Object.fromEntries(all.sort(([one], [other]) => (one < other ? -1 : 1)));
  };
  const manifest = {
    ...needed,
    ...existing,
    type: needed.type,
    scripts: { ...existing.scripts, ...needed.scripts },
    dependencies: merged('dependencies'),
    devDependencies: merged('devDependencies'),
  };
  return { manifest, replaced };
}

/** Reads the manifest of a folder; empty if there is none. */
export function readManifest(folder: string): Manifest {
  const path = join(folder, 'package.json');
  // npm requires the properties to have these types.
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Manifest) : {};
}

/**
 * Version or location from which a project installs the toolkit: that of the running one, such as
 * `file:../colophon-toolkit-0.1.0.tgz`.
 * @param root folder of the project
 * @param own folder of the running toolkit
 */
export function toolkitSource(root: string, own = join(import.meta.dirname, '../../..')): string {
  const end = own.lastIndexOf(`${sep}node_modules${sep}`);
  const installer = end === -1 ? '' : own.slice(0, end);
  const source = installer === '' ? undefined : readManifest(installer).dependencies?.[TOOLKIT];
  if (source?.startsWith('file:')) {
    const path = relative(root, resolve(installer, source.slice('file:'.length)));
    return `file:${path.split(sep).join('/')}`;
  }
  // The manifest of a package always has a version.
  return source ?? (readManifest(own).version as string);
}
