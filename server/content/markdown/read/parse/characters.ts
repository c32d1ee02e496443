/** Codes of the characters of markup, and kinds of characters, in the tokenizers of micromark. */
import type { Code } from 'micromark-util-types';

export const DOUBLE_QUOTE = 34;
export const SINGLE_QUOTE = 39;
export const EQUALS = 61;

/** Returns whether a code is the end of a line or of the text. */
export const isLineEnd = (code: Code): boolean => code === null || code < -2;

/** Returns whether a code is a space or a tab. */
export const isSpace = (code: Code): boolean => code === 32 || code === -1 || code === -2;
