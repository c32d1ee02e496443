import { posix } from 'node:path';

/** A change of a folder, or the begin or end of a sync, as `disk.c` records it. */
export interface Entry {
  kind: 'crea' | 'fold' | 'link' | 'rena' | 'remo' | 'writ' | 'leng' | 'begi' | 'ende';
  path: string;
  /** Offset of data, new length, or thread of a sync. */
  position: number;
  /** Written data, or the second path. */
  data: Buffer;
}

/** Content of a file: its origin and each change since, in order. */
export interface Content {
  /** Path at the last cut; undefined for a new file. */
  origin: string | undefined;
  changes: Change[];
}

export interface Change {
  position: number;
  /** Undefined for a change of the length. */
  data?: Buffer;
}

/** Files, with their contents, and folders after a power cut, by absolute path. */
export interface RemainingFiles {
  files: ReadonlyMap<string, Content>;
  folders: ReadonlySet<string>;
}

/** Returns a random number from 0 to below 1, which selects the unsynced data to keep. */
export type Chance = () => number;

/** Smallest unit that a disk writes atomically, in bytes. */
const SECTOR_BYTES = 512;
/** Length of the header of an entry, in bytes: `struct header` in `disk.c`. */
const HEADER_BYTES = 32;
const MARK_BYTES = 8;

/** Reads the record of `disk.c`. Skips entries that a killed process recorded incompletely. */
export function readEntries(record: Buffer, mark: string): Entry[] {
  const entries: Entry[] = [];
  let at = record.indexOf(mark);
  while (at >= 0 && at + HEADER_BYTES <= record.length) {
    const pathLength = record.readUInt32LE(at + 12);
    const start = at + HEADER_BYTES + pathLength;
    const end = start + Number(record.readBigUInt64LE(at + 16));
    const isComplete = end === record.length || record.toString('latin1', end, end + MARK_BYTES) === mark;
    if (isComplete && end <= record.length) {
      entries.push({
        // disk.c writes these and no others.
        kind: record.toString('latin1', at + 8, at + 12) as Entry['kind'],
        path: posix.normalize(record.toString('utf8', at + HEADER_BYTES, start)),
        position: Number(record.readBigUInt64LE(at + 24)),
        data: record.subarray(start, end),
      });
    }
    at = isComplete ? end : record.indexOf(mark, at + MARK_BYTES);
    if (at >= record.length) {
      break;
    }
  }
  return entries;
}

/** An inode: synced changes, and changes that may be on the disk. */
interface Inode extends Content {
  unsynced: { at: number; change: Change }[];
}

type Names = Map<string, Inode | 'folder'>;

/**
 * Simulates a power cut on file systems with a journal (ext4, xfs): a sync of a file keeps earlier writes to it; any
 * sync keeps all earlier creations, names and removals. Unsynced changes survive at random: any subset of writes, torn
 * between sectors, and names up to some point.
 *
 * @param before files and folders on the disk when the recording began
 * @param keep probability that an unsynced write is kept
 */
