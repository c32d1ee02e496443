import { OutgoingError } from '../errors.ts';
import type { ObjectReader } from './object-reader.ts';
import { mebibytes, type ReadLimits, tooLarge, unexpectedOutput } from './reading.ts';

/** A file of a commit's tree. */
export interface TreeFile {
  /** Path from the repository's root, separated by slashes. */
  path: string;
  /** ID of its content. */
  oid: string;
  /** Size in bytes. */
  size: number;
  /** Git's file mode: `100644`, or `100755` for an executable. */
  mode: string;
}

/** An entry that is not listed. */
export interface SkippedEntry {
  path: string;
  reason: 'symlink' | 'submodule' | 'unsafe-path';
}

/** A commit's tree as a flat list in git's order. */
export interface RepositoryTree {
  files: TreeFile[];
  skipped: SkippedEntry[];
}

/** An entry of a tree object. */
export interface TreeEntry {
  name: string;
  mode: EntryMode;
  oid: string;
  /** Size of a file in bytes; 0 for other entries. */
  size: number;
}

/** Trees by their IDs. */
export interface CachedTrees {
  get(oid: string): readonly TreeEntry[] | undefined;
  add(oid: string, entries: readonly TreeEntry[]): void;
}

type EntryMode = '100644' | '100755' | '120000' | '040000' | '160000';

const DIRECTORY_MODE = '040000';
/** Maximum length of a path in a Git repository; above that of Linux. */
export const MAX_TREE_PATH_CHARACTERS = 8_192;

/**
 * Lists the files of a commit or of one of its directories. Reads only trees that are not cached yet, and
 * caches them.
 *
 * @param commit its ID
 * @param directory path without empty parts; '' is the root
 * @throws {OutgoingError} `too-large`, or `not-found` if the directory does not exist
 */
export async function readTree(
  objects: ObjectReader,
  { commit, directory }: { commit: string; directory: string },
  limits: ReadLimits,
  cachedTrees: CachedTrees,
): Promise<RepositoryTree> {
  const loader = new TreeLoader(objects, limits, cachedTrees, commit.length / 2);
  let tree = await loader.loadRoot(commit);
  for (const part of directory === '' ? [] : directory.split('/')) {
    const entry = (await loader.load([tree])).find(
      ({ name, mode }) => name === part && mode === DIRECTORY_MODE,
    );
    if (!entry) {
      throw new OutgoingError(
        'not-found',
        `The commit has no directory "${directory}". Check the project directory.`,
      );
    }
    tree = entry.oid;
  }
  await loader.loadAll(tree);
  return listFiles(tree, directory === '' ? '' : `${directory}/`, loader.trees, limits);
}

/** Loads trees, each once, with the sizes of their files. */
class TreeLoader {
  readonly trees = new Map<string, readonly TreeEntry[]>();
  readonly #objects: ObjectReader;
  readonly #limits: ReadLimits;
  readonly #cachedTrees: CachedTrees;
  readonly #oidBytes: number;

  constructor(objects: ObjectReader, limits: ReadLimits, cachedTrees: CachedTrees, oidBytes: number) {
    this.#objects = objects;
    this.#limits = limits;
    this.#cachedTrees = cachedTrees;
    this.#oidBytes = oidBytes;
  }

