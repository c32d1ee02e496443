import { type ColumnDefinitionBuilder, type Kysely, type RawBuilder, sql } from 'kysely';
import { engineOf } from '../engine.ts';

/** How the few kinds of columns that tables are made of are spelled on the engine at hand. */
export interface ColumnTypes {
  /** Text that compares by code point, whatever the server's locale. */
  text: RawBuilder<unknown>;
  /** A whole number up to 2^53; also booleans, as 0 and 1. */
  integer: RawBuilder<unknown>;
  bytes: RawBuilder<unknown>;
}

export function columnTypes(db: Kysely<unknown>): ColumnTypes {
  return engineOf(db) === 'postgres'
    ? { text: sql`text collate "C"`, integer: sql`bigint`, bytes: sql`bytea` }
    : { text: sql`text`, integer: sql`integer`, bytes: sql`blob` };
}

/** Column modifiers. */
export const required = (column: ColumnDefinitionBuilder) => column.notNull();
export const key = (column: ColumnDefinitionBuilder) => column.notNull().primaryKey();
export const unique = (column: ColumnDefinitionBuilder) => column.unique();
/** The row goes with the row it belongs to. */
export const ownedBy = (target: string) => (column: ColumnDefinitionBuilder) =>
  column.notNull().references(target).onDelete('cascade');
/** The row named here cannot go while this one names it. */
export const refersTo = (target: string) => (column: ColumnDefinitionBuilder) => column.references(target);

/** Makes an index named after its table and columns. */
export async function index(db: Kysely<unknown>, table: string, columns: string[]): Promise<void> {
  await db.schema
    .createIndex(`${table}_${columns.join('_')}`)
    .on(table)
    .columns(columns)
    .execute();
}

/**
 * A new table. On the embedded engine it is strict: a value of the wrong type is refused, as PostgreSQL does.
 */
export function table(db: Kysely<unknown>, name: string) {
  const builder = db.schema.createTable(name);
  return engineOf(db) === 'postgres' ? builder : builder.modifyEnd(sql`strict`);
}

/** A primary key that the database counts up, never giving a number twice. */
export const numbered = (db: Kysely<unknown>) => (column: ColumnDefinitionBuilder) =>
  engineOf(db) === 'postgres'
    ? column.generatedByDefaultAsIdentity().primaryKey()
    : column.primaryKey().autoIncrement();
