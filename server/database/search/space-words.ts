import { hash } from 'node:crypto';
import { isExpression } from 'kysely';
import type { Queries } from '../database.ts';
import type { SearchedContent } from './types.ts';

/*
 * On SQLite, the words of a section are indexed twice: as they are, and with a prefix of the space. A search in a few
 * spaces reads only their words, so that it does not depend on the number of matches in other spaces: neither to find
 * matches, nor to complete the last word or to count the matches for their rank.
 */

/** Precedes the prefixes, so that they match neither words nor stems: no indexed text contains it. */
const SPACE_MARK = '\u{e004}';
/** Length of a prefix without its mark. If two spaces have the same one, matches are still those of the searched space. */
const PREFIX_DIGITS = 6;
/** Prefix of the words of all spaces. */
export const ANY_SPACE = '';
/** Maximum number of spaces in a search that reads only their words. */
export const MAX_SEPARATE_SPACES = 10;

/** Returns the prefix of the words of a space. It is stored: when it changes, pages have to be indexed again. */
export const spacePrefix = (space: string): string =>
  SPACE_MARK + hash('sha256', space, 'hex').slice(0, PREFIX_DIGITS);

/**
 * Returns the prefixes of the words to read in a search: those of its spaces, or {@link ANY_SPACE} if they are many, or
 * if one is not completely indexed: earlier releases indexed words without prefixes.
 */
export async function searchedPrefixes(
  queries: Queries,
  { spaces }: Pick<SearchedContent, 'spaces'>,
): Promise<string[]> {
  if (!spaces || isExpression(spaces) || spaces.length > MAX_SEPARATE_SPACES) {
    return [ANY_SPACE];
  }
  const ids = [...new Set(spaces)];
  const indexed = await queries
    .selectFrom('spaces')
    .select('id')
    .where('id', 'in', ids)
    .where('searchedRevision', 'is not', null)
    .execute();
  return indexed.length === ids.length ? ids.map(spacePrefix) : [ANY_SPACE];
}
