import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findReferences, replaceSpecifiers } from './imports.ts';

/**
 * Collects files and their dependencies by following their imports.
 * @param entries absolute paths of modules, declaration files or data files
 * @returns absolute paths, including the entries
 */
export function collectFiles(entries: readonly string[]): string[] {
  const files = new Set(entries);
  for (const file of files) {
    if (!/\.[jt]s$/.test(file)) {
      continue;
    }
    for (const { specifier } of findReferences(readFileSync(file, 'utf8'), file)) {
      const path = resolve(dirname(file), specifier);
      // An emitted declaration imports the JavaScript file next to the declaration.
      const target = file.endsWith('.d.ts') ? path.replace(/\.js$/, '.d.ts') : path;
      if (/^\.\.?\/.*\.(ts|js|json)$/.test(specifier) && existsSync(target)) {
        files.add(target);
      }
    }
  }
  return [...files];
}

/**
 * Compiles modules to JavaScript with declarations, and copies declaration files and data files. Every file keeps its
 * path relative to the root.
 * @param root folder of the sources and of `tsconfig.json`
 * @param sources absolute paths, as from `collectFiles`
 * @param out output folder, created if missing
 * @returns absolute paths of the written files
 * @throws Error with the compiler's messages when the sources do not compile
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
    writeFileSync(file, rewriteExtensions(readFileSync(file, 'utf8'), file));
  }
  return written;
}

/** Runs the compiler that the project is type-checked with. Older versions report other errors in some cases. */
function runCompiler(root: string, files: readonly string[], out: string): void {
  const configFolder = mkdtempSync(join(tmpdir(), 'colophon-compile-'));
  try {
    const config = join(configFolder, 'tsconfig.json');
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
    const compiler = join(dirname(fileURLToPath(import.meta.resolve('typescript/package.json'))), 'bin/tsc');
    // Checkers share no types: more checkers than processors, or than the compiler may use, only repeat work.
    const checkers = String(Math.min(4, Number(process.env.GOMAXPROCS) || availableParallelism()));
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [compiler, '-p', config, '--checkers', checkers],
      { cwd: root, encoding: 'utf8' },
    );
    if (status !== 0) {
      throw new Error(`The sources do not compile:\n${stdout}${stderr}`);
    }
  } finally {
    rmSync(configFolder, { recursive: true });
  }
}

/**
 * Replaces the `.ts` extension in the imports of an emitted file.
 *
 * The compiler renames `.ts` to `.js` only in the imports of JavaScript. Declarations and `new URL('./worker.ts',
 * import.meta.url)` keep the name of the source, which is not in the package.
 */
function rewriteExtensions(text: string, path: string): string {
  return replaceSpecifiers(text, path, (specifier) =>
    /^\.\.?\/.*\.ts$/.test(specifier) ? specifier.replace(/(\.d)?\.ts$/, '.js') : specifier,
  );
}

function isModule(file: string): boolean {
  return /\.ts$/.test(file) && !/\.d\.ts$/.test(file);
}