  /** Loads the tree of a commit. Returns its ID. */
  async loadRoot(commit: string): Promise<string> {
    const [root] = await Array.fromAsync(this.#objects.read([`${commit}^{tree}`]));
    if (!root) {
      throw unexpectedOutput();
    }
    await this.#add([[root.oid, parseTree(root.content, this.#oidBytes)]]);
    return root.oid;
  }

  /** Loads a tree and all trees in it. */
  async loadAll(root: string): Promise<void> {
    let entries = await this.load([root]);
    for (let depth = 0; entries.length > 0; depth++) {
      if (2 * depth > MAX_TREE_PATH_CHARACTERS) {
        throw tooLarge('a path that is too long');
      }
      const trees = new Set(entries.filter(({ mode }) => mode === DIRECTORY_MODE).map(({ oid }) => oid));
      entries = await this.load([...trees].filter((oid) => !this.trees.has(oid)));
    }
  }

  /** Loads trees, and returns their entries. */
  async load(oids: readonly string[]): Promise<TreeEntry[]> {
    const missing: string[] = [];
    for (const oid of oids.filter((oid) => !this.trees.has(oid))) {
      const entries = this.#cachedTrees.get(oid);
      if (entries) {
        this.#set(oid, entries);
      } else {
        missing.push(oid);
      }
    }
    const read: [string, TreeEntry[]][] = [];
    for await (const { oid, content } of this.#objects.read(missing)) {
      read.push([oid, parseTree(content, this.#oidBytes)]);
    }
    await this.#add(read);
    return oids.flatMap((oid) => this.trees.get(oid) ?? []);
  }

  /** Adds trees that were read, with the sizes of their files. */
  async #add(read: ReadonlyArray<[string, TreeEntry[]]>): Promise<void> {
    const files = read.flatMap(([, entries]) => entries.filter(({ mode }) => mode.startsWith('100')));
    const sizes = new Map<string, number>();
    for await (const { oid, size } of this.#objects.readHeaders(new Set(files.map(({ oid }) => oid)))) {
      sizes.set(oid, size);
    }
    for (const file of files) {
      file.size = sizes.get(file.oid) ?? 0;
    }
    for (const [oid, entries] of read) {
      this.#set(oid, entries);
      this.#cachedTrees.add(oid, entries);
    }
  }

  #set(oid: string, entries: readonly TreeEntry[]): void {
    this.trees.set(oid, entries);
    requireCount(this.trees.size, this.#limits);
    requireCount(entries.length, this.#limits);
  }
}

/** Lists the files of a loaded tree. */
function listFiles(
  root: string,
  prefix: string,
  trees: ReadonlyMap<string, readonly TreeEntry[]>,
  limits: ReadLimits,
): RepositoryTree {
  const result: RepositoryTree = { files: [], skipped: [] };
  let bytes = 0;
  let count = 0;
  const list = (tree: string, parent: string) => {
    for (const { name, mode, oid, size } of trees.get(tree) ?? []) {
      const path = parent + name;
      // Directories count, too: the same one may occur any number of times.
      count += 1;
      requireCount(count, limits);
      if (path.length > MAX_TREE_PATH_CHARACTERS) {
        throw tooLarge('a path that is too long');
      }
      if (mode === DIRECTORY_MODE) {
        list(oid, `${path}/`);
        continue;
      }
      const reason = skipReason(mode, path);
      if (reason !== undefined) {
        result.skipped.push({ path, reason });
        continue;
      }
      bytes += size;
      if (bytes > limits.contentBytes) {
        throw tooLarge(`more than ${mebibytes(limits.contentBytes)} of content`);
      }
      result.files.push({ path, oid, size, mode });
    }
  };
  list(root, prefix);
  return result;
}

function requireCount(count: number, { files }: ReadLimits): void {
  if (count > files) {
    throw tooLarge(`more than ${files} files`);
  }
}

/** Parses a tree object: for each entry its mode, a space, its name, a zero and its ID in bytes. */
function parseTree(content: Buffer, oidBytes: number): TreeEntry[] {
  const entries: TreeEntry[] = [];
  for (let start = 0; start < content.length; ) {
    const space = content.indexOf(32, start);
    const end = content.indexOf(0, space);
    const next = end + 1 + oidBytes;
    if (space === -1 || end === -1 || next > content.length) {
      throw unexpectedOutput();
    }
    entries.push({
      name: content.toString('utf8', space + 1, end),
      mode: modeOf(Number.parseInt(content.toString('latin1', start, space), 8)),
      oid: content.toString('hex', end + 1, next),
      size: 0,
    });
    start = next;
  }
  return entries;
}

/** Returns the mode as which git treats a stored mode. */
function modeOf(stored: number): EntryMode {
  switch (stored & 0o170000) {
    case 0o100000:
      return stored & 0o100 ? '100755' : '100644';
    case 0o120000:
      return '120000';
    case 0o040000:
      return DIRECTORY_MODE;
    default:
      return '160000';
  }
}

function skipReason(mode: EntryMode, path: string): SkippedEntry['reason'] | undefined {
  if (mode === '160000') {
    return 'submodule';
  }
  if (mode === '120000') {
    return 'symlink';
  }
  const isUnsafe =
    path.includes('\uFFFD') ||
    path.includes('\\') ||
    path.split('/').some((part) => part === '' || part === '.' || part === '..');
  return isUnsafe ? 'unsafe-path' : undefined;
}
