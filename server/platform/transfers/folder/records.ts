import type { AnyRow, Column, Transfer } from '../../kit/transfer/define.ts';
import type { Field } from '../../kit/transfer/fields.ts';
import { damaged, type JsonLine } from './read-files.ts';

/** The columns of a noun that travel, by name. */
export function fieldsOf({ columns }: Transfer): [name: string, field: Field<unknown>][] {
  return Object.entries(columns).flatMap(([name, column]) => (isField(column) ? [[name, column]] : []));
}

const isField = (column: Column<unknown>): column is Field<unknown> => 'toRecord' in column;

/** Converts a row to its record. */
export const toRecord = (fields: readonly [string, Field<unknown>][], row: AnyRow): Record<string, unknown> =>
  Object.fromEntries(fields.map(([name, field]) => [name, field.toRecord(row[name])]));

/**
 * Converts a record to the columns of its row that travel.
 *
 * @throws TransferError if it is not a record of the noun
 */
export function toRow(
  fields: readonly [string, Field<unknown>][],
  { value, place }: JsonLine,
): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw damaged(`${place} is not a record`);
  }
  const rest = new Map<string, unknown>(Object.entries(value));
  const row: Record<string, unknown> = {};
  for (const [name, field] of fields) {
    const stored = rest.has(name) ? field.toStored(rest.get(name)) : undefined;
    if (stored === undefined) {
      throw damaged(`${name} in ${place} is ${rest.has(name) ? 'invalid' : 'missing'}`);
    }
    row[name] = stored;
    rest.delete(name);
  }
  const [unknown] = rest.keys();
  if (unknown !== undefined) {
    throw damaged(`${unknown} in ${place} is not a known property`);
  }
  return row;
}
