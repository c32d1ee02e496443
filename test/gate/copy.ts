import { cp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { checkTypesIncrementally, linkPackages } from '../support/content/repository-copy.ts';
import { makeNumberedFolder } from '../support/processes/temporary.ts';
import type { Edit, Mutation } from './mutation.ts';

const repository = join(import.meta.dirname, '..', '..');

/** Folders and configuration files to copy, in addition to tests. */
const CONTENT = [
  'spec',
  'generated',
  'server',
  'client',
  'README.md',
  'package.json',
  'tsconfig.json',
  'tspconfig.yaml',
  '.biome.json',
  // The formatter and the linter skip files that git ignores.
  '.gitignore',
];
const EXCLUDED = /[/\\](?:node_modules|\.colophon|dist)(?:$|[/\\])/;

/** A copy of the repository for mutations. */
export interface Copy {
  /** Folder of the copy. */
  root: string;
  /**
   * Applies the edits of mutations.
   * @throws Error if a text to replace does not occur exactly once; then nothing is written
   */
  apply(mutations: readonly Mutation[]): Promise<void>;
  /** Restores the copy, including generated files. */
  restore(): Promise<void>;
  remove(): Promise<void>;
}

/**
 * Copies the repository to a temporary folder. Installed packages are shared, except its own.
 *
 * @param tests files and folders of `test/` to copy; all by default
 */
export async function makeCopy(tests: readonly string[] = ['test']): Promise<Copy> {
  const root = await makeNumberedFolder('colophon-gate-');
  for (const name of [...CONTENT, ...tests]) {
    await cp(join(repository, name), join(root, name), {
      recursive: true,
      filter: (source) => !EXCLUDED.test(source.slice(repository.length)),
    });
  }
  await linkPackages(root);
  await checkTypesIncrementally(root);
  const originals = new Map<string, string>();

  /** Reads the text of a file, and retains it for {@link Copy.restore}. */
  const textOf = async (file: string): Promise<string> => {
    const text = await readFile(join(root, file), 'utf8');
    if (!originals.has(file)) {
      originals.set(file, text);
    }
    return text;
  };

  return {
    root,
    async apply(mutations) {
      const edited = new Map<string, string>();
      for (const mutation of mutations) {
        for (const edit of editsOf(mutation)) {
          const text = edited.get(edit.file) ?? (await textOf(edit.file));
          edited.set(edit.file, replaced(text, edit, mutation.name));
        }
      }
      if (mutations.some(({ generate }) => generate)) {
        await Promise.all(GENERATED.map(textOf));
      }
      for (const [file, text] of edited) {
        await writeFile(join(root, file), text);
      }
    },
    async restore() {
      for (const [file, text] of originals) {
        if ((await readFile(join(root, file), 'utf8').catch(() => undefined)) !== text) {
          await writeFile(join(root, file), text);
        }
      }
      originals.clear();
    },
    remove: () => rm(root, { recursive: true, force: true }),
  };
}

const GENERATED = [
  'generated/openapi.json',
  'generated/schema.d.ts',
  'generated/operations.ts',
  'generated/functions.ts',
];

/** Returns all edits of a mutation. */
export function editsOf({ file, from, to, also = [] }: Mutation): Edit[] {
  return [{ file, from, to }, ...also];
}

/** @throws Error if the text to replace does not occur exactly once */
function replaced(text: string, { file, from, to }: Edit, name: string): string {
  const times = text.split(from).length - 1;
  if (times !== 1) {
    throw new Error(
      `"${name}" cannot be applied: ${file} contains ${JSON.stringify(from)} ${times} times instead of once. ` +
        'The file has changed: update the text in test/gate/mutations.',
    );
  }
  const at = text.indexOf(from);
  return text.slice(0, at) + to + text.slice(at + from.length);
}
