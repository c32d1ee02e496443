/** What a request changes of a row. */
export interface Changes<Values> {
  values: Partial<Values>;
  /** The names of the columns that get another value, sorted. */
  fields: string[];
}

/**
 * The values that differ from those of a row.
 *
 * @returns undefined where none does: then there is nothing to write, and nothing to record
 */
export function changesOf<Row extends object>(row: Row, values: Partial<Row>): Changes<Row> | undefined {
  // The keys of an object are those of its type, and maybe further ones, which no column has.
  const names = Object.keys(values) as (keyof Row & string)[];
  const fields = names.filter((name) => values[name] !== undefined && values[name] !== row[name]).sort();
  if (fields.length === 0) return undefined;
  const changed: Partial<Row> = {};
  for (const field of fields) changed[field] = values[field];
  return { values: changed, fields };
}
