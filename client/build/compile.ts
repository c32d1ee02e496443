import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
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
 * @param out the folder to write to, which is made
 * @returns the absolute paths of everything written
 * @throws Error with the compiler's messages when the sources are at fault
 */
export function compile(root: string, sources: readonly string[], out: string): string[] {
  runCompiler(root, sources.filter(isModule), out);
  for (const file of sources.filter((name) => !isModule(name))) {
    cpSync(file, join(out, relative(root, file)));
  }
  const written = readdirSync(out, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  for (const file of written.filter((name) => /\.(js|d\.ts)$/.test(name))) {
    writeFileSync(file, nameEmittedFiles(readFileSync(file, 'utf8'), file));
  }
  return written;
}

/** Runs the compiler that the project checks its types with, whose judgement differs from older ones in places. */
function runCompiler(root: string, files: readonly string[], out: string): void {
  const place = mkdtempSync(join(tmpdir(), 'colophon-compile-'));
  try {
    const config = join(place, 'tsconfig.json');
    const compilerOptions = {
      noEmit: false,
      noEmitOnError: true,
      declaration: true,
      rootDir: root,
      outDir: out,
      typeRoots: [join(root, 'node_modules/@types')],
    };
    const settings = { extends: join(root, 'tsconfig.json'), compilerOptions, files, include: [] };
    writeFileSync(config, JSON.stringify(settings));
    const compiler = join(dirname(fileURLToPath(import.meta.resolve('ts7/package.json'))), 'bin/tsc');
    const { status, stdout, stderr } = spawnSync(process.execPath, [compiler, '-p', config], {
      cwd: root,
      encoding: 'utf8',
    });
    if (status !== 0) {
      throw new Error(`The sources do not compile:\n${stdout}${stderr}`);
    }
  } finally {
    rmSync(place, { recursive: true });
  }
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
