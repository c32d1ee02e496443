import { posix } from 'node:path';
import { slugify } from '../../../tree/slugs.ts';
import { folderOf, type RepositoryFiles } from '../../files.ts';
import { inFolder, isInFolder } from '../../read/configuration.ts';
import type { ImportedPage } from '../../types.ts';
import type { ExportedPage } from '../types.ts';
import { fileNameFor, isIndex, pageFileName, safeName } from './file-names.ts';

/** The repository that new pages are placed in. */
export interface Surroundings {
  /** The folder of the documentation. */
  root: string;
  /** Paths of the pages that keep theirs, by ID. */
  retained: ReadonlyMap<string, string>;
  head: RepositoryFiles;
  /** The pages of the repository before. */
  before: readonly ImportedPage[];
}

/** The parent of a list of pages. */
interface Parent {
  /** Path of its file, or the key of a group; '' for the top level. */
  key: string;
  /** The folder of its pages, if it has none yet. */
  home: string;
  /** Whether pages that had another parent in the repository determine the folder, too. */
  includesMoved: boolean;
}

/**
 * Selects a path for each page that has none, by ID; paths are not unique yet. A new page is placed in the folder of
 * most of its siblings. Without siblings it is placed next to the README of its parent, or in the folder with the name
 * of its parent's file. An existing folder is used even if its name is written differently.
 */
export function placePages(pages: readonly ExportedPage[], surroundings: Surroundings): Map<string, string> {
  const placement = new Placement(surroundings);
  placement.place(pages, { key: TOP_LEVEL, home: surroundings.root, includesMoved: false });
  return placement.paths;
}

const TOP_LEVEL = '';
const groupKey = (path: string): string => `group:${path}`;

class Placement {
  readonly paths = new Map<string, string>();
  readonly #root: string;
  readonly #retained: ReadonlyMap<string, string>;
  readonly #folders: FolderNames;
  /** Keys of the parents that pages had in the repository, by path. */
  readonly #formerParents: ReadonlyMap<string, string>;
  readonly #formerKeys: ReadonlySet<string>;

  constructor({ root, retained, head, before }: Surroundings) {
    this.#root = root;
    this.#retained = retained;
    this.#folders = new FolderNames(head);
    this.#formerParents = new Map(parentsOf(before, TOP_LEVEL));
    this.#formerKeys = new Set(this.#formerParents.values());
  }

  place(pages: readonly ExportedPage[], parent: Parent): void {
    const siblings = this.#siblings(pages, parent);
    const named = siblings.filter((path) => !isIndex(path));
    const folders = foldersOf(siblings, parent.home);
    const folder =
      mostFrequent(named.length > 0 ? folders : [...folders, ...this.#foldersOfGroups(pages)], parent.home) ??
      parent.home;
    const names = named.map(pageFileName);
    for (const page of pages) {
      if (page.type === 'group') {
        const key = groupKey(page.path);
        const includesMoved = !this.#formerKeys.has(key);
        this.place(page.pages, { key, home: this.#folders.find(folder, safeName(page.slug)), includesMoved });
      } else if (page.type === 'document') {
        const path = this.#retained.get(page.id) ?? inFolder(folder, `${fileNameFor(page.slug, names)}.md`);
        if (!this.#retained.has(page.id)) {
          this.paths.set(page.id, path);
        }
        this.place(page.pages, { key: path, home: this.#homeOf(path), includesMoved: false });
      }
    }
  }

  /** Returns the folder of the pages below a page. */
  #homeOf(path: string): string {
    const folder = folderOf(path);
    const name = pageFileName(path);
    // Windows removes spaces and dots from the end of a folder's name.
    const home = /[\s.]$/.test(name) ? slugify(name) : name;
    return isIndex(path) ? folder : this.#folders.find(folder, home);
  }

  /** Returns the paths of the pages of a list that the repository had there, too. */
  #siblings(pages: readonly ExportedPage[], { key, includesMoved }: Parent): string[] {
    return pages.flatMap(({ id }) => {
      const path = this.#retained.get(id);
      if (path === undefined || !isInFolder(this.#root, path)) {
        return [];
      }
      const former = this.#formerParents.get(path);
      return includesMoved || former === undefined || former === key ? [path] : [];
    });
  }

  /** Returns the folders that contain the groups of a list: the parent folder if a group's own folder has its name. */
  #foldersOfGroups(pages: readonly ExportedPage[]): string[] {
    return pages.flatMap((page) => {
      if (page.type !== 'group') {
        return [];
      }
      const parent = { key: groupKey(page.path), home: this.#root, includesMoved: true };
      const folder = mostFrequent(this.#siblings(page.pages, parent).map(folderOf), this.#root);
      if (folder === undefined || folder === this.#root) {
        return folder ?? [];
      }
      return slugify(posix.basename(folder)) === page.slug ? folderOf(folder) : folder;
    });
  }
}

/** Lists the keys of the parents of pages, by path. */
function* parentsOf(
  pages: readonly ImportedPage[],
  parent: string,
): Generator<[path: string, parent: string]> {
  for (const page of pages) {
    if (page.type === 'document') {
      yield [page.git.path, parent];
      yield* parentsOf(page.pages, page.git.path);
    } else if (page.type === 'group') {
      yield* parentsOf(page.pages, groupKey(page.path));
    }
  }
}

/**
 * Returns the folders that siblings are in. The README of a folder represents the folder, which is in the one above,
 * unless other siblings are next to it or the pages of their parent belong there.
 */
function foldersOf(siblings: readonly string[], home: string): string[] {
  const plain = siblings.filter((path) => !isIndex(path)).map(folderOf);
  const inside = new Set([home, ...plain]);
  const indexes = siblings.filter(isIndex).map(folderOf);
  return [...plain, ...indexes.map((folder) => (inside.has(folder) ? folder : folderOf(folder)))];
}

/** Returns the most frequent value; of several ones the preferred one, otherwise the first. */
function mostFrequent(values: readonly string[], preferred: string): string | undefined {
  const counts = new Map<string, number>();
  for (const value of values) {
    counts.set(value, (counts.get(value) ?? 0) + 1);
  }
  const maximum = Math.max(0, ...counts.values());
  return counts.get(preferred) === maximum
    ? preferred
    : [...counts].find(([, count]) => count === maximum)?.[0];
}

/** The folders of a repository, found by names that may be written differently. */
class FolderNames {
  /** Names of the folders in a folder, by name and by slug. */
  readonly #names = new Map<string, Map<string, string>>();

  constructor(head: RepositoryFiles) {
    const known = new Set(['']);
    for (const { path } of head.list()) {
      for (let folder = folderOf(path); !known.has(folder); folder = folderOf(folder)) {
        known.add(folder);
        const above = folderOf(folder);
        const names = this.#names.get(above) ?? new Map<string, string>();
        const name = posix.basename(folder);
        names.set(bySlug(name), names.get(bySlug(name)) ?? name);
        names.set(name, name);
        this.#names.set(above, names);
      }
    }
  }

  /** Returns the folder with a name, in the spelling of an existing one. */
  find(folder: string, name: string): string {
    const names = this.#names.get(folder);
    return inFolder(folder, names?.get(name) ?? names?.get(bySlug(name)) ?? name);
  }
}

/** Returns a key that no name equals. */
const bySlug = (name: string): string => `/${slugify(name)}`;
