import { posix } from 'node:path';
import { slugify } from '../../tree/slugs.ts';
import { isMarkdown, isReadme, type RepositoryFile } from '../files.ts';
import { type Steps, sortInSteps } from '../steps.ts';
import { titleFromName } from '../text.ts';
import { type ContentConfiguration, isInFolder } from './configuration.ts';
import type { OutlineEntry } from './outline.ts';

type PageEntry = Extract<OutlineEntry, { kind: 'page' }>;

/** A folder with Markdown files. */
interface Folder {
  /** Its README. */
  page: RepositoryFile | undefined;
  files: RepositoryFile[];
  folders: Map<string, Folder>;
}

/** An entry with the name that it is sorted by. */
interface NamedEntry {
  name: string;
  entry: OutlineEntry;
}

/** Maximum nesting of folders that become groups; deeper folders are flattened. */
export const MAX_FOLDER_DEPTH = 32;
const collator = new Intl.Collator('en', { numeric: true });
const TOOLS_PATTERN = /^(?:[._]|node_modules$)/;

/**
 * Creates the outline of a repository without a table of contents: the README first, then files and folders by name.
 * A folder's own page is its README or the file of the same name next to it; without one the folder is a group. Names
 * with a leading dot or underscore (such as a wiki's sidebar) and `node_modules` belong to tools and are omitted.
 */
export function* outlineFromFolders(
  files: readonly RepositoryFile[],
  { root, readme, summary }: ContentConfiguration,
): Steps<OutlineEntry[]> {
  const top = emptyFolder();
  let first: RepositoryFile | undefined;
  for (const file of files) {
    yield;
    if (file.path === readme) {
      first = file;
      continue;
    }
    if (!isMarkdown(file.path) || !isInFolder(root, file.path) || file.path === summary) {
      continue;
    }
    const parts = file.path.slice(root === '' ? 0 : root.length + 1).split('/');
    if (!parts.some((part) => TOOLS_PATTERN.test(part))) {
      addFile(top, parts.slice(0, -1), file);
    }
  }
  const entries = yield* listFolder(top);
  const pages = [first, top.page].filter((file) => file !== undefined);
  return [...pages.map(pageOf), ...entries];
}

function emptyFolder(): Folder {
  return { page: undefined, files: [], folders: new Map() };
}

function addFile(top: Folder, path: readonly string[], file: RepositoryFile): void {
  let folder = top;
  for (const name of path.slice(0, MAX_FOLDER_DEPTH)) {
    let next = folder.folders.get(name);
    if (next === undefined) {
      next = emptyFolder();
      folder.folders.set(name, next);
    }
    folder = next;
  }
  // The README of a flattened folder is not that of the folder above it.
  if (!isReadme(file.path) || path.length > MAX_FOLDER_DEPTH) {
    folder.files.push(file);
    return;
  }
  // README.md takes precedence over readme.md.
  const isPage = folder.page === undefined || file.path < folder.page.path;
  const other = isPage ? folder.page : file;
  folder.page = isPage ? file : folder.page;
  if (other !== undefined) {
    folder.files.push(other);
  }
}

/** Lists the files and folders in a folder, without its own page. */
function* listFolder(folder: Folder): Steps<OutlineEntry[]> {
  const named: NamedEntry[] = [];
  const pages = new Map<string, PageEntry>();
  for (const file of folder.files) {
    const entry = pageOf(file);
    const name = posix.basename(file.path).replace(/\.(?:md|markdown)$/i, '');
    named.push({ name, entry });
    // `guide.md` takes precedence over `guide.markdown`.
    if (!pages.has(name) || /\.md$/i.test(file.path)) {
      pages.set(name, entry);
    }
  }
  for (const [name, child] of folder.folders) {
    yield;
    const entries = yield* listFolder(child);
    const sibling = pages.get(name);
    if (child.page !== undefined) {
      named.push({ name, entry: { ...pageOf(child.page), entries } });
    } else if (sibling !== undefined) {
      sibling.entries = entries;
    } else {
      const group = { kind: 'group', title: titleFromName(name), slug: slugify(name), entries } as const;
      named.push({ name, entry: group });
    }
  }
  const sorted = yield* sortInSteps(named, (left, right) => compare(left.name, right.name));
  return sorted.map(({ entry }) => entry);
}

function pageOf(file: RepositoryFile): PageEntry {
  return { kind: 'page', title: '', file, entries: [] };
}

/** Compares names in natural order (`release-9` before `release-10`); the order of different names is total. */
function compare(left: string, right: string): number {
  return collator.compare(left, right) || (left < right ? -1 : Number(left > right));
}
