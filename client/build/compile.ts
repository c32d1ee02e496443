import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import ts from 'typescript';
import { findReferences } from './imports.ts';

/**
 * Finds all files that some files need, by following what they name.
 * @param entries absolute paths of modules, declaration files or data
 * @returns absolute paths, the entries among them
 */
export function collectFiles(entries: readonly string[]): string[] {
  const found = new Set(entries);
  for (const file of found) {
    if (!file.endsWith('.ts')) {
      continue;
    }
    for (const { specifier } of findReferences(readFileSync(file, 'utf8'), file)) {
      const path = resolve(dirname(file), specifier);
      // An emitted declaration names the JavaScript beside the declaration that it means.
      const target = file.endsWith('.d.ts') ? path.replace(/\.js$/, '.d.ts') : path;
      if (/^\.\.?\/.*\.(ts|js|json)$/.test(specifier) && existsSync(target)) {
        found.add(target);
      }
    }
  }
  return [...found];
}

/**
 * Compiles modules to JavaScript with declarations, each to the same place under another folder, and copies the
 * declaration files and data beside them.
 * @param root the folder that holds the sources and the `tsconfig.json`
 * @param sources absolute paths, as from `collectFiles`
 * @param out the folder to write to
 * @returns the paths of everything written
 * @throws Error with the compiler's messages when the sources are at fault
 */
export function compile(root: string, sources: readonly string[], out: string): string[] {
  const copied = sources.filter((file) => !isModule(file));
  const written: string[] = [];
  for (const file of copied) {
    const target = join(out, relative(root, file));
    mkdirSync(dirname(target), { recursive: true });
    cpSync(file, target);
    written.push(target);
  }
  const config = ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(config.config, ts.sys, root);
  const program = ts.createProgram(sources.filter(isModule), {
    ...options,
    noEmit: false,
    noEmitOnError: true,
    declaration: true,
    rootDir: root,
    outDir: out,
  });
  // With `noEmitOnError`, what stands in the way of emitting is every fault of the sources.
  const { diagnostics } = program.emit(undefined, (path, text) => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, nameEmittedFiles(text, path));
    written.push(path);
  });
  if (diagnostics.length > 0) {
    const host = { getCanonicalFileName: String, getCurrentDirectory: () => root, getNewLine: () => '\n' };
    throw new Error(`The sources do not compile:\n${ts.formatDiagnostics(diagnostics, host)}`);
  }
  return written;
}

/**
 * Lets an emitted file name its neighbours as they are called now.
 *
 * The compiler renames `.ts` to `.js` in the imports of JavaScript alone; declarations and `new URL('./worker.ts',
 * import.meta.url)` keep the name of the source, which is not in the package.
 */
function nameEmittedFiles(text: string, path: string): string {
  let result = text;
  for (const { specifier, start, end } of findReferences(text, path).reverse()) {
    if (/^\.\.?\/.*\.ts$/.test(specifier)) {
      result = result.slice(0, start) + specifier.replace(/(\.d)?\.ts$/, '.js') + result.slice(end);
    }
  }
  return result;
}

function isModule(file: string): boolean {
  return /\.ts$/.test(file) && !/\.d\.ts$/.test(file);
}
