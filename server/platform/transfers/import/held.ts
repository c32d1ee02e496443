import { sql } from 'kysely';
import type { Transaction } from '../../../database/database.ts';
import type { AnyRow, Transfer } from '../../kit/transfer/define.ts';
import { fieldsOf } from '../folder/records.ts';

/** A value that others could see before the import is complete. The last transaction sets it. */
export interface HeldValue {
  transfer: Transfer;
  id: unknown;
  column: string;
  value: unknown;
}

/** Separates the values from a row that others could see. */
export function holdBack(transfer: Transfer, row: AnyRow): { row: AnyRow; held: HeldValue[] } {
  const hidden: Record<string, unknown> = {};
  const held: HeldValue[] = [];
  for (const [column, { heldAs }] of fieldsOf(transfer)) {
    const value = row[column];
    if (heldAs !== undefined && value !== heldAs) {
      hidden[column] = heldAs;
      held.push({ transfer, id: row.id, column, value });
    }
  }
  return { row: { ...row, ...hidden }, held };
}

/** Sets the values that were held back, and returns the problems of those that are taken. */
export async function release(trx: Transaction, held: readonly HeldValue[]): Promise<string[]> {
  const problems: string[] = [];
  for (const { transfer, id, column, value } of held) {
    const [table, name] = [sql.table(transfer.table), sql.ref(column)];
    if (isClaim(transfer, column)) {
      const { rows } = await sql`select 1 from ${table} where ${name} = ${value}`.execute(trx);
      if (rows.length > 0) {
        problems.push(
          `The ${column} ${String(value)} of ${String(id)} was omitted: another resource has it.`,
        );
        continue;
      }
    }
    await sql`update ${table} set ${name} = ${value} where "id" = ${id}`.execute(trx);
  }
  return problems;
}

const isClaim = (transfer: Transfer, column: string): boolean =>
  fieldsOf(transfer).some(([name, { role }]) => name === column && role === 'claim');
