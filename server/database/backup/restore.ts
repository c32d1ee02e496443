import type { DatabaseLocation, Queries } from '../database.ts';
import type { BackupContent } from './read-backup.ts';
import type { BackupHeader } from './records.ts';

/** A backup to restore. */
export interface RestoreOptions {
  file: string;
  /** The header of the file. */
  header: BackupHeader;
  location: DatabaseLocation;
  /** Whether data may be replaced. */
  replace: boolean;
  /** Whether the key in the backup is written to the data folder. */
  writesKey: boolean;
  /** Continues with the restored data, before they are used. */
  prepare(queries: Queries): Promise<void>;
  now: Date;
  /** Stops the restoration, which then changes nothing. */
  signal?: AbortSignal;
}

/** What was restored. */
export interface Restored extends BackupContent {
  /** Where the data that were replaced are; undefined if there were none. */
  replaced: string | undefined;
}

/** Name of the place of replaced data, such as `replaced-20260131-235959`. */
export const nameOfReplaced = (now: Date): string =>
  `replaced-${now.toISOString().slice(0, 19).replaceAll(/[-:]/g, '').replace('T', '-')}`;
