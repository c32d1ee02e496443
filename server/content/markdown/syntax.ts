/**
 * The Markdown dialect as micromark and mdast extensions: CommonMark, GFM, formulas between double dollars, tags (`{%
 * hint style="info" %}`) and emoji (`:smile:`).
 */
import type { Literal, Root } from 'mdast';
import type { Extension as MdastExtension } from 'mdast-util-from-markdown';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { mathFromMarkdown } from 'mdast-util-math';
import type { Options as PrintExtension } from 'mdast-util-to-markdown';
import { gfm } from 'micromark-extension-gfm';
import { math } from 'micromark-extension-math';
import type { Code, Construct, Effects, Extension, State, TokenizeContext } from 'micromark-util-types';
import { isEmojiName, MAX_EMOJI_NAME_CHARACTERS } from './icons.ts';
import { absentAutolinks, onlyAddresses, withoutConstructs } from './read/parse/autolinks.ts';
import { DOUBLE_QUOTE, EQUALS, isLineEnd, isSpace, SINGLE_QUOTE } from './read/parse/characters.ts';
import { lenientTags } from './read/parse/lenient-tags.ts';
import { longTexts } from './texts.ts';

/** A tag on a line of its own, including its braces. */
export interface TagLine extends Literal {
  type: 'tagLine';
  /** Start or end of content, or a tag without content. Only set for printing. */
  role?: 'start' | 'end' | 'alone';
}

/** A tag within a line, including its braces. */
export interface TagText extends Literal {
  type: 'tagText';
}

/** An emoji by its short name, without colons. */
export interface EmojiText extends Literal {
  type: 'emoji';
}

declare module 'mdast' {
  interface RootContentMap {
    tagLine: TagLine;
    tagText: TagText;
    emoji: EmojiText;
  }
  interface PhrasingContentMap {
    tagText: TagText;
    emoji: EmojiText;
  }
}

declare module 'micromark-util-types' {
  interface TokenTypeMap {
    tagLine: 'tagLine';
    tagText: 'tagText';
    emoji: 'emoji';
    tagSpace: 'tagSpace';
  }
}

const OPEN_BRACE = 123;
const PERCENT = 37;
const CLOSE_BRACE = 125;
const BACKSLASH = 92;
const COLON = 58;

/**
 * Reads `{% … %}` on one line. A `%}` between double quotes does not end it, nor between single quotes after an equals
 * sign: any other single quote is an apostrophe.
 */
function tag(effects: Effects, type: 'tagLine' | 'tagText', done: State, nok: State): State {
  let quote: Code = null;
  let afterEquals = false;
  return function open(code) {
    if (code !== OPEN_BRACE) {
      return nok(code);
    }
    effects.enter(type);
    effects.consume(code);
    return percent;
  };
  function percent(code: Code): State | undefined {
    if (code !== PERCENT) {
      return nok(code);
    }
    effects.consume(code);
    return inside;
  }
  function inside(code: Code): State | undefined {
    if (isLineEnd(code)) {
      return nok(code);
    }
    effects.consume(code);
    if (code === DOUBLE_QUOTE || (code === SINGLE_QUOTE && afterEquals)) {
      quote = code;
      return quoted;
    }
    afterEquals = code === EQUALS || (afterEquals && isSpace(code));
    return code === PERCENT ? closing : inside;
  }
  function quoted(code: Code): State | undefined {
    if (isLineEnd(code)) {
      return nok(code);
    }
    effects.consume(code);
    if (code === BACKSLASH) {
      return escaped;
    }
    if (code !== quote) {
      return quoted;
    }
    afterEquals = false;
    return inside;
  }
  function escaped(code: Code): State | undefined {
    if (isLineEnd(code)) {
      return nok(code);
    }
    effects.consume(code);
    return quoted;
  }
  function closing(code: Code): State | undefined {
    if (code !== CLOSE_BRACE) {
      return inside(code);
    }
    effects.consume(code);
    effects.exit(type);
    return done;
  }
}

/** A tag on a line of its own. Ends a preceding paragraph, and lists and quotations that it is not part of. */
const tagLine: Construct = {
  name: 'tagLine',
  concrete: true,
  tokenize(effects, ok, nok) {
    return tag(effects, 'tagLine', after, nok);
    function after(code: Code): State | undefined {
      if (isLineEnd(code)) {
        return ok(code);
      }
      if (!isSpace(code)) {
        return nok(code);
      }
      effects.enter('tagSpace');
      return space(code);
    }
    function space(code: Code): State | undefined {
      if (isSpace(code)) {
        effects.consume(code);
        return space;
      }
      effects.exit('tagSpace');
      return isLineEnd(code) ? ok(code) : nok(code);
    }
  },
};

