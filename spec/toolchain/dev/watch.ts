import { type Dirent, type FSWatcher, readdirSync, watch } from 'node:fs';
import { join, sep } from 'node:path';
import { messageOf } from '../../../server/contract/errors.ts';

/** Watcher of folders. */
export interface Watcher {
  /** Watches the files of another folder, relative to the root, without its subfolders, unless it is watched. */
  add(folder: string): void;
  close(): void;
}

/** Options of {@link watchFolders}. Paths are relative to the root, with forward slashes. */
export interface WatchOptions {
  /** Time without relevant changes before a report, in milliseconds. */
  debounceMs: number;
  /** Whether changes of a file are reported; all by default. Others do not delay a report. */
  isRelevant?: (path: string) => boolean;
  /** Receives the changed paths. */
  report: (paths: string[]) => void;
  /** Receives the reason why a folder that appeared after the start is not watched. */
  warn: (message: string) => void;
}

/**
 * Reports changed files in folders and their subfolders, combined until nothing changes for a while: editors write a
 * file in several steps. Hidden files, backups and installed packages are ignored.
 *
 * Each folder has a watcher of its own: the recursive watcher of Node watches each file on Linux, also those of
 * packages.
 *
 * @param root folder that the others are relative to
 * @param folders folders to watch; missing ones are ignored
 */
export function watchFolders(
  root: string,
  folders: readonly string[],
  { debounceMs, isRelevant = () => true, report, warn }: WatchOptions,
): Watcher {
  const watchers = new Map<string, FSWatcher>();
  const changed = new Set<string>();
  let timer: NodeJS.Timeout | undefined;

  function add(file: string): void {
    const path = file.split(sep).join('/');
    if (!isRelevant(path)) {
      return;
    }
    changed.add(path);
    clearTimeout(timer);
    timer = setTimeout(() => {
      const paths = [...changed].sort();
      changed.clear();
      report(paths);
    }, debounceMs);
  }

  /** @param found receives the files of a folder that appeared after the start */
  function watchFolder(folder: string, found?: (path: string) => void, isDeep = true): void {
    const entries = entriesOf(join(root, folder));
    if (entries === undefined) {
      close(folder);
    }
    if (entries === undefined || watchers.has(folder)) {
      return;
    }
    const watcher = watch(join(root, folder), (_event, name) => {
      if (name !== null && !isIncidental(name)) {
        const path = join(folder, name);
        add(path);
        if (isDeep) {
          watchNewFolder(path);
        }
      }
    });
    // Windows reports a deleted folder as an error.
    watcher.on('error', () => close(folder));
    watchers.set(folder, watcher);
    for (const entry of entries) {
      const path = join(folder, entry.name);
      if (isDeep && entry.isDirectory() && !isIncidental(entry.name)) {
        watchFolder(path, found);
      } else if (entry.isFile()) {
        found?.(path);
      }
    }
  }

  /** An error in the callback of a watcher would end the process. */
  function watchNewFolder(folder: string): void {
    try {
      watchFolder(folder, add);
    } catch (error) {
      const isGone = error instanceof Error && 'code' in error && error.code === 'ENOENT';
      if (!isGone) {
        warn(`changes in ${folder} are not detected: ${messageOf(error)}`);
      }
    }
  }

  /** Closes the watchers of a folder and its subfolders. */
  function close(folder: string): void {
    for (const [path, watcher] of watchers) {
      if (path === folder || path.startsWith(folder + sep)) {
        watcher.close();
        watchers.delete(path);
      }
    }
  }

  for (const folder of folders) {
    watchFolder(join(folder));
  }
  return {
    add: (folder) => watchFolder(join(folder), undefined, false),
    close() {
      clearTimeout(timer);
      for (const watcher of watchers.values()) {
        watcher.close();
      }
    },
  };
}

/** Entries of a folder; undefined if it does not exist or is a file. */
function entriesOf(folder: string): Dirent[] | undefined {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return undefined;
  }
}

/** Whether a name is that of a hidden file, a backup or the folder of packages. */
function isIncidental(name: string): boolean {
  return name.startsWith('.') || name.endsWith('~') || name === 'node_modules';
}
