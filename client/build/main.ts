// `npm run build`: writes the package that is published to dist/.
import { chmodSync, cpSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { collectFiles, compile } from './compile.ts';
import { type Exported, findDependencies, type ProjectManifest, publishedManifest } from './manifest.ts';

const exported: Readonly<Record<string, Exported>> = {
  './client': { module: './client/index' },
  './openapi.json': { file: './generated/openapi.json' },
  './server': { module: './server/app' },
};
const commands = { colophon: './spec/toolchain/colophon', 'colophon-server': './server/main' };

/** What only a contract in TypeSpec needs: who has one installs them, and everybody else goes without. */
const optional = ['@typespec/compiler', '@typespec/openapi3'];

/**
 * Builds the package: JavaScript modules with declarations for everything that its entries need, in the folders of
 * the sources, with a manifest of its own. Nothing is bundled, so a page that uses the client loads only that.
 * @param root the project
 * @param out the folder to write to; what it held is deleted
 * @throws Error when the sources do not compile, or import a package that the project does not depend on
 */
export function build(root: string, out: string): void {
  // The manifest of the project: it is ours, and has what the type says.
  const project = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as ProjectManifest;
  const entries = [
    ...Object.values(exported).map((what) => ('file' in what ? what.file : `${what.module}.ts`)),
    ...Object.values(commands).map((module) => `${module}.ts`),
  ];
  rmSync(out, { recursive: true, force: true });
  const sources = collectFiles(entries.map((entry) => join(root, entry)));
  const files = keepNeededTypes(compile(root, sources, out), out);
  for (const module of Object.values(commands)) {
    makeCommand(join(out, `${module}.js`));
  }
  const dependencies = findDependencies(files, project, out, optional);
  const bin = Object.fromEntries(Object.entries(commands).map(([name, module]) => [name, `${module}.js`]));
  const manifest = publishedManifest(project, exported, bin, dependencies, optional);
  writeFileSync(join(out, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  for (const name of ['LICENSE', 'README.md'].filter((name) => existsSync(join(root, name)))) {
    cpSync(join(root, name), join(out, name));
  }
}

/** Deletes the declarations that no entry leads to: their imports would ask every installation for more packages. */
function keepNeededTypes(files: readonly string[], out: string): string[] {
  const types = Object.values(exported).flatMap((what) => ('module' in what ? [`${what.module}.d.ts`] : []));
  const needed = new Set(collectFiles(types.map((path) => join(out, path))));
  return files.filter((file) => {
    const keep = !file.endsWith('.d.ts') || needed.has(file);
    if (!keep) {
      rmSync(file);
    }
    return keep;
  });
}

/** Lets a shell run a module. */
function makeCommand(path: string): void {
  writeFileSync(path, `#!/usr/bin/env node\n${readFileSync(path, 'utf8')}`);
  chmodSync(path, 0o755);
}

if (import.meta.main) {
  const root = join(import.meta.dirname, '../..');
  build(root, join(root, 'dist'));
}
