import { rm } from 'node:fs/promises';
import { localEnvironment } from '../environment.ts';
import { OutgoingError } from '../errors.ts';
import { type GitProcessOptions, startGit } from '../processes.ts';
import { createCopyFolder, fetchInto, inFolder, LOCAL_REF } from './copies.ts';
import type { RepositoryLocation } from './locate.ts';

/** Limits of reading a history. Files that changed before have the date of its oldest commit. */
export const HISTORY_LIMITS = {
  commits: 2000,
  /** Packed size of the commits and trees; servers without filters also send the files. */
  bytes: 134_217_728,
  /** Size of the list of the changed paths. */
  listBytes: 134_217_728,
  milliseconds: 60_000,
};

/** A commit to read the history of. */
interface HistoryOptions {
  /** An existing folder that will contain a temporary folder. */
  folder: string;
  location: RepositoryLocation;
  ref: string;
  oid: string;
  limits?: Partial<typeof HISTORY_LIMITS>;
  process: Pick<GitProcessOptions, 'dataBytes' | 'signal'>;
}

/**
 * Returns the times of the last commits of the files of a commit, by path. Fetches the commits and their trees without
 * the files, into a temporary folder of its own.
 *
 * @throws {GitExit} if git fails; {@link OutgoingError} `too-large`, `timeout`, `aborted`
 */
export async function readHistory({
  folder: parent,
  location,
  ref,
  oid,
  limits: changed,
  process,
}: HistoryOptions): Promise<Map<string, Date>> {
  const limits = { ...HISTORY_LIMITS, ...changed };
  const { folder } = await createCopyFolder(parent);
  const options = { ...process, milliseconds: limits.milliseconds };
  try {
    await fetchInto(
      folder,
      location,
      { name: ref, as: LOCAL_REF, depth: limits.commits, filter: 'blob:none' },
      limits,
      options,
    );
    const git = startGit(
      [
        ...inFolder(folder),
        'log',
        '-z',
        '--format=%x01%ct',
        '--name-only',
        '--no-renames',
        '--end-of-options',
        oid,
      ],
      { ...options, environment: localEnvironment(folder) },
    );
    git.stdin.end();
    const dates = new HistoryDates();
    let bytes = 0;
    for await (const chunk of git.stdout) {
      bytes += chunk.length;
      if (bytes > limits.listBytes) {
        git.stop(new OutgoingError('too-large', 'The history of the repository changes too many files.'));
        break;
      }
      dates.add(chunk);
    }
    await git.done;
    return dates.byPath;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Reads the output of `git log -z --format=%x01%ct --name-only`: times and paths, newest first. */
class HistoryDates {
  readonly byPath = new Map<string, Date>();
  #rest: Buffer = Buffer.alloc(0);
  #date = new Date(0);

  add(chunk: Buffer): void {
    const data = this.#rest.length > 0 ? Buffer.concat([this.#rest, chunk]) : chunk;
    let start = 0;
    for (let end = data.indexOf(0); end !== -1; end = data.indexOf(0, start)) {
      this.#addEntry(data.toString('utf8', start, end));
      start = end + 1;
    }
    this.#rest = data.subarray(start);
  }

  #addEntry(entry: string): void {
    if (entry.startsWith('\u0001')) {
      const date = new Date(Number(entry.slice(1)) * 1000);
      this.#date = Number.isNaN(date.getTime()) ? new Date(0) : date;
      return;
    }
    // The first path follows an empty line.
    const path = entry.startsWith('\n') ? entry.slice(1) : entry;
    if (path !== '' && !this.byPath.has(path)) {
      this.byPath.set(path, this.#date);
    }
  }
}