export function cutPower(
  before: { files: readonly string[]; folders: readonly string[] },
  entries: readonly Entry[],
  chance: Chance,
  keep: number,
): RemainingFiles {
  const current: Names = new Map();
  for (const path of before.folders) {
    current.set(path, 'folder');
  }
  for (const path of before.files) {
    current.set(path, { origin: path, changes: [], unsynced: [] });
  }
  const persisted: Names = new Map(current);
  const unsyncedNames: { at: number; apply(names: Names): void }[] = [];
  const syncs = new Map<number, { at: number; inode: Inode | undefined }>();
  const inodeAt = (path: string): Inode | undefined => {
    const inode = current.get(path);
    return inode === 'folder' ? undefined : inode;
  };

  for (const [at, entry] of entries.entries()) {
    const { kind, path, position, data: more } = entry;
    const change = (apply: (names: Names) => void) => {
      apply(current);
      unsyncedNames.push({ at, apply });
    };
    const create = () => {
      const inode: Inode = { origin: undefined, changes: [], unsynced: [] };
      change((names) => names.set(path, inode));
      return inode;
    };
    if (kind === 'begi') {
      syncs.set(position, { at, inode: inodeAt(path) });
    } else if (kind === 'ende') {
      const sync = syncs.get(position);
      if (!sync) {
        continue;
      }
      const { inode } = sync;
      while (unsyncedNames[0] && unsyncedNames[0].at < sync.at) {
        unsyncedNames.shift()?.apply(persisted);
      }
      while (inode?.unsynced[0] && inode.unsynced[0].at < sync.at) {
        const synced = inode.unsynced.shift();
        if (synced) {
          inode.changes.push(synced.change);
        }
      }
    } else if (kind === 'crea') {
      if (!current.has(path)) {
        create();
      }
    } else if (kind === 'fold') {
      change((names) => names.set(path, 'folder'));
    } else if (kind === 'remo') {
      change((names) => names.delete(path));
    } else if (kind === 'link' || kind === 'rena') {
      const second = posix.normalize(more.toString());
      const moved = current.get(path) ?? (hasEntries(current, path) ? 'folder' : create());
      change((names) => {
        if (kind === 'rena') {
          moveBelow(names, path, second);
        }
        names.set(second, moved);
      });
    } else {
      const inode = inodeAt(path) ?? create();
      inode.unsynced.push({ at, change: { position, ...(kind === 'writ' && { data: more }) } });
    }
  }

  const survivingNames = unsyncedNames.slice(0, Math.floor(chance() * (unsyncedNames.length + 1)));
  for (const { apply } of survivingNames) {
    apply(persisted);
  }
  const files = new Map<string, Content>();
  const contents = new Map<Inode, Content>();
  for (const [path, inode] of persisted) {
    if (inode === 'folder') {
      continue;
    }
    const content = contents.get(inode) ?? {
      origin: inode.origin,
      changes: [...inode.changes, ...inode.unsynced.flatMap(({ change }) => survivors(change, chance, keep))],
    };
    contents.set(inode, content);
    files.set(path, content);
  }
  const folders = [...persisted].flatMap(([path, inode]) => (inode === 'folder' ? [path] : []));
  return { files, folders: new Set(folders) };
}

/** Returns whether a path is a folder with entries. Folders that mkdtemp() created are not recorded themselves. */
function hasEntries(names: Names, path: string): boolean {
  return [...names.keys()].some((name) => name.startsWith(`${path}/`));
}

/** Renames the entries of a moved folder. */
function moveBelow(names: Names, path: string, second: string): void {
  names.delete(path);
  for (const [name, inode] of [...names]) {
    if (name.startsWith(`${path}/`)) {
      names.delete(name);
      names.set(second + name.slice(path.length), inode);
    }
  }
}

/** Returns the surviving parts of an unsynced change: of a write, any of its sectors. */
function survivors({ position, data }: Change, chance: Chance, keep: number): Change[] {
  if (chance() >= keep) {
    return [];
  }
  if (!data) {
    return [{ position }];
  }
  // Half of the surviving writes are complete.
  if (chance() < 0.5) {
    return [{ position, data }];
  }
  const parts: Change[] = [];
  for (let start = 0; start < data.length; ) {
    const end = Math.min(data.length, start + SECTOR_BYTES - ((position + start) % SECTOR_BYTES));
    if (chance() < keep) {
      parts.push({ position: position + start, data: data.subarray(start, end) });
    }
    start = end;
  }
  return parts;
}

/** Computes the bytes of a file from its origin and changes. */
export function bytesOf(origin: Buffer, changes: readonly Change[]): Buffer {
  let length = origin.length;
  let capacity = length;
  for (const { position, data } of changes) {
    capacity = Math.max(capacity, position + (data?.length ?? 0));
  }
  const bytes = Buffer.alloc(capacity);
  origin.copy(bytes);
  for (const { position, data } of changes) {
    if (data) {
      data.copy(bytes, position);
      length = Math.max(length, position + data.length);
    } else {
      // Truncated bytes read as zeros when the file grows again.
      if (position < length) {
        bytes.fill(0, position, length);
      }
      length = position;
    }
  }
  return bytes.subarray(0, length);
}
