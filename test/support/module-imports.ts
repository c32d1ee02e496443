import { glob, readFile } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { findReferences } from '../../client/build/imports.ts';

/** Imports of a module: other modules, relative to the same folder, and packages. */
export interface ModuleImports {
  modules: string[];
  packages: string[];
}

/**
 * Reads the imports of the modules of a folder, also those of types and those in expressions.
 * @param patterns select the modules, relative to the folder; all by default
 * @returns imports by the path of the module, relative to the folder, without those of modules outside of it
 */
export async function readImports(
  folder: string,
  patterns: readonly string[] = ['**/*.ts'],
): Promise<Map<string, ModuleImports>> {
  const paths = await Array.fromAsync(glob(patterns, { cwd: folder, exclude: ['**/node_modules/**'] }));
  const imports = new Map<string, ModuleImports>();
  for (const path of paths.sort()) {
    const references = findReferences(await readFile(join(folder, path), 'utf8'), path);
    const specifiers = references.map(({ specifier }) => specifier);
    imports.set(path, {
      modules: specifiers
        .filter((specifier) => /^\..*\.ts$/.test(specifier))
        .map((specifier) => relative(folder, resolve(folder, dirname(path), specifier)))
        .filter((target) => !target.startsWith('..')),
      packages: specifiers.filter((specifier) => !specifier.startsWith('.')),
    });
  }
  return imports;
}

/** Lists import cycles of modules: `a.ts > b.ts > a.ts`. */
export function circlesOf(imports: ReadonlyMap<string, ModuleImports>): string[] {
  const circles: string[] = [];
  const finished = new Set<string>();
  const visit = (path: string, trail: readonly string[]) => {
    if (trail.includes(path)) {
      circles.push([...trail.slice(trail.indexOf(path)), path].join(' > '));
    } else if (!finished.has(path)) {
      for (const target of imports.get(path)?.modules ?? []) {
        visit(target, [...trail, path]);
      }
      finished.add(path);
    }
  };
  for (const path of imports.keys()) {
    visit(path, []);
  }
  return circles;
}
