import { type Expression, type SqlBool, sql } from 'kysely';

/** Text made comparable without regard to case: the same folding that the SQL function `fold` does. */
export function fold(text: string): string {
  return text.normalize('NFKC').toLowerCase();
}

/**
 * The condition that a column of text that was folded when it was written contains `needle`. It costs a fraction of
 * {@link containsText}, which folds each text that it looks at.
 */
export function foldedContains(column: string, needle: string): Expression<SqlBool> {
  return sql<SqlBool>`${sql.ref(column)} like ${patternOf(needle)} escape '\\'`;
}

/**
 * The condition that a text column contains `needle`, whatever the case, with no character of the needle read
 * as a pattern. Example: `query.where(containsText('teams.title', search))`.
 */
export function containsText(column: string, needle: string): Expression<SqlBool> {
  return sql<SqlBool>`fold(${sql.ref(column)}) like ${patternOf(needle)} escape '\\'`;
}

const patternOf = (needle: string) => `%${fold(needle).replace(/[\\%_]/g, '\\$&')}%`;
