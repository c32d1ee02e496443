import { posix } from 'node:path';
import { slugify } from '../../tree/slugs.ts';
import { folderOf, isMarkdown, type RepositoryFiles } from '../files.ts';
import {
  type ContentConfiguration,
  gitbookFolders,
  inFolder,
  isInFolder,
  topFolderOf,
} from '../read/configuration.ts';
import type { ImportedPage } from '../types.ts';
import { isReserved } from './new-pages/file-names.ts';
import { placePages } from './new-pages/placement.ts';
import { type PlannedContents, summaryPathsOf, topFoldersOf } from './tables.ts';
import { type ExportedContent, walkExported } from './types.ts';

/** The paths of all content in a repository, from the root, by ID. */
export interface WrittenPaths {
  pages: Map<string, string>;
  files: Map<string, string>;
  reusableContents: Map<string, string>;
}

// Characters that Git, Windows or macOS prohibit or reserve in names.
const UNUSABLE_NAME = /[\\/:*?"<>|\p{Cc}\uFFFD]/gu;
const MAX_NAME_CHARACTERS = 120;

/**
 * Assigns a path to everything. Content from the repository keeps its path. New pages are placed with their siblings or
 * their parent; files and reusable contents are placed in their folders of the platform. Unrelated files are never
 * replaced.
 *
 * @param previousPaths paths that may be overwritten, because they contained content before
 * @param before the pages of the repository
 */
export function assignPaths(
  content: ExportedContent,
  head: RepositoryFiles,
  { configuration, tables }: PlannedContents,
  previousPaths: ReadonlySet<string>,
  before: readonly ImportedPage[],
): WrittenPaths {
  const { project, root } = configuration;
  const summaryPaths = summaryPathsOf(tables);
  const [gitbook = inFolder(root, '.gitbook')] = gitbookFolders(configuration);
  const paths: WrittenPaths = { pages: new Map(), files: new Map(), reusableContents: new Map() };
  const documents = [...walkExported(content.pages)].filter((page) => page.type === 'document');
  const tops = topFoldersOf(tables);
  // Symbolic links and submodules are never replaced, and nothing is written below them.
  const skipped = new OccupiedPaths((head.skipped ?? []).map(({ path }) => path));
  // A page may be the table of contents itself.
  const origins = new Set(documents.map(({ git }) => git?.path));
  const retained = new Set([...summaryPaths].filter((path) => !origins.has(path)));
  const retain = (ids: Map<string, string>, id: string, path: string | undefined, isText: boolean) => {
    if (
      path === undefined ||
      skipped.isOccupied(path) ||
      !isInFolder(project, path) ||
      retained.has(path) ||
      isMarkdown(path) !== isText
    ) {
      return;
    }
    retained.add(path);
    ids.set(id, path);
  };
  for (const { id, git } of documents) {
    // A page that was moved to another language is moved to its folder.
    if (!configuration.isMultilingual || (git && topFolderOf(configuration, git.path) === tops.get(id))) {
      retain(paths.pages, id, git?.path, true);
    }
  }
  for (const { id, git } of content.files) {
    retain(paths.files, id, git?.path, git !== undefined && isMarkdown(git.path));
  }
  for (const { id, git } of content.reusableContents) {
    if (git) {
      retain(paths.reusableContents, id, git.path, isMarkdown(git.path));
    }
  }

  const occupied = new OccupiedPaths([...retained, ...summaryPaths]);
  for (const { path } of head.list()) {
    if (!previousPaths.has(path)) {
      occupied.add(path);
    }
  }
  for (const { path } of head.skipped ?? []) {
    occupied.add(path);
  }
  if (documents.some(({ id }) => !paths.pages.has(id))) {
    for (const [id, path] of placePages(content.pages, { root, retained: paths.pages, head, before })) {
      paths.pages.set(id, occupied.assign(pagePaths(path)));
    }
  }
  for (const { id, name } of content.files) {
    if (!paths.files.has(id)) {
      paths.files.set(id, occupied.assign(filePaths(inFolder(gitbook, 'assets'), name)));
    }
  }
  for (const { id, title, git } of content.reusableContents) {
    if (!paths.reusableContents.has(id) && !(git && isIncludedFile(git.path, configuration))) {
      paths.reusableContents.set(
        id,
        occupied.assign(pagePaths(inFolder(gitbook, `includes/${slugify(title)}.md`))),
      );
    }
  }
  return paths;
}

/** Whether reusable content is a file that pages include where it is, which is written only if it does not exist. */
export const isIncludedFile = (path: string, configuration: ContentConfiguration): boolean =>
  !gitbookFolders(configuration).some((folder) => isInFolder(inFolder(folder, 'includes'), path));

/** Yields paths for a page: the preferred one, then others with a number. */
function* pagePaths(path: string): Generator<string> {
  yield path;
  const { dir, name, ext } = posix.parse(path);
  for (let count = 1; ; count += 1) {
    yield inFolder(dir, `${name}-${count}${ext}`);
  }
}

/**
 * Yields paths for a file. A second file of the same name is placed in a separate folder, because its name is part of
 * the content.
 */
function* filePaths(folder: string, name: string): Generator<string> {
  const safe = name.replace(UNUSABLE_NAME, '-').trim();
  const extension = posix.extname(safe).slice(0, 16);
  const short =
    safe.length > MAX_NAME_CHARACTERS
      ? `${safe.slice(0, MAX_NAME_CHARACTERS - extension.length)}${extension}`
      : safe;
  const file = short === '' || isReserved(short) ? `file-${short.replaceAll('.', '')}` : short;
  yield inFolder(folder, file);
  for (let count = 1; ; count += 1) {
    yield `${inFolder(folder, String(count))}/${file}`;
  }
}

/** The occupied paths of a repository, as seen by a case-insensitive file system. */
class OccupiedPaths {
  readonly #files = new Set<string>();
  readonly #folders = new Set<string>();

  constructor(paths: Iterable<string>) {
    for (const path of paths) {
      this.add(path);
    }
  }

  add(path: string): void {
    const folded = fold(path);
    this.#files.add(folded);
    for (
      let parent = folderOf(folded);
      parent !== '' && !this.#folders.has(parent);
      parent = folderOf(parent)
    ) {
      this.#folders.add(parent);
    }
  }

  /** Reserves the first free path; there is always one. */
  assign(paths: Iterable<string>): string {
    for (const preferred of paths) {
      const path = this.#outsideFiles(preferred);
      if (this.#isFree(fold(path))) {
        this.add(path);
        return path;
      }
    }
    throw new Error('No path is available.');
  }

  /** Whether a file is at a path, or at one of the folders above it. */
  isOccupied(path: string): boolean {
    const folded = fold(path);
    return this.#files.has(folded) || this.#isBelowFile(folded);
  }

  #isFree(path: string): boolean {
    return !this.#files.has(path) && !this.#folders.has(path);
  }

  /** Returns a path without files, such as symbolic links, among its folders: conflicting names get a number. */
  #outsideFiles(path: string): string {
    const parts = path.split('/');
    const name = parts.pop() ?? '';
    let folder = '';
    for (const part of parts) {
      let next = inFolder(folder, part);
      for (let count = 1; this.#files.has(fold(next)); count += 1) {
        next = inFolder(folder, `${part}-${count}`);
      }
      folder = next;
    }
    return inFolder(folder, name);
  }

  #isBelowFile(path: string): boolean {
    for (let parent = folderOf(path); parent !== ''; parent = folderOf(parent)) {
      if (this.#files.has(parent)) {
        return true;
      }
    }
    return false;
  }
}

function fold(path: string): string {
  return path.normalize('NFC').toLowerCase();
}
