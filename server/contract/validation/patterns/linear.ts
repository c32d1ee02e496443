import { type Characters, charactersOf, MAX_CODE_POINT, overlap } from './characters.ts';
import type { Condition, Part } from './syntax.ts';

/** Maximum length of what an expression matches that a text is searched for, instead of compared from its start. */
export const MAX_SEARCHED_CHARACTERS = 32;

/** The end of the text, as a character that no text contains. */
const END: Characters = [[MAX_CODE_POINT + 1, MAX_CODE_POINT + 1]];

/**
 * Returns whether it is certain that an engine that backtracks compares a text with an expression in linear time: each
 * next character permits one continuation only, so that all others fail at once. Many linear expressions are not
 * recognized.
 */
export function isLinear(conditions: readonly Condition[]): boolean {
  return conditions.every(({ part }) =>
    // Alternatives of the whole expression are tried once each, so their beginnings can be alike.
    (part.kind === 'choice' ? part.parts : [part]).every(isLinearAlternative),
  );
}

function isLinearAlternative(part: Part): boolean {
  const isSearched = !beginsWithStart(part);
  if (isSearched && longest(part) > MAX_SEARCHED_CHARACTERS) {
    return false;
  }
  return beginningsOf(part, END) !== undefined;
}

const beginsWithStart = (part: Part): boolean =>
  part.kind === 'start' ||
  (part.kind === 'sequence' && part.parts[0] !== undefined && beginsWithStart(part.parts[0]));

/** Returns the maximum number of characters that a part matches. */
function longest(part: Part): number {
  switch (part.kind) {
    case 'character':
      return 1;
    case 'sequence':
      return part.parts.reduce((sum, inner) => sum + longest(inner), 0);
    case 'choice':
      return Math.max(...part.parts.map(longest));
    case 'repeat':
      return part.max === 0 ? 0 : longest(part.part) * part.max;
    default:
      return 0;
  }
}

/**
 * Returns the possible first characters of a part and its continuation; undefined if a character permits several ways
 * to continue.
 *
 * @param next the possible first characters of the continuation
 */
function beginningsOf(part: Part, next: Characters): Characters | undefined {
  switch (part.kind) {
    case 'character':
      return part.characters;
    case 'sequence':
      return part.parts.reduceRight<Characters | undefined>(
        (following, inner) => following && beginningsOf(inner, following),
        next,
      );
    case 'choice':
      return beginningsOfChoice(part.parts, next);
    case 'repeat':
      return beginningsOfRepeat(part, next);
    case 'end':
      return END;
    default:
      // Matches no character, and at most one way.
      return next;
  }
}

function beginningsOfChoice(parts: readonly Part[], next: Characters): Characters | undefined {
  let all: Characters = [];
  for (const part of parts) {
    const beginnings = beginningsOf(part, next);
    if (beginnings === undefined || overlap(all, beginnings)) {
      return undefined;
    }
    all = union(all, beginnings);
  }
  return all;
}

function beginningsOfRepeat(
  { part, min, max }: Extract<Part, { kind: 'repeat' }>,
  next: Characters,
): Characters | undefined {
  if (max === 0) {
    return next;
  }
  // A part that matches no characters could match them in any number of ways.
  if (isEmptiable(part)) {
    return undefined;
  }
  // Of a part that is not empty, these do not depend on what follows.
  const first = beginningsOf(part, END);
  if (first === undefined) {
    return undefined;
  }
  const isOptional = min < max;
  if (isOptional && overlap(first, next)) {
    return undefined;
  }
  const following = max === 1 ? [next] : isOptional ? [union(first, next)] : [first, next];
  if (following.some((characters) => beginningsOf(part, characters) === undefined)) {
    return undefined;
  }
  return min > 0 ? first : union(first, next);
}

/** Returns whether a part can match no characters. */
function isEmptiable(part: Part): boolean {
  switch (part.kind) {
    case 'character':
      return false;
    case 'sequence':
      return part.parts.every(isEmptiable);
    case 'choice':
      return part.parts.some(isEmptiable);
    case 'repeat':
      return part.min === 0 || isEmptiable(part.part);
    default:
      return true;
  }
}

const union = (one: Characters, other: Characters) => charactersOf([...one, ...other]);
