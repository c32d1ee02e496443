import { posix } from 'node:path';

/** One change of a folder, or one end of a sync, as `disk.c` records it. */
export interface Entry {
  what: 'crea' | 'fold' | 'link' | 'rena' | 'remo' | 'writ' | 'leng' | 'begi' | 'ende';
  path: string;
  /** Of data; the new length; the thread that syncs. */
  position: number;
  /** What was written, or the second path. */
  more: Buffer;
}

/** What a file is made of: what it was, and each change since in its order. */
export interface Content {
  /** The path that it had at the last cut; undefined where it is new. */
  origin: string | undefined;
  changes: Change[];
}

export interface Change {
  position: number;
  /** Undefined where it sets the length. */
  data?: Buffer;
}

/** A folder after a power cut, by absolute path: what files are made of, and which folders there are. */
export interface Remains {
  files: ReadonlyMap<string, Content>;
  folders: ReadonlySet<string>;
}

/** Picks what of the unsynced is kept: a number from 0 to below 1. */
export type Chance = () => number;

/** The smallest part that a disk writes whole, in bytes. */
const SECTOR_BYTES = 512;
/** The header of an entry, in bytes: `struct header` in `disk.c`. */
const HEADER_BYTES = 32;
const MARK_BYTES = 8;

/** Reads what `disk.c` recorded. What a process was killed in the middle of recording is passed over. */
export function readEntries(record: Buffer, mark: string): Entry[] {
  const entries: Entry[] = [];
  let at = record.indexOf(mark);
  while (at >= 0 && at + HEADER_BYTES <= record.length) {
    const pathLength = record.readUInt32LE(at + 12);
    const start = at + HEADER_BYTES + pathLength;
    const end = start + Number(record.readBigUInt64LE(at + 16));
    const whole = end === record.length || record.toString('latin1', end, end + MARK_BYTES) === mark;
    if (whole && end <= record.length) {
      entries.push({
        // disk.c writes these and no others.
        what: record.toString('latin1', at + 8, at + 12) as Entry['what'],
        path: posix.normalize(record.toString('utf8', at + HEADER_BYTES, start)),
        position: Number(record.readBigUInt64LE(at + 24)),
        more: record.subarray(start, end),
      });
    }
    at = whole ? end : record.indexOf(mark, at + MARK_BYTES);
    if (at >= record.length) {
      break;
    }
  }
  return entries;
}

/** An inode: what is certainly on the disk, and what may be. */
interface Inode extends Content {
  unsynced: { at: number; change: Change }[];
}

type Names = Map<string, Inode | 'folder'>;

/**
 * Works out what a power cut leaves, as file systems with a journal do (ext4, xfs): a sync of a file keeps what was
 * written to it before; any sync keeps all creations, names and removals before it. What was not synced is on the
 * disk or not as `chance` has it: writes in any choice and torn between sectors, names up to some point.
 *
 * @param before what was on the disk when the recording began: its files and folders
 * @param keep the probability with which an unsynced write is kept
 */
export function cutPower(
  before: { files: readonly string[]; folders: readonly string[] },
  entries: readonly Entry[],
  chance: Chance,
  keep: number,
): Remains {
  const seen: Names = new Map();
  for (const path of before.folders) {
    seen.set(path, 'folder');
  }
  for (const path of before.files) {
    seen.set(path, { origin: path, changes: [], unsynced: [] });
  }
  const kept: Names = new Map(seen);
  const unsyncedNames: { at: number; apply(names: Names): void }[] = [];
  const syncs = new Map<number, { at: number; inode: Inode | undefined }>();
  const inodeAt = (path: string): Inode | undefined => {
    const found = seen.get(path);
    return found === 'folder' ? undefined : found;
  };

  for (const [at, entry] of entries.entries()) {
    const { what, path, position, more } = entry;
    const change = (apply: (names: Names) => void) => {
      apply(seen);
      unsyncedNames.push({ at, apply });
    };
    const create = () => {
      const inode: Inode = { origin: undefined, changes: [], unsynced: [] };
      change((names) => names.set(path, inode));
      return inode;
    };
    if (what === 'begi') {
      syncs.set(position, { at, inode: inodeAt(path) });
    } else if (what === 'ende') {
      const sync = syncs.get(position);
      if (!sync) {
        continue;
      }
      const { inode } = sync;
      while (unsyncedNames[0] && unsyncedNames[0].at < sync.at) {
        unsyncedNames.shift()?.apply(kept);
      }
      while (inode?.unsynced[0] && inode.unsynced[0].at < sync.at) {
        const synced = inode.unsynced.shift();
        if (synced) {
          inode.changes.push(synced.change);
        }
      }
    } else if (what === 'crea') {
      if (!seen.has(path)) {
        create();
      }
    } else if (what === 'fold') {
      change((names) => names.set(path, 'folder'));
    } else if (what === 'remo') {
      change((names) => names.delete(path));
    } else if (what === 'link' || what === 'rena') {
      const second = posix.normalize(more.toString());
      const moved = seen.get(path) ?? create();
      change((names) => {
        if (what === 'rena') {
          moveBelow(names, path, second);
        }
        names.set(second, moved);
      });
    } else {
      const inode = inodeAt(path) ?? create();
      inode.unsynced.push({ at, change: { position, ...(what === 'writ' && { data: more }) } });
    }
  }

  const certain = unsyncedNames.slice(0, Math.floor(chance() * (unsyncedNames.length + 1)));
  for (const { apply } of certain) {
    apply(kept);
  }
  const files = new Map<string, Content>();
  const contents = new Map<Inode, Content>();
  for (const [path, inode] of kept) {
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
  const folders = [...kept].flatMap(([path, inode]) => (inode === 'folder' ? [path] : []));
  return { files, folders: new Set(folders) };
}

/** A folder takes what is in it along. */
function moveBelow(names: Names, path: string, second: string): void {
  names.delete(path);
  for (const [name, inode] of [...names]) {
    if (name.startsWith(`${path}/`)) {
      names.delete(name);
      names.set(second + name.slice(path.length), inode);
    }
  }
}

/** What is left of an unsynced change: of a write any of its sectors. */
function survivors({ position, data }: Change, chance: Chance, keep: number): Change[] {
  if (chance() >= keep) {
    return [];
  }
  if (!data) {
    return [{ position }];
  }
  // Most writes survive whole.
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

/** The bytes of a file from what it is made of. */
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
      // What is cut off reads as zeros where the file grows again.
      if (position < length) {
        bytes.fill(0, position, length);
      }
      length = position;
    }
  }
  return bytes.subarray(0, length);
}
