/** Words that say how a thing is named rather than what it is: `teamId`, `specSlug`. */
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

/** The words of a name in lower case, whichever way they are joined: `teamId`, `team_id`, `team-id`. */
export function wordsOf(name: string): readonly string[] {
  let words = known.get(name);
  if (!words) {
    words = split(name);
    known.set(name, words);
  }
  return words;
}

/** Contracts have few names, which are asked for again and again. */
const known = new Map<string, readonly string[]>();

function split(name: string): string[] {
  return name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replaceAll(/([A-Z]+)([A-Z][a-z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '');
}

/** The singular of an English noun, as far as endings tell it. */
export function singular(word: string): string {
  if (word === 'people') return 'person';
  if (/(ss|us|is)$/.test(word) || word.length < 3) return word;
  if (/ies$/.test(word)) return `${word.slice(0, -3)}y`;
  if (/(ch|sh|ss|x|z)es$/.test(word)) return word.slice(0, -2);
  return word.endsWith('s') ? word.slice(0, -1) : word;
}

/** What a name is about, in the singular and without how it is named: `team` of `teamIds`, `site space` of `siteSpaces`. */
export function nounOf(name: string): string {
  const words = wordsOf(name);
  const last = words.at(-1);
  if (last === undefined) return '';
  if (NAMING.has(last)) return nounWords(words.slice(0, -1));
  return nounWords(words);
}

function nounWords(words: readonly string[]): string {
  return words.map((word, at) => (at === words.length - 1 ? singular(word) : word)).join(' ');
}

/** How a parameter names its thing: `slug` of `specSlug`, `id` of `teamId`; undefined where it does not say. */
export function namingOf(name: string): string | undefined {
  const last = wordsOf(name).at(-1);
  return last !== undefined && NAMING.has(last) ? last : undefined;
}

/** Whether a name is one of an id, or of several: `teamId`, `team_ids`, `parent_uuid`. */
export function namesId(name: string): boolean {
  return /^(id|ids|uuid|uuids|guid)$/.test(wordsOf(name).at(-1) ?? '');
}

/** A path template without the names of its parameters, by which two of them are the same. */
export const anonymous = (path: string): string => path.replaceAll(/\{[^}]*\}/g, '{}');

/** The names of a template's parameters in order. */
export const parametersOf = (path: string): string[] =>
  [...path.matchAll(/\{([^}]*)\}/g)].map(([, name = '']) => name);
