import { sql } from 'kysely';
import type { Transaction } from '../../../database/database.ts';
import type { AnyRow, RetainedRows, Transfer } from '../../kit/transfer/define.ts';
import { fieldsOf } from '../folder/records.ts';
import type { Identifiers } from './identifiers.ts';
import type { ImportServices } from './services.ts';

/** Rows that one statement inserts. Engines limit the number of its parameters. */
export const STATEMENT_ROWS = 200;

/** What rows of an organization become at another server. */
export interface Placement {
  organization: string;
  identifiers: Identifiers;
  /** Hashes of content by the hash that it had, if it refers to replaced IDs. */
  contents: ReadonlyMap<string, string>;
}

/** Converts the columns of a row that travel to the row of this server. */
export function placedRow(
  { createId, secretKey }: Pick<ImportServices, 'createId' | 'secretKey'>,
  transfer: Transfer,
  { organization, identifiers, contents }: Placement,
  travelled: AnyRow,
): Record<string, unknown> {
  const row: Record<string, unknown> = {};
  for (const [name, { role }] of fieldsOf(transfer)) {
    const value = travelled[name];
    if (typeof value !== 'string' || role === 'verbatim' || role === 'bytes') {
      row[name] = value;
    } else {
      row[name] = role === 'content' ? (contents.get(value) ?? value) : identifiers.replace(value);
    }
  }
  const created = transfer.create({ createId, secretKey, id: String(row.id) });
  const isOwned = transfer.table !== 'organizations' && transfer.table !== 'users';
  return { ...row, ...created, ...(isOwned && { organization }) };
}

/** Inserts rows, but those that the server cannot have. */
export async function insertRows(
  trx: Transaction,
  transfer: Transfer,
  organization: string,
  rows: readonly AnyRow[],
): Promise<RetainedRows<AnyRow>> {
  if (rows.length === 0) {
    return { rows };
  }
  const retained = await transfer.retain({ queries: trx, organization }, rows);
  const [first] = retained.rows;
  if (first) {
    const columns = Object.keys(first);
    const names = sql.join(columns.map((column) => sql.ref(column)));
    const values = sql.join(
      retained.rows.map((row) => sql`(${sql.join(columns.map((column) => row[column]))})`),
    );
    await sql`insert into ${sql.table(transfer.table)} (${names}) values ${values}`.execute(trx);
  }
  return retained;
}
