import { posix } from 'node:path';
import type { GitRepository } from '../../outgoing/git/git.ts';
import { ScratchFile, type ScratchRange } from '../../threads/scratch-file.ts';
import { MAX_INCLUDED_FILE_BYTES } from '../includes/limits.ts';
import { mayBePointer } from './lfs.ts';
import { isToolConfiguration } from './read/tool-configuration.ts';

/** A file of the repository. */
export interface RepositoryFile {
  /** Path from the repository's root, with slashes. */
  path: string;
  /** Object ID of its content. */
  oid: string;
  /** Size in bytes. */
  size: number;
  mode: string;
}

/** The files that an import reads. */
export interface RepositoryFiles {
  list(): readonly RepositoryFile[];
  /** Returns the content of a listed file; undefined if it is not loaded: an asset, or a text that is too long. */
  read(path: string): Uint8Array | undefined;
  /**
   * Returns the content of a file of any kind that pages include; undefined if it is too large, or is only loaded on
   * request. By default, that of a listed text.
   */
  readIncluded?(path: string): Uint8Array | undefined;
  /** Returns a file of the repository that is not listed, because it is outside of the directory that is read. */
  findOutside?(path: string): RepositoryFile | undefined;
  /** Files of the repository that the import omits, with reasons. */
  skipped?: readonly { path: string; reason: string }[];
}

/** Maximum size of an imported text file. */
export const MAX_REPOSITORY_TEXT_BYTES = 8_388_608;

const TEXT_PATTERN = /\.(?:md|markdown|ya?ml)$/i;
const MARKDOWN_PATTERN = /\.(?:md|markdown)$/i;
const README_PATTERN = /^readme\.(?:md|markdown)$/i;

const isText = (path: string): boolean => TEXT_PATTERN.test(path) || isToolConfiguration(path);

/** Whether a path is that of a Markdown file. */
export function isMarkdown(path: string): boolean {
  return MARKDOWN_PATTERN.test(path);
}

/** Whether a path is that of a folder's own page. */
export function isReadme(path: string): boolean {
  return README_PATTERN.test(posix.basename(path));
}

/** Files with texts that are available until disposal. */
export interface LoadedFiles extends RepositoryFiles, Disposable {
  /** Loads texts that were not loaded, by path. */
  load(paths: Iterable<string>): Promise<void>;
  /** Returns the paths of the texts that were read but not loaded, since the last call. */
  takeMissed(): string[];
}

/**
 * Unpacks the texts of a cloned repository, and possible pointers of Git LFS, into a file on disk. Each text is read
 * from there on access, so that memory does not grow with their number. Assets remain in the repository and are later
 * streamed by object ID.
 *
 * @param folder an existing folder; it remains empty, even if the process is killed
 * @param directory limits the files to this directory; their paths still start at the root
 * @param isKnown whether a text is known by its object ID, so that it is not loaded at first
 */
export async function loadRepositoryFiles(
  repository: Pick<GitRepository, 'readTree' | 'readBlobs'>,
  folder: string,
  directory = '',
  isKnown: (oid: string) => boolean = () => false,
): Promise<LoadedFiles> {
  const { files, skipped } = await repository.readTree(directory);
  const texts = files.filter(
    (file) => (isText(file.path) && file.size <= MAX_REPOSITORY_TEXT_BYTES) || mayBePointer(file),
  );
  const oids = new Map(texts.map((file) => [file.path, file.oid]));
  const included = new IncludedTree(files, directory, () => repository.readTree());
  const scratch = new ScratchFile(folder);
  const ranges = new Map<string, ScratchRange>();
  const loadTexts = async (requested: Iterable<string>) => {
    const missing = new Set(requested);
    for (const oid of ranges.keys()) {
      missing.delete(oid);
    }
    for await (const { oid, content } of repository.readBlobs(missing)) {
      ranges.set(oid, scratch.append(content));
    }
  };
  try {
    await loadTexts([...oids.values()].filter((oid) => !isKnown(oid)));
  } catch (error) {
    scratch[Symbol.dispose]();
    throw error;
  }
  let missed = new Set<string>();
  const readText = (path: string, oid: string | undefined) => {
    const range = oid === undefined ? undefined : ranges.get(oid);
    if (oid !== undefined && range === undefined) {
      missed.add(path);
    }
    return range && scratch.read(range);
  };
  return {
    list: () => files,
    read: (path) => readText(path, oids.get(path)),
    readIncluded: (path) => readText(path, oids.get(path) ?? included.find(path)?.oid),
    findOutside: (path) => {
      if (!included.isLoadedFor(path)) {
        missed.add(path);
      }
      return included.isOutside(path) ? included.find(path) : undefined;
    },
    load: async (paths) => {
      const requested = [...paths];
      await included.loadFor(requested);
      await loadTexts(requested.flatMap((path) => oids.get(path) ?? included.find(path)?.oid ?? []));
    },
    takeMissed: () => {
      const paths = [...missed];
      missed = new Set();
      return paths;
    },
    skipped,
    [Symbol.dispose]: () => scratch[Symbol.dispose](),
  };
}

