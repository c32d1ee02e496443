import { symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { validate } from 'dockerfile-utils';
import { parseAllDocuments } from 'yaml';
import { makeFolder } from '../../support/content/repository-copy.ts';
import { checkTypes, finish, ROOT } from '../../support/processes/program.ts';

/** Folder of the clone in the unit. */
const UNIT_FOLDER = '/opt/colophon';

/** Returns the problems of a Dockerfile. */
export const lintDockerfile = async (text: string): Promise<string[]> =>
  validate(text).map(({ range, message }) => `${range.start.line + 1}: ${message}`);

/** Returns the problems of a compose file. */
export async function lintCompose(text: string): Promise<string[]> {
  const program = join(ROOT, 'node_modules/dclint/bin/dclint.cjs');
  return await inFile('compose.yaml', text, async (file) => {
    const { stdout, stderr } = await finish(process.execPath, [program, '--formatter', 'compact', file]);
    return linesOf(stdout + stderr);
  });
}

/** Returns the problems of a unit of systemd in a clone of the repository. */
export async function lintUnit(text: string): Promise<string[]> {
  return await inFile('colophon.service', text.replaceAll(UNIT_FOLDER, ROOT), async (file) => {
    // Its exit code is 0 if a setting is unknown.
    const { stdout, stderr } = await finish('systemd-analyze', ['verify', '--man=no', file]);
    return linesOf(stdout + stderr);
  });
}

/** Modules with the types of Kubernetes resources that are not named as their `apiVersion`. */
const TYPE_MODULES: Readonly<Record<string, string>> = { v1: 'core/v1' };

/** Settings that contain quantities, which are texts for the types. */
const QUANTITIES = ['cpu', 'memory', 'sizeLimit'];
const QUANTITY = /^\d+(?:m|[KMG]i)?$/;

/** Returns the problems of Kubernetes resources: unknown or missing settings, and values of other types. */
export async function lintKubernetes(text: string): Promise<string[]> {
  const problems: string[] = [];
  const sources = parseAllDocuments(text).map((document, index) => {
    const resource = document.toJS();
    const source = JSON.stringify(
      resource,
      (name, value) => {
        if (QUANTITIES.includes(name) && !QUANTITY.test(value)) {
          problems.push(`${name} ${value} is not a quantity`);
        }
        return value;
      },
      2,
    );
    const { apiVersion, kind } = resource;
    const type = `import('kubernetes-types/${TYPE_MODULES[apiVersion] ?? apiVersion}').${kind}`;
    return `export const resource${index}: ${type} = ${source};\n`;
  });
  return await inFile('resources.ts', sources.join('\n'), async (_, folder) => {
    await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
    const config = join(folder, 'tsconfig.json');
    const compilerOptions = { strict: true, noEmit: true, module: 'nodenext', types: [], skipLibCheck: true };
    await writeFile(config, JSON.stringify({ compilerOptions, files: ['resources.ts'] }));
    const { stdout } = await checkTypes(config, folder);
    return [...problems, ...linesOf(stdout)];
  });
}

const linesOf = (text: string): string[] => text.split('\n').filter((line) => line.trim() !== '');

async function inFile<Result>(
  name: string,
  text: string,
  use: (file: string, folder: string) => Promise<Result>,
): Promise<Result> {
  const { folder, remove } = await makeFolder();
  try {
    const file = join(folder, name);
    await writeFile(file, text);
    return await use(file, folder);
  } finally {
    await remove();
  }
}
