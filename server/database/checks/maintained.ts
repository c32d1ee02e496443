import { type RawBuilder, sql } from 'kysely';
import type { Queries } from '../database.ts';
import { MEMBER_TEXT, TITLED_TABLES } from '../migrations/baseline/maintained/searched-texts.ts';
import { SHOWN_COUNTS } from '../migrations/baseline/maintained/shown-spaces.ts';
import { pagesOfSpace } from '../migrations/quotas.ts';
import type { Check } from './findings.ts';

/** A column whose value is derived from other rows and columns. */
interface MaintainedColumn {
  table: string;
  column: string;
  /** Columns that identify a row. */
  key: readonly string[];
  /** The value of a row of the table. */
  value: (queries: Queries) => RawBuilder<unknown>;
}

const MAINTAINED_COLUMNS: readonly MaintainedColumn[] = [
  ...SHOWN_COUNTS.map(({ table, column, reference }) => ({
    table,
    column,
    key: ['id'],
    value: () =>
      sql`(select count(*) from "siteSpaces" where ${sql.ref(`siteSpaces.${reference}`)} = ${sql.ref(`${table}.id`)})`,
  })),
  ...TITLED_TABLES.map((table) => ({
    table,
    column: 'searchedText',
    key: ['id'],
    value: () => sql`fold(${sql.ref(`${table}.title`)})`,
  })),
  { table: 'spaces', column: 'pageCount', key: ['id'], value: pagesOfSpace },
  { table: 'members', column: 'searchedText', key: ['organization', 'user'], value: () => MEMBER_TEXT },
];

/** Lists the keys of the rows with another value, joined by spaces. */
async function wrongRows(
  queries: Queries,
  { table, column, key, value }: MaintainedColumn,
): Promise<string[]> {
  const parts = key.map((name) => sql.ref(`${table}.${name}`));
  const { rows } = await sql<{ key: string }>`
    select ${sql.join(parts, sql` || ' ' || `)} as "key" from ${sql.table(table)}
    where ${sql.ref(`${table}.${column}`)} <> ${value(queries)}`.execute(queries);
  return rows.map((row) => row.key);
}

/** Compares the numbers and texts that rows contain for lists with what they are derived from. */
export const checkMaintainedColumns: Check = {
  name: 'columns',
  async run({ database, repair }, findings) {
    for (const maintained of MAINTAINED_COLUMNS) {
      const { table, column, value } = maintained;
      const { rows } = await sql<{ count: number }>`
        select count(*) as "count" from ${sql.table(table)}`.execute(database.query);
      findings.examined += Number(rows[0]?.count ?? 0);
      const wrong = await wrongRows(database.query, maintained);
      for (const key of wrong) {
        findings.add(`${table}.${column} of ${key} is outdated.`);
      }
      if (repair && wrong.length > 0) {
        await database.transaction(async (trx) => {
          await sql`
            update ${sql.table(table)} set ${sql.ref(column)} = ${value(trx)}
            where ${sql.ref(`${table}.${column}`)} <> ${value(trx)}`.execute(trx);
        });
        findings.repaired += wrong.length;
      }
    }
  },
};
