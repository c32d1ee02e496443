import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { type Project, resolveProject } from '../../spec/toolchain/main.ts';

const repository = join(import.meta.dirname, '..', '..');

/** Small project on disk: the contract of the stall fixture in `api/`, and the files that a test adds. */
export interface Workspace {
  project: Project;
  read(path: string): Promise<string>;
  write(path: string, text: string): Promise<void>;
  /** Replaces text in a file. @throws if the file does not contain it */
  edit(path: string, from: string, to: string): Promise<void>;
  remove(): Promise<void>;
}

/** Creates a project in a folder of the repository that Git ignores, so that packages resolve. */
export async function createWorkspace(): Promise<Workspace> {
  const parent = join(import.meta.dirname, '.colophon');
  await mkdir(parent, { recursive: true });
  const root = await mkdtemp(join(parent, 'project-'));
  const project = resolveProject({ root, contract: 'api/main.tsp' });
  const workspace: Workspace = {
    project,
    read: (path) => readFile(join(root, path), 'utf8'),
    async write(path, text) {
      await mkdir(dirname(join(root, path)), { recursive: true });
      await writeFile(join(root, path), text);
    },
    async edit(path, from, to) {
      const text = await workspace.read(path);
      if (!text.includes(from)) {
        throw new Error(`${path} does not contain ${JSON.stringify(from)}`);
      }
      await workspace.write(path, text.replace(from, to));
    },
    remove: () => rm(root, { recursive: true, force: true }),
  };
  await cp(join(repository, 'test/fixtures/stall'), join(root, 'api'), { recursive: true });
  await workspace.write(
    'tsconfig.json',
    // Without the types of browsers, which are half of what a check reads.
    `{
  "extends": "../../../../tsconfig.json",
  "compilerOptions": { "lib": ["esnext"] },
  "include": ["server", "generated"]
}
`,
  );
  await cp(join(repository, '.biome.json'), join(root, '.biome.json'));
  return workspace;
}

/** Waits until a condition is true. @throws after the timeout, with the text of `describe` */
export async function until(
  condition: () => boolean | Promise<boolean>,
  describe: () => string,
  timeoutMs = 20_000,
): Promise<void> {
  const end = performance.now() + timeoutMs;
  while (!(await condition())) {
    if (performance.now() > end) {
      throw new Error(`Timed out after ${timeoutMs} ms. ${describe()}`);
    }
    await wait(20);
  }
}