const tagText: Construct = {
  name: 'tagText',
  tokenize(effects, ok, nok) {
    return tag(effects, 'tagText', ok, nok);
  },
};

const WORD = /[\p{L}\p{N}:]/u;
const EMOJI_FIRST = /[a-z0-9+-]/;
const EMOJI_NEXT = /[a-z0-9_+-]/;

const matches = (pattern: RegExp, code: Code): boolean =>
  code !== null && code >= 0 && pattern.test(String.fromCodePoint(code));

/**
 * `:name:` that is not adjacent to a letter, digit or colon. The name must contain a letter unless it is a numeric
 * emoji name such as +1.
 */
const emoji: Construct = {
  name: 'emoji',
  previous(code) {
    return !matches(WORD, code);
  },
  tokenize(this: TokenizeContext, effects, ok, nok) {
    const { previous } = this;
    let name = '';
    return (code) => {
      if (matches(WORD, previous)) {
        return nok(code);
      }
      effects.enter('emoji');
      effects.consume(code);
      return first;
    };
    function first(code: Code): State | undefined {
      if (!matches(EMOJI_FIRST, code)) {
        return nok(code);
      }
      return next(code);
    }
    function next(code: Code): State | undefined {
      if (code === COLON) {
        if (!isEmojiName(name)) {
          return nok(code);
        }
        effects.consume(code);
        effects.exit('emoji');
        return last;
      }
      if (name.length === MAX_EMOJI_NAME_CHARACTERS || !matches(EMOJI_NEXT, code)) {
        return nok(code);
      }
      name += String.fromCharCode(code ?? 0);
      effects.consume(code);
      return next;
    }
    function last(code: Code): State | undefined {
      return matches(WORD, code) ? nok(code) : ok(code);
    }
  },
};

const platformSyntax: Extension = {
  flow: { [OPEN_BRACE]: tagLine },
  text: { [OPEN_BRACE]: tagText, [COLON]: emoji },
};

const platformNodes: MdastExtension = {
  enter: {
    tagLine(token) {
      this.enter({ type: 'tagLine', value: this.sliceSerialize(token) }, token);
    },
    tagText(token) {
      this.enter({ type: 'tagText', value: this.sliceSerialize(token) }, token);
    },
    emoji(token) {
      this.enter({ type: 'emoji', value: this.sliceSerialize(token).slice(1, -1) }, token);
    },
  },
  exit: {
    tagLine(token) {
      this.exit(token);
    },
    tagText(token) {
      this.exit(token);
    },
    emoji(token) {
      this.exit(token);
    },
  },
};

const syntaxes = [gfm(), math({ singleDollarTextMath: false }), platformSyntax, lenientTags, longTexts];
/** Reduced syntaxes by the names of the omitted constructs. */
const reduced = new Map<string, Extension[]>();
const nodes = [...gfmFromMarkdown().map(onlyAddresses), mathFromMarkdown(), platformNodes];

/** Parses Markdown to a syntax tree. */
export function syntaxTree(markdown: string, extension?: Extension): Root {
  const absent = absentAutolinks(markdown);
  const key = absent.join();
  const enabled = reduced.get(key) ?? syntaxes.map((syntax) => withoutConstructs(syntax, absent));
  reduced.set(key, enabled);
  const extensions = extension ? [...enabled, extension] : enabled;
  return fromMarkdown(markdown, { extensions, mdastExtensions: nodes });
}

/** Printing of the dialect's own nodes, and the characters to escape so that text is not read as such a node. */
export const platformPrinting: PrintExtension = {
  handlers: {
    tagLine: (node: TagLine) => node.value,
    tagText: (node: TagText) => node.value,
    emoji: (node: EmojiText) => `:${node.value}:`,
  },
  unsafe: [
    { character: '{', after: '%', inConstruct: 'phrasing' },
    { atBreak: true, character: '{', after: '%' },
    { character: '{', after: '#', inConstruct: ['headingAtx', 'headingSetext'] },
    { before: '[^0-9A-Za-z:]', character: ':', after: '[a-z0-9_+-]{1,64}:', inConstruct: 'phrasing' },
  ],
};
