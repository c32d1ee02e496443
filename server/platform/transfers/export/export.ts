import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import {
  openSnapshotQueries,
  type SnapshotQueries,
  snapshotDatabase,
} from '../../../database/backup/snapshot-queries.ts';
import { batches } from '../../../database/batches.ts';
import type { Database, DatabaseLocation, Queries } from '../../../database/database.ts';
import { syncFolder } from '../../../database/folder/private-folder.ts';
import type { ObjectStorage } from '../../../outgoing/object-storage/object-storage.ts';
import { userTransfer } from '../../accounts/users/transfer.ts';
import type { AnyRow, Transfer } from '../../kit/transfer/define.ts';
import { TransferError } from '../errors.ts';
import { MANIFEST_FILE, type Manifest, manifestOf } from '../folder/manifest.ts';
import { filePath, OBJECTS_PATH, RESOURCES_PATH, recordsPath } from '../folder/paths.ts';
import { hashFile, listFiles, verifyFiles } from '../folder/read-files.ts';
import { fieldsOf, toRecord } from '../folder/records.ts';
import { FOLDER_MODE, jsonLines, writeParts } from '../folder/write-files.ts';
import { TRANSFERS } from '../transfers.ts';
import { exportedBytes, exportedObjects, reachableFrom } from './content.ts';
import { README } from './readme.ts';
import { writeRepositories } from './repositories.ts';
import { exportedResources, type ReadOperation } from './resources.ts';
import { exportedRows } from './rows.ts';

/** Users that one statement reads. */
const BATCH_USERS = 100;

export interface ExportOptions {
  location: DatabaseLocation;
  /** Storage of files outside of the database, if there is one. */
  objectStorage: ObjectStorage | undefined;
  /** ID of the organization. */
  organization: string;
  release: string;
  /** The configured URL of the server; undefined if there is none. */
  publicURL: string | undefined;
  now: Date;
  /** Opens what reads the resources of an organization. */
  openReader(database: Database, organization: string): Promise<ResourceReader>;
  /** Stops the export, which leaves no folder. */
  signal?: AbortSignal;
}

/** Reads resources as the API returns them. */
export interface ResourceReader {
  read: ReadOperation;
  close(): Promise<void>;
}

/**
 * Writes an organization to a new folder, also while servers write to the database: the folder contains what was
 * committed when the export began. It is read again before it gets its name, so that a folder with this name is complete.
 *
 * @throws TransferError if the folder exists, or the organization does not; BackupError if there are no data of this
 *   release; DatabaseUnavailableError; errors of the disk
 */
export async function exportOrganization(path: string, options: ExportOptions): Promise<Manifest> {
  const folder = resolve(path);
  requireAbsent(folder);
  const draft = `${folder}.${randomBytes(6).toString('hex')}.partial`;
  try {
    await mkdir(draft, { mode: FOLDER_MODE });
    const manifest = await writeDraft(draft, options);
    await verifyFiles(draft, manifest, options.signal);
    requireAbsent(folder);
    await rename(draft, folder);
    await syncFolder(dirname(folder));
    return manifest;
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    throw error;
  }
}

function requireAbsent(folder: string): void {
  if (existsSync(folder)) {
    throw new TransferError(`${folder} exists. Exports do not overwrite: choose another name.`);
  }
}

async function writeDraft(draft: string, options: ExportOptions): Promise<Manifest> {
  const { organization: id, release, publicURL = null, now } = options;
  const snapshot = await openSnapshotQueries(options.location);
  try {
    const organization = await snapshot.query
      .selectFrom('organizations')
      .select(['id', 'title'])
      .where('id', '=', id)
      .executeTakeFirst();
    if (!organization) {
      throw new TransferError(`There is no organization with the ID ${id}.`);
    }
    const counts = await new Draft(snapshot.query, draft, options).write();
    await writeResources(snapshot, draft, options);
    const contents: Manifest['contents'] = {};
    for (const path of await listFiles(draft)) {
      contents[path] = await hashFile(join(draft, path));
    }
    const manifest = manifestOf({
      release,
      exportedAt: now.toISOString(),
      publicURL,
      organization,
      ...counts,
      contents,
    });
    await writeParts(draft, MANIFEST_FILE, only(`${JSON.stringify(manifest, undefined, 2)}\n`));
    return manifest;
  } finally {
    await snapshot.close();
  }
}

