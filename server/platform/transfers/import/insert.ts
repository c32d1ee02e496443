import { sql } from 'kysely';
import type { Transaction } from '../../../database/database.ts';
import type { AnyRow, RetainedRows, Transfer } from '../../kit/transfer/define.ts';
import type { FieldRole } from '../../kit/transfer/fields.ts';
import { fieldsOf } from '../folder/records.ts';
import type { ReplacedContent } from './replace-in-content.ts';
import type { Replacements } from './replacements.ts';
import type { ImportServices } from './services.ts';

/** Rows that one statement inserts. Engines limit the number of its parameters. */
export const STATEMENT_ROWS = 200;

/** What rows of an organization become at another server. */
export interface Placement {
  organization: string;
  replacements: Replacements;
  replaced: ReplacedContent;
}

/** Converts the columns of a row that travel to the row of this server. */
export function placedRow(
  { createId, secretKey }: Pick<ImportServices, 'createId' | 'secretKey'>,
  transfer: Transfer,
  { organization, replacements, replaced }: Placement,
  travelled: AnyRow,
): Record<string, unknown> {
  const placedText = (text: string, role: FieldRole | undefined): string => {
    switch (role) {
      case 'verbatim':
      case 'bytes':
        return text;
      case 'content':
        return replaced.roots.get(text) ?? text;
      case 'block':
        return replaced.blockKeys.get(text) ?? text;
      default:
        return replacements.replace(text);
    }
  };
  const row: Record<string, unknown> = {};
  for (const [name, { role }] of fieldsOf(transfer)) {
    const value = travelled[name];
    row[name] = typeof value === 'string' ? placedText(value, role) : value;
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
