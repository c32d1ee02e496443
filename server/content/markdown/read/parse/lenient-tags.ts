/**
 * Tags that browsers read, but CommonMark does not: without a space between attributes, or with a stray quotation mark.
 * Only known elements with a value are read, since any other text in angle brackets may be meant as text.
 */
import type { Code, Construct, Extension, State } from 'micromark-util-types';
import { isKnownElement } from '../html/elements.ts';
import { DOUBLE_QUOTE, EQUALS, isLineEnd, isSpace, SINGLE_QUOTE } from './characters.ts';

const LESS_THAN = 60;
const GREATER_THAN = 62;

/** Maximum number of characters of a name of an element. */
const MAX_NAME_CHARACTERS = 12;

const isLetter = (code: Code): boolean =>
  code !== null && ((code >= 65 && code <= 90) || (code >= 97 && code <= 122));
const isDigit = (code: Code): boolean => code !== null && code >= 48 && code <= 57;
const isQuote = (code: Code): boolean => code === DOUBLE_QUOTE || code === SINGLE_QUOTE;

const lenientTag: Construct = {
  name: 'lenientTag',
  // After the tags of CommonMark.
  add: 'after',
  tokenize(effects, ok, nok) {
    let name = '';
    let quote: Code = null;
    let hasValue = false;
    return (code) => {
      effects.enter('htmlText');
      effects.enter('htmlTextData');
      effects.consume(code);
      return nameStart;
    };
    function nameStart(code: Code): State | undefined {
      return isLetter(code) ? inName(code) : nok(code);
    }
    function inName(code: Code): State | undefined {
      if ((isLetter(code) || isDigit(code)) && name.length < MAX_NAME_CHARACTERS) {
        name += String.fromCharCode(code ?? 0).toLowerCase();
        effects.consume(code);
        return inName;
      }
      return isKnownElement(name, true) && isSpace(code) ? attributes(code) : nok(code);
    }
    function attributes(code: Code): State | undefined {
      if (code === GREATER_THAN && hasValue) {
        effects.consume(code);
        effects.exit('htmlTextData');
        effects.exit('htmlText');
        return ok;
      }
      if (code === GREATER_THAN || code === LESS_THAN || isLineEnd(code)) {
        return nok(code);
      }
      effects.consume(code);
      return code === EQUALS ? valueStart : attributes;
    }
    function valueStart(code: Code): State | undefined {
      if (isSpace(code)) {
        effects.consume(code);
        return valueStart;
      }
      if (isQuote(code)) {
        quote = code;
        effects.consume(code);
        return quoted;
      }
      hasValue ||= !isLineEnd(code) && code !== GREATER_THAN;
      return attributes(code);
    }
    function quoted(code: Code): State | undefined {
      if (isLineEnd(code)) {
        return nok(code);
      }
      effects.consume(code);
      if (code !== quote) {
        return quoted;
      }
      hasValue = true;
      return attributes;
    }
  },
};

/** Extension of micromark that reads such tags. */
export const lenientTags: Extension = { text: { [LESS_THAN]: lenientTag } };
