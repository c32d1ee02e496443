import { existsSync } from 'node:fs';
import { COLUMN_QUERIES, type Column } from '../catalog.ts';
import { Handle } from '../engines/sqlite-handle.ts';
import { classify } from '../errors.ts';
import { BackupError } from './errors.ts';
import type { Row } from './records.ts';
import { SNAPSHOT_BATCH_BYTES, type Snapshot, sizeOf } from './snapshot.ts';

/**
 * Opens a snapshot of a file: a read transaction. Until it is closed, the write-ahead log cannot start over, so it grows
 * by what is written meanwhile.
 */
export function openFileSnapshot(file: string): Snapshot {
  if (!existsSync(file)) {
    throw new BackupError(`The database ${file} does not exist. Check COLOPHON_DATA.`);
  }
  try {
    // Commits of this connection would run checkpoints, but it only reads.
    const handle = new Handle(file, { existing: true, checkpointPages: 0 });
    handle.exec('begin');
    // The first read determines the state.
    handle.run({ sql: 'select 1 from sqlite_master limit 1', parameters: [] });
    return snapshotOf(handle);
  } catch (error) {
    throw classify(error);
  }
}

function snapshotOf(handle: Handle): Snapshot {
  const all = <R>(sql: string): R[] => handle.run<R>({ sql, parameters: [] }).rows;
  return {
    engine: 'sqlite',
    columns: async () => all<Column>(COLUMN_QUERIES.sqlite),
    all: async (query) => all(query),
    run: async (query) => handle.run(query).rows,
    async *rows({ table, columns }) {
      const names = columns.map((column) => `"${column}"`).join(', ');
      let batch: Row[] = [];
      let bytes = 0;
      for (const row of handle.iterate<Row>(`select ${names} from "${table}"`)) {
        batch.push(row);
        bytes += sizeOf(row);
        if (bytes >= SNAPSHOT_BATCH_BYTES) {
          yield batch;
          batch = [];
          bytes = 0;
        }
      }
      if (batch.length > 0) {
        yield batch;
      }
    },
    sequences: async () =>
      Object.fromEntries(
        all<{ name: string; seq: number }>('select "name", "seq" from sqlite_sequence').map(
          ({ name, seq }) => [name, seq],
        ),
      ),
    close: async () => handle.close(),
  };
}
