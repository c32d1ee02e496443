import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** TypeSpec's scenarios, and the libraries that they import, in versions for the compiler of this repository. */
const PACKAGES = [
  'http-specs@0.1.0-alpha.33-dev.3',
  'spector@0.1.0-alpha.24-dev.2',
  'spec-api@0.1.0-alpha.13-dev.0',
  'rest@0.86.0',
  'xml@0.86.0',
  'streams@0.86.0',
];
/** What the mock APIs import. */
const LIBRARIES = {
  'deep-equal': '2.2.3',
  express: '5.3.0',
  multer: '2.5.0',
  prettier: '3.10.1',
  xml2js: '0.6.2',
};
/** Libraries of this repository. A program must contain only one copy of each. */
const SHARED = ['compiler', 'http', 'openapi', 'openapi3', 'versioning', 'asset-emitter'];

const repository = join(import.meta.dirname, '../../..');

/**
 * Downloads the scenarios into a folder, unless they are there.
 * @returns folder of a project with the scenarios in `specs`, and their mock APIs in the package `@typespec/http-specs`
 */
export async function scenarioProject(cache: string): Promise<string> {
  const project = join(cache, 'typespec-scenarios');
  if (existsSync(project)) {
    return project;
  }
  const folder = `${project}.new`;
  const scope = join(folder, 'node_modules/@typespec');
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const manifest = { type: 'module', private: true, dependencies: LIBRARIES };
  await writeFile(join(folder, 'package.json'), JSON.stringify(manifest));
  const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', '--no-package-lock', '--silent'];
  execFileSync('npm', ['install', ...quiet], { cwd: folder });
  await mkdir(scope, { recursive: true });
  for (const name of PACKAGES) {
    const [library = ''] = name.split('@');
    const [tarball = ''] = execFileSync('npm', ['pack', '--silent', `@typespec/${name}`], {
      cwd: folder,
      encoding: 'utf8',
    }).split('\n');
    await mkdir(join(scope, library));
    execFileSync('tar', ['xzf', tarball, '-C', join(scope, library), '--strip-components=1'], {
      cwd: folder,
    });
    await rm(join(folder, tarball));
  }
  for (const library of SHARED) {
    await symlink(join(repository, 'node_modules/@typespec', library), join(scope, library));
  }
  await cp(join(scope, 'http-specs/specs'), join(folder, 'specs'), { recursive: true });
  await writeFile(
    join(folder, 'tspconfig.yaml'),
    'options:\n  "@typespec/openapi3":\n    openapi-versions: [3.1.0]\n',
  );
  await rename(folder, project);
  return project;
}
