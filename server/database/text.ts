import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Queries } from './database.ts';
import { engineOf } from './engine.ts';
import { fold } from './fold.ts';

/**
 * Creates the condition that a column with folded text contains `needle`, ignoring case. Faster than
 * {@link containsText}, which folds each value and compares it with a pattern.
 */
export function foldedContains(
  queries: Queries,
  column: string | RawBuilder<unknown>,
  needle: string,
): Expression<SqlBool> {
  const find = engineOf(queries) === 'postgres' ? sql`strpos` : sql`instr`;
  const text = typeof column === 'string' ? sql.ref(column) : column;
  return sql<SqlBool>`${find}(${text}, ${fold(needle)}) > 0`;
}

/**
 * Creates the condition that a text column contains `needle` literally, ignoring case.
 *
 * @example query.where(containsText('teams.title', search))
 */
export function containsText(column: string, needle: string): Expression<SqlBool> {
  const pattern = `%${fold(needle).replace(/[\\%_]/g, '\\$&')}%`;
  return sql<SqlBool>`fold(${sql.ref(column)}) like ${pattern} escape '\\'`;
}
