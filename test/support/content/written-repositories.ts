/** Whole documentation repositories in `test/fixtures/repositories`, with what a person reads in them. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { CommitFiles } from '../git/git-files.ts';

const FOLDER = new URL('../../fixtures/repositories/', import.meta.url).pathname;

/** A change of a repository through the API, and the lines that it changes. */
export type RepositoryStep = {
  /** Replacements in files after an export: path, text before, and text after. */
  expected: [path: string, before: string, after: string][];
} & (
  | { change: 'word'; page: string; from: string; to: string }
  | { change: 'title'; page: string; title: string }
  | {
      change: 'add';
      parent: string | null;
      title: string;
      markdown: string;
      /** New files by path. */
      created: Record<string, string>;
    }
  | { change: 'move'; page: string; at: number }
);

/** What a person reads in the files of a repository. Pages and files are named by their paths. */
export interface RepositoryReading {
  /** Directory of the project, if it is not the root. */
  directory?: string;
  /** A line per page, indented by two spaces per level: `<type> <title> | <path of its file, or target>`. */
  pages: string[];
  /** Paths of the files that pages use. */
  files: string[];
  /** Fields of pages from their front matter. */
  settings?: Record<string, object>;
  /** The blocks of pages, see `blocksOf`. */
  blocks: Record<string, string>;
  /** The links of pages in order: `<kind> <target>`. */
  links: Record<string, string[]>;
  /** Broken links: `<page>:<line of its text> <address> (<text>)`. */
  broken: string[];
  /** Queries with the page that is found first. */
  search: Record<string, string>;
  /** Queries that find nothing: parts of the files that are not text. */
  notFound: string[];
  steps: RepositoryStep[];
}

/** A repository of files, and its reading. */
export interface WrittenRepository extends RepositoryReading {
  name: string;
  tree: CommitFiles;
}

/** All repositories of the folder. */
export const writtenRepositories: readonly WrittenRepository[] = readdirSync(FOLDER).map((name) => {
  const text = readFileSync(join(FOLDER, name, 'expected.json'), 'utf8');
  // The files are in this repository, and their tests fail if they have another shape.
  const reading = JSON.parse(text) as RepositoryReading;
  return { ...reading, name, tree: treeOf(join(FOLDER, name, 'files')) };
});

function treeOf(folder: string): CommitFiles {
  const tree: CommitFiles = {};
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile()) {
      const bytes = readFileSync(path);
      const isExecutable = (statSync(path).mode & 0o100) !== 0;
      tree[relative(folder, path)] = isExecutable ? { executable: bytes } : bytes;
    }
  }
  return tree;
}
