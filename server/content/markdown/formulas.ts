/** Formulas in TeX, which KaTeX converts to MathML. */
import katex from 'katex';

/** Maximum length of a formula that is typeset, in UTF-16 units. Longer ones are shown as written. */
export const MAX_FORMULA_CHARACTERS = 4000;
/** Maximum number of macros that a formula may expand. */
export const MAX_FORMULA_EXPANSIONS = 500;
/** Maximum length in a formula, in ems. */
const MAX_LENGTH_EM = 30;
/** Color that KaTeX renders unsupported commands in, and nothing else. */
const UNSUPPORTED_COLOR = '#fe0bad';

/**
 * Typesets a formula, and converts its MathML with a function. Returns undefined for an invalid formula, for unsupported
 * commands, and for formulas that are too deeply nested.
 */
export function typesetFormula<Result>(
  tex: string,
  isBlock: boolean,
  convert: (markup: string) => Result | undefined,
): Result | undefined {
  try {
    const markup = katex.renderToString(tex, {
      displayMode: isBlock,
      output: 'mathml',
      throwOnError: true,
      strict: 'ignore',
      trust: false,
      maxExpand: MAX_FORMULA_EXPANSIONS,
      maxSize: MAX_LENGTH_EM,
      errorColor: UNSUPPORTED_COLOR,
    });
    return markup.includes(UNSUPPORTED_COLOR) ? undefined : convert(markup);
  } catch {
    // Invalid TeX, or too deeply nested.
    return undefined;
  }
}
