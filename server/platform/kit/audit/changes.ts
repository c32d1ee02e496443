/** The changes of a row by a request. */
export interface Changes<Values> {
  values: Partial<Values>;
  /** Names of the changed columns, sorted. */
  fields: string[];
}

/**
 * Returns the values that differ from those of a row.
 *
 * @returns undefined if none differs: then there is nothing to write or record
 */
export function changesOf<Row extends object>(row: Row, values: Partial<Row>): Changes<Row> | undefined {
  // The keys of an object are those of its type, and possibly others, which are not columns.
  const names = Object.keys(values) as (keyof Row & string)[];
  const fields = names.filter((name) => values[name] !== undefined && values[name] !== row[name]).sort();
  if (fields.length === 0) {
    return undefined;
  }
  const changed: Partial<Row> = {};
  for (const field of fields) {
    changed[field] = values[field];
  }
  return { values: changed, fields };
}