/** The files that pages can include: those of a directory, and on request those of the whole repository. */
class IncludedTree {
  readonly #directory: string;
  readonly #readTree: () => Promise<{ files: readonly RepositoryFile[] }>;
  readonly #files: Map<string, RepositoryFile>;
  #isWhole: boolean;

  constructor(
    files: readonly RepositoryFile[],
    directory: string,
    readTree: () => Promise<{ files: readonly RepositoryFile[] }>,
  ) {
    this.#directory = posix.join('/', directory).replace(/^\/+|\/+$/g, '');
    this.#readTree = readTree;
    this.#files = new Map(files.map((file) => [file.path, file]));
    this.#isWhole = this.#directory === '';
  }

  isOutside(path: string): boolean {
    return this.#directory !== '' && !path.startsWith(`${this.#directory}/`);
  }

  isLoadedFor(path: string): boolean {
    return this.#isWhole || !this.isOutside(path);
  }

  /** Returns a file that is small enough to be included. */
  find(path: string): RepositoryFile | undefined {
    const file = this.#files.get(path);
    return file && file.size <= MAX_INCLUDED_FILE_BYTES ? file : undefined;
  }

  /** Reads the tree of the repository, if paths require it. */
  async loadFor(paths: readonly string[]): Promise<void> {
    if (paths.every((path) => this.isLoadedFor(path))) {
      return;
    }
    this.#isWhole = true;
    for (const file of (await this.#readTree()).files) {
      this.#files.set(file.path, file);
    }
  }
}

/** Finds files and folders by path as written in texts. */
export class PathIndex {
  readonly #files = new Map<string, RepositoryFile>();
  readonly #readmes = new Map<string, RepositoryFile | undefined>([['', undefined]]);

  constructor(files: Iterable<RepositoryFile> = []) {
    for (const file of files) {
      this.add(file);
    }
  }

  add(file: RepositoryFile): void {
    this.#files.set(file.path.normalize('NFC'), file);
    this.#addFolders(file);
  }

  /** Returns the file at a path in any Unicode normalization form (macOS uses decomposed characters). */
  file(path: string): RepositoryFile | undefined {
    return this.#files.get(path.normalize('NFC'));
  }

  /** Returns the file that is the page of a folder. */
  readme(folder: string): RepositoryFile | undefined {
    return this.#readmes.get(folder.normalize('NFC'));
  }

  #addFolders(file: RepositoryFile): void {
    const folder = folderOf(file.path).normalize('NFC');
    for (let parent = folder; !this.#readmes.has(parent); parent = folderOf(parent)) {
      this.#readmes.set(parent, undefined);
    }
    const current = this.#readmes.get(folder);
    // README.md takes precedence over readme.md.
    if (isReadme(file.path) && (current === undefined || file.path < current.path)) {
      this.#readmes.set(folder, file);
    }
  }
}

/** Returns the folder of a path; '' is the root. */
export function folderOf(path: string): string {
  const slash = path.lastIndexOf('/');
  return slash === -1 ? '' : path.slice(0, slash);
}

/**
 * Resolves a path written in a file to a path from the repository's root; undefined if it leads outside the root.
 *
 * @param root base of paths with a leading slash
 */
export function resolvePath(written: string, folder: string, root: string): string | undefined {
  const slashes = written.replaceAll('\\', '/');
  const joined = slashes.startsWith('/')
    ? posix.join(root, slashes.replace(/^\/+/, ''))
    : posix.join(folder, slashes);
  const path = joined.replace(/^\.\/|^\.$|\/+$/g, '');
  return path === '..' || path.startsWith('../') || path.startsWith('/') ? undefined : path;
}

/** Returns a written path without query, fragment and percent-encoding. */
export function decodePath(target: string): string {
  const path = target.replace(/[?#].*$/s, '');
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
