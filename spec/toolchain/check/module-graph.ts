import { statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { generatedPaths, type Project, pathIn } from '../project.ts';

/** Source file. */
export interface SourceModule {
  /** Absolute path. */
  file: string;
  text: string;
}

/** Maximum number of modules to read, which bounds the time in large projects. */
const MAX_MODULES = 5000;

/**
 * Reads modules of a project and everything that they refer to by a literal relative path, except generated files:
 * imports, and the scripts of threads and processes in `new URL(…, import.meta.url)`.
 * @param entries paths relative to the root
 */
export async function* projectModules(
  project: Project,
  entries: readonly string[],
): AsyncGenerator<SourceModule> {
  const queue = entries.map((entry) => pathIn(project, entry));
  const generated = Object.values(generatedPaths(project)).map((path) => pathIn(project, path));
  const visited = new Set([...queue, ...generated]);
  for (const file of queue) {
    const text = await readFile(file, 'utf8').catch(() => '');
    yield { file, text };
    for (const imported of importsOf(file, text)) {
      if (!visited.has(imported) && visited.size < MAX_MODULES) {
        visited.add(imported);
        queue.push(imported);
      }
    }
  }
}

/** Absolute paths of the files that a module refers to by a relative path. */
function importsOf(file: string, text: string): string[] {
  const specifiers = text.matchAll(
    /(?:\bfrom|\bimport|\brequire|\bnew\s+URL)\s*\(?\s*['"](\.{1,2}\/[^'"]+)['"]/g,
  );
  return [...specifiers].flatMap(([, specifier = '']) => {
    const path = join(dirname(file), specifier);
    const candidates = [
      path,
      path.replace(/\.([mc]?)js$/, '.$1ts'),
      ...['.ts', '.tsx', '.js', '/index.ts', '/index.js'].map((suffix) => path + suffix),
    ];
    const imported = candidates.find((candidate) => /\.[mc]?[jt]sx?$/.test(candidate) && isFile(candidate));
    return imported === undefined || imported.endsWith('.d.ts') ? [] : [imported];
  });
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}
