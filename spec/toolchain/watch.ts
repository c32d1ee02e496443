import { existsSync, watch } from 'node:fs';
import { join, sep } from 'node:path';

/** Watches folders until it is closed. */
export interface Watcher {
  close(): void;
}

/**
 * Reports changes below folders, those that come together in one go.
 * @param root what the folders are relative to
 * @param folders those that do not exist are passed over
 * @param quiet how long nothing may change before a report, in milliseconds: editors write a file in several steps
 * @param report gets the changed paths, relative to the root, with forward slashes
 */
export function watchFolders(
  root: string,
  folders: readonly string[],
  quiet: number,
  report: (paths: string[]) => void,
): Watcher {
  const changed = new Set<string>();
  let timer: NodeJS.Timeout | undefined;

  const watchers = folders
    .filter((folder) => existsSync(join(root, folder)))
    .map((folder) =>
      watch(join(root, folder), { recursive: true }, (_event, name) => {
        if (name === null) return;
        const path = join(folder, name).split(sep).join('/');
        if (isIncidental(path)) return;
        changed.add(path);
        clearTimeout(timer);
        timer = setTimeout(() => {
          const paths = [...changed].sort();
          changed.clear();
          report(paths);
        }, quiet);
      }),
    );

  return {
    close() {
      clearTimeout(timer);
      for (const watcher of watchers) watcher.close();
    },
  };
}

/** Hidden files, backups and packages: what editors and tools leave behind. */
function isIncidental(path: string): boolean {
  return path
    .split('/')
    .some((part) => part.startsWith('.') || part.endsWith('~') || part === 'node_modules');
}
