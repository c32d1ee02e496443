import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Edit, Mutation } from './mutation.ts';

const repository = join(import.meta.dirname, '..', '..');

/** What belongs to the repository's content: its rooms, and the settings of its tools. */
const CONTENT = [
  'spec',
  'generated',
  'server',
  'client',
  'test',
  'README.md',
  'package.json',
  'tsconfig.json',
  'tspconfig.yaml',
  '.biome.json',
  // The formatter and the linter leave out what git ignores.
  '.gitignore',
];
const LEFT_OUT = /[/\\](?:node_modules|\.colophon|dist)(?:$|[/\\])/;

/** A copy of the repository, to break. */
export interface Copy {
  /** Its folder. */
  root: string;
  /**
   * Makes the edits of some mutations.
   * @throws Error when a text to replace is not there exactly once; nothing is written then
   */
  apply(mutations: readonly Mutation[]): Promise<void>;
  /** Makes the copy what it was, generated files included. */
  restore(): Promise<void>;
  remove(): Promise<void>;
}

/** Copies the repository into a temporary folder; the packages are shared, not copied. */
export async function makeCopy(): Promise<Copy> {
  const root = await mkdtemp(join(tmpdir(), 'colophon-gate-'));
  for (const name of CONTENT) {
    await cp(join(repository, name), join(root, name), {
      recursive: true,
      filter: (source) => !LEFT_OUT.test(source.slice(repository.length)),
    });
  }
  await symlink(join(repository, 'node_modules'), join(root, 'node_modules'), 'dir');
  const originals = new Map<string, string>();

  /** The text of a file, kept for {@link Copy.restore}. */
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
      for (const file of GENERATED) {
        await textOf(file);
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

const GENERATED = ['generated/openapi.json', 'generated/schema.d.ts', 'generated/operations.ts'];

/** All edits of a mutation. */
export function editsOf({ file, from, to, also = [] }: Mutation): Edit[] {
  return [{ file, from, to }, ...also];
}

/** @throws Error when the text to replace does not stand in the file exactly once */
function replaced(text: string, { file, from, to }: Edit, name: string): string {
  const times = text.split(from).length - 1;
  if (times !== 1) {
    throw new Error(
      `"${name}" cannot be applied: ${file} holds ${JSON.stringify(from)} ${times} times, and it must be once. ` +
        'The file has changed since: give the mutation another text to look for, in test/gate/mutations.',
    );
  }
  const at = text.indexOf(from);
  return text.slice(0, at) + to + text.slice(at + from.length);
}
