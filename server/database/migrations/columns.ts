import { type ColumnDefinitionBuilder, type Kysely, type RawBuilder, sql } from 'kysely';
import { engineOf } from '../engine.ts';

/** Column types of the current engine. */
export interface ColumnTypes {
  /** Text that is compared by code point, regardless of the locale of the server. */
  text: RawBuilder<unknown>;
  /** An integer up to 2^53, or a boolean as 0 or 1. */
  integer: RawBuilder<unknown>;
  bytes: RawBuilder<unknown>;
}

/** Returns the types of columns in the engine of a database. */
export function columnTypes(db: Kysely<unknown>): ColumnTypes {
  return engineOf(db) === 'postgres'
    ? { text: sql`text collate "C"`, integer: sql`bigint`, bytes: sql`bytea` }
    : { text: sql`text`, integer: sql`integer`, bytes: sql`blob` };
}

/**
 * Returns the type of a column with long texts. PostgreSQL compresses them with LZ4 if it was built with it: in half the
 * time of its default, pglz.
 */
export async function longText(db: Kysely<unknown>): Promise<RawBuilder<unknown>> {
  if (engineOf(db) === 'postgres') {
    const { rows } = await sql`
      select 1 from pg_settings where name = 'default_toast_compression' and 'lz4' = any(enumvals)`.execute(
      db,
    );
    if (rows.length > 0) {
      return sql`text compression lz4 collate "C"`;
    }
  }
  return columnTypes(db).text;
}

/** Column modifiers. */
export const required = (column: ColumnDefinitionBuilder) => column.notNull();
export const key = (column: ColumnDefinitionBuilder) => column.notNull().primaryKey();
export const unique = (column: ColumnDefinitionBuilder) => column.unique();
/** A value that inserts may omit. */
export const defaultsTo = (value: string | number) => (column: ColumnDefinitionBuilder) =>
  column.notNull().defaultTo(value);
/** References the owner of a row, which is deleted with it. */
export const ownedBy = (target: string) => (column: ColumnDefinitionBuilder) =>
  optionallyOwnedBy(target)(column.notNull());
/** Like {@link ownedBy}, for a row without an owner, or with another kind of owner. */
export const optionallyOwnedBy = (target: string) => (column: ColumnDefinitionBuilder) =>
  column.references(target).onDelete('cascade');
/** References a row that cannot be deleted as long as it is referenced. */
export const refersTo = (target: string) => (column: ColumnDefinitionBuilder) => column.references(target);

/** Creates an index named after its table and columns. */
export async function index(db: Kysely<unknown>, table: string, columns: string[]): Promise<void> {
  await db.schema
    .createIndex(`${table}_${columns.join('_')}`)
    .on(table)
    .columns(columns)
    .execute();
}

/**
 * Creates an index of the rows that meet a condition.
 *
 * @param rows name of these rows, the last part of the name of the index
 */
export async function partialIndex(
  db: Kysely<unknown>,
  table: string,
  rows: string,
  columns: string[],
  condition: string,
): Promise<void> {
  await sql`
    create index ${sql.ref(`${table}_${rows}`)} on ${sql.table(table)}
    (${sql.join(columns.map((column) => sql.ref(column)))}) where ${sql.raw(condition)}`.execute(db);
}

/**
 * Creates a table. On the embedded engine it is strict: values of another type are rejected, as in PostgreSQL.
 */
export function table(db: Kysely<unknown>, name: string) {
  const builder = db.schema.createTable(name);
  return engineOf(db) === 'postgres' ? builder : builder.modifyEnd(sql`strict`);
}

/** An increasing primary key. Values are never reused. */
export const numbered = (db: Kysely<unknown>) => (column: ColumnDefinitionBuilder) =>
  engineOf(db) === 'postgres'
    ? column.generatedByDefaultAsIdentity().primaryKey()
    : column.primaryKey().autoIncrement();
