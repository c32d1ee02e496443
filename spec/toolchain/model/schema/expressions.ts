import {
  flagsOf,
  type Pattern,
  patternOf,
} from '../../../../server/contract/validation/patterns/patterns.ts';

/** Returns a `pattern` of a contract. One that is not a regular expression of JavaScript matches everything. */
export const expression = (source: string): Pattern =>
  patternOf(flagsOf(source) === undefined ? '^' : source, { deadline: 'comparison' });

/** Returns a `pattern` like {@link expression}, to generate texts. Comparing a text with it can take for ever. */
export function regExpOf(source: string): RegExp {
  const flags = flagsOf(source);
  if (flags === undefined) {
    return /^/u;
  }
  // The generator of texts reads the hyphen of `[\w-.]` as a range.
  return new RegExp(flags === '' ? source.replaceAll(/(\\[dswDSW])-/g, '$1\\-') : source, flags);
}
