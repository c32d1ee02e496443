import { existsSync, watch } from 'node:fs';
import { join, sep } from 'node:path';

/** Watcher of folders. */
export interface Watcher {
  close(): void;
}

/**
 * Reports changes in folders, combined until nothing changes for a while: editors write a file in several steps.
 * @param root folder that the others are relative to
 * @param folders folders to watch; missing ones are ignored
 * @param debounceMs time without changes before a report
 * @param report receives the changed paths, relative to the root, with forward slashes
 */
export function watchFolders(
  root: string,
  folders: readonly string[],
  debounceMs: number,
  report: (paths: string[]) => void,
): Watcher {
  const changed = new Set<string>();
  let timer: NodeJS.Timeout | undefined;

  const watchers = folders
    .filter((folder) => existsSync(join(root, folder)))
    .map((folder) =>
      watch(join(root, folder), { recursive: true }, (_event, name) => {
        if (name === null) {
          return;
        }
        const path = join(folder, name).split(sep).join('/');
        if (isIncidental(path)) {
          return;
        }
        changed.add(path);
        clearTimeout(timer);
        timer = setTimeout(() => {
          const paths = [...changed].sort();
          changed.clear();
          report(paths);
        }, debounceMs);
      }),
    );

  return {
    close() {
      clearTimeout(timer);
      for (const watcher of watchers) {
        watcher.close();
      }
    },
  };
}

/** Whether a path is a hidden file, a backup or a package. */
function isIncidental(path: string): boolean {
  return path
    .split('/')
    .some((part) => part.startsWith('.') || part.endsWith('~') || part === 'node_modules');
}