async function writeResources(
  snapshot: SnapshotQueries,
  draft: string,
  { openReader, organization, signal }: ExportOptions,
): Promise<void> {
  const reader = await openReader(snapshotDatabase(snapshot), organization);
  try {
    const read: ReadOperation = (...parameters) => {
      signal?.throwIfAborted();
      return reader.read(...parameters);
    };
    await writeParts(draft, RESOURCES_PATH, jsonLines(exportedResources(read, organization)));
  } finally {
    await reader.close();
  }
}

async function* only(part: string): AsyncGenerator<string> {
  yield part;
}

/** A folder that is being written. */
class Draft {
  readonly #query: Queries;
  readonly #folder: string;
  readonly #organization: string;
  readonly #objectStorage: ObjectStorage | undefined;
  readonly #signal: AbortSignal | undefined;
  readonly #records: Record<string, number> = {};
  readonly #users = new Set<string>();
  readonly #bytes = new Set<string>();
  readonly #roots = new Set<string>();

  constructor(query: Queries, folder: string, { organization, objectStorage, signal }: ExportOptions) {
    this.#query = query;
    this.#folder = folder;
    this.#organization = organization;
    this.#objectStorage = objectStorage;
    this.#signal = signal;
  }

  async write(): Promise<Pick<Manifest, 'records' | 'objects' | 'files' | 'repositories'>> {
    const [query, folder, organization, signal] = [
      this.#query,
      this.#folder,
      this.#organization,
      this.#signal,
    ];
    const source = { database: { query }, objectStorage: this.#objectStorage };
    for (const transfer of TRANSFERS.filter((transfer) => transfer !== userTransfer)) {
      await this.#writeRecords(transfer, exportedRows(query, transfer, organization));
    }
    await this.#writeRecords(userTransfer, this.#exportedUsers());
    const reachable = await reachableFrom(query, organization, this.#roots, signal);
    const objects = exportedObjects(query, organization, reachable.objects);
    await writeParts(folder, OBJECTS_PATH, jsonLines(objects));
    const files = reachable.blobs.union(this.#bytes);
    for (const hash of files) {
      signal?.throwIfAborted();
      await writeParts(folder, filePath(hash), exportedBytes(source, organization, hash));
    }
    const repositories = await writeRepositories(source, organization, folder, signal);
    await writeParts(folder, 'README.md', only(README));
    return { records: this.#records, objects: reachable.objects.size, files: files.size, repositories };
  }

  async #writeRecords(transfer: Transfer, rows: AsyncIterable<AnyRow>): Promise<void> {
    const fields = fieldsOf(transfer);
    let count = 0;
    const records = async function* (this: Draft) {
      for await (const row of rows) {
        this.#signal?.throwIfAborted();
        count += 1;
        this.#note(transfer, row);
        yield toRecord(fields, row);
      }
    };
    await writeParts(this.#folder, recordsPath(transfer), jsonLines(records.call(this)));
    this.#records[transfer.table] = count;
  }

  /** Remembers what a row refers to. */
  #note(transfer: Transfer, row: AnyRow): void {
    for (const [name, { role }] of fieldsOf(transfer)) {
      const value = row[name];
      if (typeof value !== 'string') {
        continue;
      }
      if (role === 'bytes') {
        this.#bytes.add(value);
      } else if (role === 'content') {
        this.#roots.add(value);
      } else if (value.startsWith('usr_')) {
        this.#users.add(value);
      }
    }
  }

  async *#exportedUsers(): AsyncGenerator<AnyRow> {
    for (const batch of batches([...this.#users].sort(), BATCH_USERS)) {
      yield* await this.#query
        .selectFrom('users')
        .selectAll()
        .where('id', 'in', batch)
        .orderBy('id')
        .execute();
    }
  }
}
