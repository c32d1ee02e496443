import { type Expression, type SqlBool, sql } from 'kysely';

/** Folds text for case-insensitive comparison, like the SQL function `fold`. */
export function fold(text: string): string {
  return text.normalize('NFKC').toLowerCase();
}

/**
 * Creates the condition that a column with folded text contains `needle`, ignoring case. Faster than
 * {@link containsText}, which folds each value.
 */
export function foldedContains(column: string, needle: string): Expression<SqlBool> {
  return sql<SqlBool>`${sql.ref(column)} like ${patternOf(needle)} escape '\\'`;
}

/**
 * Creates the condition that a text column contains `needle` literally, ignoring case.
 *
 * @example query.where(containsText('teams.title', search))
 */
export function containsText(column: string, needle: string): Expression<SqlBool> {
  return sql<SqlBool>`fold(${sql.ref(column)}) like ${patternOf(needle)} escape '\\'`;
}

const patternOf = (needle: string) => `%${fold(needle).replace(/[\\%_]/g, '\\$&')}%`;
