import { posix } from 'node:path';
import type { GitRepository } from '../../outgoing/git.ts';
import { ScratchFile, type ScratchRange } from '../../threads/scratch-file.ts';

/** A file of the repository. */
export interface RepositoryFile {
  /** From the repository's root, with slashes. */
  path: string;
  /** The id of its content. */
  oid: string;
  /** In bytes. */
  size: number;
  mode: string;
}

/** The files that an import reads. */
export interface RepositoryFiles {
  list(): readonly RepositoryFile[];
  /** The content of a listed file, or `undefined` when it is not at hand: an asset, or a text that is too long. */
  read(path: string): Uint8Array | undefined;
  /** What the repository has and an import leaves out, and why. */
  skipped?: readonly { path: string; reason: string }[];
}

/** The longest text that is read, in bytes: far more than people write, little enough to parse. */
export const MAX_REPOSITORY_TEXT_BYTES = 8_388_608;

const textPattern = /\.(?:md|markdown|ya?ml)$/i;
const markdownPattern = /\.(?:md|markdown)$/i;
const readmePattern = /^readme\.(?:md|markdown)$/i;

/** Whether a path is that of a page's text. */
export function isMarkdown(path: string): boolean {
  return markdownPattern.test(path);
}

/** Whether a path is that of a folder's own page. */
export function isReadme(path: string): boolean {
  return readmePattern.test(posix.basename(path));
}

/** Files whose texts are at hand until it is closed. */
export interface LoadedFiles extends RepositoryFiles, Disposable {}

/**
 * Unpacks the texts of a cloned repository into a file on the disk, from which each is read when it is asked for:
 * however many there are, none stays in memory. The assets stay in the repository, to be streamed by their object id
 * where they are stored.
 *
 * @param folder an existing one; nothing is left in it, even by a process that is killed.
 * @param directory only what lies in this directory; its files keep their paths from the root.
 */
export async function loadRepositoryFiles(
  repository: Pick<GitRepository, 'readTree' | 'readBlobs'>,
  folder: string,
  directory = '',
): Promise<LoadedFiles> {
  const { files, skipped } = await repository.readTree(directory);
  const texts = files.filter((file) => textPattern.test(file.path) && file.size <= MAX_REPOSITORY_TEXT_BYTES);
  const oids = new Map(texts.map((file) => [file.path, file.oid]));
  const scratch = new ScratchFile(folder);
  const places = new Map<string, ScratchRange>();
  try {
    for await (const { oid, content } of repository.readBlobs(new Set(oids.values())))
      places.set(oid, scratch.append(content));
  } catch (error) {
    scratch[Symbol.dispose]();
    throw error;
  }
  return {
    list: () => files,
    read: (path) => {
      const place = places.get(oids.get(path) ?? '');
      return place && scratch.read(place);
    },
    skipped,
    [Symbol.dispose]: () => scratch[Symbol.dispose](),
  };
}

/** Finds files and folders by the paths that people write. */
export class PathIndex {
  readonly #files = new Map<string, RepositoryFile>();
  readonly #readmes = new Map<string, RepositoryFile | undefined>([['', undefined]]);

  constructor(files: Iterable<RepositoryFile> = []) {
    for (const file of files) this.add(file);
  }

  add(file: RepositoryFile): void {
    this.#files.set(file.path.normalize('NFC'), file);
    this.#addFolders(file);
  }

  /** The file at a path, however its accents are encoded (macOS writes them apart). */
  file(path: string): RepositoryFile | undefined {
    return this.#files.get(path.normalize('NFC'));
  }

  /** The file that is the page of a folder. */
  readme(folder: string): RepositoryFile | undefined {
    return this.#readmes.get(folder.normalize('NFC'));
  }

  #addFolders(file: RepositoryFile): void {
    const folder = folderOf(file.path).normalize('NFC');
    for (let above = folder; !this.#readmes.has(above); above = folderOf(above))
      this.#readmes.set(above, undefined);
    const current = this.#readmes.get(folder);
    // README.md comes before readme.md where both exist.
    if (isReadme(file.path) && (current === undefined || file.path < current.path))
      this.#readmes.set(folder, file);
  }
}

/** The folder of a path; `''` is the root. */
export function folderOf(path: string): string {
  const slash = path.lastIndexOf('/');
  return slash === -1 ? '' : path.slice(0, slash);
}

/**
 * Where a path written in a file leads, from the repository's root; `undefined` when it leaves the root.
 *
 * @param root the folder that a path with a slash in front starts from.
 */
export function resolvePath(written: string, folder: string, root: string): string | undefined {
  const slashes = written.replaceAll('\\', '/');
  const joined = slashes.startsWith('/')
    ? posix.join(root, slashes.replace(/^\/+/, ''))
    : posix.join(folder, slashes);
  const path = joined.replace(/^\.\/|^\.$|\/+$/g, '');
  return path === '..' || path.startsWith('../') || path.startsWith('/') ? undefined : path;
}

/** A written path without query, fragment and percent-encoding. */
export function decodePath(target: string): string {
  const path = target.replace(/[?#].*$/s, '');
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
