import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { bytesOf, type Chance, cutPower, readEntries } from './power-cut.ts';

/** A folder on a disk that can be full or lose unsynced data. */
export interface Disk {
  /** Variables for the programs that write to the folder. */
  environment: Record<string, string>;
  /** Prevents files of the folder from growing. */
  fill(): void;
  free(): void;
  /**
   * Reduces the folder to what survives a power cut. All of its programs must have been killed.
   *
   * @param keep probability that an unsynced write is kept
   */
  cut(chance: Chance, keep: number): void;
  remove(): void;
}

/** Returns the C compiler of this machine; undefined without one, or on systems other than Linux. */
export function findCompiler(): string | undefined {
  if (process.platform !== 'linux') {
    return undefined;
  }
  const folders = (process.env.PATH ?? '').split(delimiter);
  return ['cc', 'gcc', 'clang', 'tcc']
    .flatMap((name) => folders.map((folder) => join(folder, name)))
    .find((program) => existsSync(program));
}

/** Simulates such a disk for an existing folder. Its data counts as synced. No program may have it open. */
export function createDisk(folder: string): Disk {
  const compiler = findCompiler();
  if (compiler === undefined) {
    throw new Error('There is no C compiler. Install one (Debian: tcc libc6-dev).');
  }
  const root = realpathSync(folder);
  const { uid, gid } = statSync(root);
  const side = mkdtempSync(join(tmpdir(), 'colophon-disk-'));
  // PostgreSQL runs as another user.
  chmodSync(side, 0o755);
  const library = join(side, 'disk.so');
  const record = join(side, 'record');
  const full = join(side, 'full');
  const synced = join(side, 'synced');
  execFileSync(compiler, ['-shared', '-fPIC', '-o', library, join(import.meta.dirname, 'disk.c')]);
  const mark = randomBytes(4).toString('hex');
  const begin = () => {
    rmSync(synced, { recursive: true, force: true });
    cpSync(root, synced, { recursive: true });
    writeFileSync(record, '');
  };
  begin();
  chownSync(record, uid, gid);
  return {
    environment: {
      LD_PRELOAD: library,
      DISK_FOLDER: root,
      DISK_RECORD: record,
      DISK_MARK: mark,
      DISK_FULL: full,
    },
    fill: () => writeFileSync(full, ''),
    free: () => rmSync(full, { force: true }),
    cut: (chance, keep) => {
      const before = walk(synced);
      const moved = (path: string) => root + path.slice(synced.length);
      const remains = cutPower(
        { files: before.files.map(moved), folders: before.folders.map(moved) },
        readEntries(readFileSync(record), mark),
        chance,
        keep,
      );
      const current = walk(root);
      for (const path of current.files) {
        if (!remains.files.has(path)) {
          rmSync(path);
        }
      }
      for (const path of current.folders) {
        if (!remains.folders.has(path)) {
          rmSync(path, { recursive: true, force: true });
        }
      }
      const own = (path: string, make: () => void) => {
        const isNew = !existsSync(path);
        make();
        if (isNew) {
          chownSync(path, uid, gid);
        }
      };
      for (const path of [...remains.folders].sort()) {
        own(path, () => mkdirSync(path, { recursive: true, mode: 0o700 }));
      }
      for (const [path, { origin, changes }] of remains.files) {
        const bytes =
          origin === undefined ? Buffer.alloc(0) : readFileSync(synced + origin.slice(root.length));
        // Folders that were not created by mkdir() are not recorded.
        mkdirSync(dirname(path), { recursive: true });
        own(path, () => writeFileSync(path, bytesOf(bytes, changes), { mode: 0o600 }));
      }
      begin();
    },
    remove: () => rmSync(side, { recursive: true, force: true }),
  };
}

/** Lists all files and folders of a folder, recursively. */
function walk(folder: string): { files: string[]; folders: string[] } {
  const files: string[] = [];
  const folders: string[] = [];
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    const path = join(entry.parentPath, entry.name);
    (entry.isDirectory() ? folders : files).push(path);
  }
  return { files, folders };
}
