import { type Pattern, patternOf } from '../../../../server/contract/patterns/patterns.ts';

/**
 * Returns a `pattern` as a Unicode regular expression, or without the Unicode flag if it is otherwise invalid. A pattern
 * that is not a valid JavaScript expression matches everything.
 */
export function expression(source: string): Pattern {
  const isUnicode = regExpOf(source).unicode;
  try {
    return patternOf(source, { isUnicode, deadline: 'comparison' });
  } catch {
    return patternOf('^');
  }
}

/** Returns a `pattern` like {@link expression}, to generate texts. Comparing a text with it can take for ever. */
export function regExpOf(source: string): RegExp {
  for (const flags of ['u', '']) {
    try {
      return new RegExp(source, flags);
    } catch {
      // Try the next set of flags.
    }
  }
  return /^/u;
}
