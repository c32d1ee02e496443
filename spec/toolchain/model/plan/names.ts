/** Words for the kind of an identifier rather than the entity: `teamId`, `specSlug`. */
const NAMING = new Set([
  'id',
  'ids',
  'uuid',
  'guid',
  'key',
  'slug',
  'name',
  'names',
  'number',
  'no',
  'code',
  'ref',
  'identifier',
  'handle',
]);

/** Splits a name into lowercase words: `teamId`, `team_id`, `team-id`. */
export function wordsOf(name: string): readonly string[] {
  let words = cache.get(name);
  if (!words) {
    words = split(name);
    cache.set(name, words);
  }
  return words;
}

/** Returns the words of a name as one, to compare names in different notations. */
export const joinedWords = (name: string): string => wordsOf(name).join('');

/** Cache, because contracts have few names that are used often. */
const cache = new Map<string, readonly string[]>();

function split(name: string): string[] {
  return name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replaceAll(/([A-Z]+)([A-Z][a-z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '');
}

/** Returns the singular of an English noun, based on its ending. */
export function singular(word: string): string {
  if (word === 'people') {
    return 'person';
  }
  if (/(ss|us|is)$/.test(word) || word.length < 3) {
    return word;
  }
  if (/ies$/.test(word)) {
    return `${word.slice(0, -3)}y`;
  }
  if (/(ch|sh|ss|x|z)es$/.test(word)) {
    return word.slice(0, -2);
  }
  return word.endsWith('s') ? word.slice(0, -1) : word;
}

/**
 * Returns the singular noun of a name without the kind of identifier: `team` of `teamIds`, `site space` of
 * `siteSpaces`.
 */
export function nounOf(name: string): string {
  const words = wordsOf(name);
  const last = words.at(-1);
  if (last === undefined) {
    return '';
  }
  if (NAMING.has(last)) {
    return nounWords(words.slice(0, -1));
  }
  return nounWords(words);
}

function nounWords(words: readonly string[]): string {
  return words.map((word, at) => (at === words.length - 1 ? singular(word) : word)).join(' ');
}

/** Returns the kind of identifier of a parameter: `slug` of `specSlug`, `id` of `teamId`; undefined if it has none. */
export function namingOf(name: string): string | undefined {
  const last = wordsOf(name).at(-1);
  return last !== undefined && NAMING.has(last) ? last : undefined;
}

/** Returns whether a name refers to one or several identifiers: `teamId`, `team_ids`, `parent_uuid`. */
export function namesId(name: string): boolean {
  return /^(id|ids|uuid|uuids|guid)$/.test(wordsOf(name).at(-1) ?? '');
}

/** Removes the parameter names of a path template, to compare templates. */
export const anonymous = (path: string): string => path.replaceAll(/\{[^}]*\}/g, '{}');

/** Returns the parameter names of a path template in order. */
export const parametersOf = (path: string): string[] =>
  [...path.matchAll(/\{([^}]*)\}/g)].map(([, name = '']) => name);
