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

/** Column modifiers. */
export const required = (column: ColumnDefinitionBuilder) => column.notNull();
export const key = (column: ColumnDefinitionBuilder) => column.notNull().primaryKey();
export const unique = (column: ColumnDefinitionBuilder) => column.unique();
/** References the owner of a row, which is deleted with it. */
export const ownedBy = (target: string) => (column: ColumnDefinitionBuilder) =>
  column.notNull().references(target).onDelete('cascade');
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
 * Creates a table. On the embedded engine it is strict: values of another type are rejected, as in PostgreSQL.
 */
export function table(db: Kysely<unknown>, name: string) {
  const builder = db.schema.createTable(name);
  return engineOf(db) === 'postgres' ? builder : builder.modifyEnd(sql`strict`);
}

/** An increasing primary key, whose values are never reused. */
export const numbered = (db: Kysely<unknown>) => (column: ColumnDefinitionBuilder) =>
  engineOf(db) === 'postgres'
    ? column.generatedByDefaultAsIdentity().primaryKey()
    : column.primaryKey().autoIncrement();
