// `npm run build`: writes the published package to dist/.
import { chmodSync, cpSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { collectFiles, compile } from './compile.ts';
import { findDependencies, type PackageExport, type ProjectManifest, publishedManifest } from './manifest.ts';

const packageExports: Readonly<Record<string, PackageExport>> = {
  './client': { module: './client/platform/index' },
  './openapi.json': { file: './generated/openapi.json' },
  './server': { module: './server/app' },
};
const commands = { colophon: './spec/toolchain/colophon', 'colophon-server': './server/main' };

/** Packages that only contracts in TypeSpec need. Their authors install them. */
const optionalPeers = ['@typespec/compiler', '@typespec/openapi3'];

/**
 * Builds the package: JavaScript modules and declarations for its entries and their dependencies, in the folders of the
 * sources, with its own manifest. Nothing is bundled, so a page that uses the client loads only the client.
 * @param root folder of the project
 * @param out output folder, whose existing content is deleted
 * @throws Error when the sources do not compile, or import a package that is not a dependency of the project
 */
export function build(root: string, out: string): void {
  // The project's own manifest has the properties of the type.
  const project = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as ProjectManifest;
  const entries = [
    ...Object.values(packageExports).map((entry) => ('file' in entry ? entry.file : `${entry.module}.ts`)),
    ...Object.values(commands).map((module) => `${module}.ts`),
  ];
  rmSync(out, { recursive: true, force: true });
  const sources = collectFiles(entries.map((entry) => join(root, entry)));
  const files = removeUnusedDeclarations(compile(root, sources, out), out);
  for (const module of Object.values(commands)) {
    makeExecutable(join(out, `${module}.js`));
  }
  const dependencies = findDependencies(files, project, out, optionalPeers);
  const bin = Object.fromEntries(Object.entries(commands).map(([name, module]) => [name, `${module}.js`]));
  const manifest = publishedManifest(project, packageExports, bin, dependencies, optionalPeers);
  writeFileSync(join(out, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  for (const name of ['LICENSE', 'README.md'].filter((name) => existsSync(join(root, name)))) {
    cpSync(join(root, name), join(out, name));
  }
}

/** Deletes declarations that no entry needs, because their imports would add dependencies to the package. */
function removeUnusedDeclarations(files: readonly string[], out: string): string[] {
  const types = Object.values(packageExports).flatMap((entry) =>
    'module' in entry ? [`${entry.module}.d.ts`] : [],
  );
  const needed = new Set(collectFiles(types.map((path) => join(out, path))));
  return files.filter((file) => {
    const unused = file.endsWith('.d.ts') && !needed.has(file);
    if (unused) {
      rmSync(file);
    }
    return !unused;
  });
}

/** Makes a module executable from a shell. */
function makeExecutable(path: string): void {
  writeFileSync(path, `#!/usr/bin/env node\n${readFileSync(path, 'utf8')}`);
  chmodSync(path, 0o755);
}

if (import.meta.main) {
  const root = join(import.meta.dirname, '../..');
  build(root, join(root, 'dist'));
}
