/**
 * Speeds up the parsing of long paragraphs. Where a construct may start, the parser ends the current text, tries, and
 * starts another text on failure. It joins them at the end, removing each from the middle of an array, which is slow
 * for long paragraphs. This extension continues the current text instead.
 */
import type { Code, Construct, Extension, State, TokenizeContext } from 'micromark-util-types';

const continueText: Construct = {
  tokenize(this: TokenizeContext, effects, ok, nok) {
    const last = this.events.at(-1);
    if (last?.[0] !== 'exit' || last[1].type !== 'data') {
      return nok;
    }
    const [, text] = last;
    const consumeText: State = (code) => {
      if (!mayStart(this, code)) {
        effects.consume(code);
        return consumeText;
      }
      // As if the preceding text had not ended.
      text.end = effects.exit('data').end;
      this.events.length -= 2;
      return ok(code);
    };
    // All constructs have failed at the first character.
    return (code) => {
      effects.enter('data');
      effects.consume(code);
      return consumeText;
    };
  },
};

/** Continues a text where no construct succeeds. The parser tries this construct last. */
export const longTexts: Extension = { text: { null: continueText } };

/** Returns whether a construct other than text may start, like the parser. */
function mayStart(context: TokenizeContext, code: Code): boolean {
  if (code === null) {
    return true;
  }
  const constructs = context.parser.constructs.text[code];
  const canFollow = ({ previous }: Construct) => !previous || previous.call(context, context.previous);
  if (!constructs) {
    return false;
  }
  return Array.isArray(constructs) ? constructs.some(canFollow) : canFollow(constructs);
}
