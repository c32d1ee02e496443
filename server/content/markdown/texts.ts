/**
 * Texts of a paragraph. Where a construct might start, the parser ends a text, tries, and if it fails starts another.
 * At the end it joins them, taking each out of the middle of all it has read: that takes long for a long paragraph.
 * Here the text goes on instead.
 */
import type { Code, Construct, Extension, State, TokenizeContext } from 'micromark-util-types';

const goOn: Construct = {
  tokenize(this: TokenizeContext, effects, ok, nok) {
    const last = this.events.at(-1);
    if (last?.[0] !== 'exit' || last[1].type !== 'data') return nok;
    const [, text] = last;
    const more: State = (code) => {
      if (!mayStart(this, code)) {
        effects.consume(code);
        return more;
      }
      // As if the text before had not ended.
      text.end = effects.exit('data').end;
      this.events.length -= 2;
      return ok(code);
    };
    // At the first character, all constructs have failed.
    return (code) => {
      effects.enter('data');
      effects.consume(code);
      return more;
    };
  },
};

/** Has a text go on where no construct succeeds: the parser tries this one last. */
export const longTexts: Extension = { text: { null: goOn } };

/** Whether something other than text may start: as the parser itself decides it. */
function mayStart(context: TokenizeContext, code: Code): boolean {
  if (code === null) return true;
  const constructs = context.parser.constructs.text[code];
  const canFollow = ({ previous }: Construct) => !previous || previous.call(context, context.previous);
  if (!constructs) return false;
  return Array.isArray(constructs) ? constructs.some(canFollow) : canFollow(constructs);
}
