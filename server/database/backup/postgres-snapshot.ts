import type pg from 'pg';
import { COLUMN_QUERIES, type Column } from '../catalog.ts';
import { createClient } from '../engines/postgres-pool.ts';
import { classify } from '../errors.ts';
import type { Row } from './records.ts';
import { SNAPSHOT_BATCH_BYTES, type Snapshot, sizeOf } from './snapshot.ts';

/** Number of rows that are read first, and at most, at a time. */
const FIRST_ROWS = 16;
const MAX_ROWS = 2000;

/** Lists the columns of numbered rows with the last number of each. */
const SEQUENCES = `
  select table_name as "table", coalesce(
    pg_sequence_last_value(pg_get_serial_sequence(quote_ident(table_name), column_name)::regclass), 0
  ) as "last"
  from information_schema.columns where table_schema = current_schema() and is_identity = 'YES'`;

/** Opens a snapshot of a database: a transaction that reads only what was committed before it. */
export async function openServerSnapshot(url: string): Promise<Snapshot> {
  const client = createClient(url);
  try {
    await client.connect();
    await client.query('begin isolation level repeatable read, read only');
    // The role may have limits for requests.
    await client.query('set local statement_timeout = 0; set local idle_in_transaction_session_timeout = 0');
    await client.query('select 1');
    return snapshotOf(client);
  } catch (error) {
    await client.end().catch(() => {});
    throw classify(error);
  }
}

function snapshotOf(client: pg.Client): Snapshot {
  const all = async <R extends pg.QueryResultRow>(query: string, values: unknown[] = []): Promise<R[]> => {
    try {
      return (await client.query<R>(query, values)).rows;
    } catch (error) {
      throw classify(error);
    }
  };
  return {
    engine: 'postgres',
    columns: () => all<Column & pg.QueryResultRow>(COLUMN_QUERIES.postgres),
    all: (query) => all(query),
    run: ({ sql, parameters }) => all(sql, [...parameters]),
    async *rows({ table, columns }) {
      const names = columns.map((column) => `"${column}"`).join(', ');
      await all(`declare backup no scroll cursor for select ${names} from "${table}"`);
      for (let count = FIRST_ROWS; ; ) {
        const { rows } = await client
          .query<Row>({ text: `fetch forward ${count} from backup`, rowMode: 'array' })
          .catch((error: unknown) => {
            throw classify(error);
          });
        if (rows.length === 0) {
          break;
        }
        yield rows;
        const bytes = rows.reduce((sum, row) => sum + sizeOf(row), 1);
        count = Math.max(1, Math.min(MAX_ROWS, Math.floor((SNAPSHOT_BATCH_BYTES * rows.length) / bytes)));
      }
      await all('close backup');
    },
    sequences: async () =>
      Object.fromEntries(
        (await all<{ table: string; last: number }>(SEQUENCES)).map(({ table, last }) => [table, last]),
      ),
    close: () => client.end(),
  };
}
