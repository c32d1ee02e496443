import { readTag } from '../../attributes.ts';
import { type CloseTag, decodeHtml, type HtmlToken, type OpenTag } from '../../html.ts';
import { isEmojiName } from '../../icons.ts';
import type { Piece, SourceRange } from '../pieces.ts';
import { hasImpliedEnd, impliesEnd, isKnownElement, isVoidElement } from './elements.ts';

/** Maximum nesting depth of elements. Deeper elements are left as written. */
const MAX_ELEMENT_DEPTH = 60;

export type Token = Piece | HtmlToken;

/** Pairs opening and closing tags. Unpaired and unknown tags are left as written; `blocks` enables block elements. */
export function pair(tokens: Iterable<Token>, blocks: boolean): Piece[] {
  const pairing = new TagPairing(blocks);
  for (const token of tokens) {
    pairing.add(token);
  }
  return pairing.end();
}

class TagPairing {
  readonly #blocks: boolean;
  readonly #root: Piece[] = [];
  readonly #stack: { tag: OpenTag; children: Piece[] }[] = [];
  /** Numbers of open elements by name. */
  readonly #open = new Map<string, number>();

  constructor(blocks: boolean) {
    this.#blocks = blocks;
  }

  add(token: Token): void {
    switch (token.kind) {
      case 'open':
        this.#start(token);
        break;
      case 'close':
        this.#close(token);
        break;
      case 'other': {
        const comment = commentText(token.source);
        const range = rangeOf(token);
        this.#push(
          comment === undefined
            ? { kind: 'raw', value: token.source, range }
            : { kind: 'comment', value: comment, range },
        );
        break;
      }
      case 'html': {
        const { source } = token;
        const isCode = (this.#open.get('pre') ?? 0) > 0;
        const pieces = isCode ? [{ kind: 'text', value: decodeHtml(source) } as const] : textPieces(source);
        for (const piece of pieces) {
          this.#push({ ...piece, range: rangeOf(token) });
        }
        break;
      }
      default:
        this.#push(token);
    }
  }

  /** Leaves the open tags as written, and returns all pieces. */
  end(): Piece[] {
    while (this.#stack.length > 0) {
      this.#abandon();
    }
    return this.#root;
  }

  #start(token: OpenTag): void {
    const { name, attributes, source, start } = token;
    while (this.#blocks && impliesEnd(this.#stack.at(-1)?.tag.name, name)) {
      this.#finish('', start);
    }
    const range = rangeOf(token);
    if (name === 'br') {
      this.#push({ kind: 'break', range });
    } else if (isVoidElement(token)) {
      this.#push({ kind: 'element', name, attributes, children: [], open: source, close: '', range });
    } else if (isKnownElement(name, this.#blocks) && this.#stack.length < MAX_ELEMENT_DEPTH) {
      this.#stack.push({ tag: token, children: [] });
      this.#open.set(name, (this.#open.get(name) ?? 0) + 1);
    } else {
      this.#push({ kind: 'raw', value: source, token, range });
    }
  }

  #close(token: CloseTag): void {
    if (!this.#open.get(token.name)) {
      this.#push({ kind: 'raw', value: token.source, token, range: rangeOf(token) });
      return;
    }
    while (this.#stack.at(-1)?.tag.name !== token.name) {
      const top = this.#stack.at(-1)?.tag.name ?? '';
      if (this.#blocks && hasImpliedEnd(top)) {
        this.#finish('', token.start);
      } else {
        this.#abandon();
      }
    }
    this.#finish(token.source, token.start + token.source.length);
  }

  /** Adds the innermost element as paired. */
  #finish(close: string, end: number): void {
    const frame = this.#pop();
    if (frame) {
      const { name, attributes, source: open, start } = frame.tag;
      const { children } = frame;
      this.#push({ kind: 'element', name, attributes, children, open, close, range: [start, end] });
    }
  }

  /** Adds the innermost tag as written, followed by its content. */
  #abandon(): void {
    const frame = this.#pop();
    if (frame) {
      this.#push({ kind: 'raw', value: frame.tag.source, token: frame.tag, range: rangeOf(frame.tag) });
      for (const child of frame.children) {
        this.#push(child);
      }
    }
  }

  #pop() {
    const frame = this.#stack.pop();
    if (frame) {
      this.#open.set(frame.tag.name, (this.#open.get(frame.tag.name) ?? 1) - 1);
    }
    return frame;
  }

  #push(piece: Piece): void {
    (this.#stack.at(-1)?.children ?? this.#root).push(piece);
  }
}

const rangeOf = ({ start, source }: HtmlToken): SourceRange => [start, start + source.length];

/** Returns the text of a comment; undefined for any other markup. */
const commentText = (source: string): string | undefined =>
  source.startsWith('<!--') ? source.slice(4, -3).trim() : undefined;

const INLINE_IN_HTML =
  /\$\$([^$]+)\$\$|\{%([^{}]{0,1000}?)%\}|(?<![\p{L}\p{N}:]):([a-z0-9+-][a-z0-9_+-]{0,63}):(?![\p{L}\p{N}:])/gu;

/** Reads text in HTML, which may contain emoji, formulas and tags. */
function textPieces(source: string): Piece[] {
  const pieces: Piece[] = [];
  let from = 0;
  const text = (until: number) => {
    if (until > from) {
      pieces.push({ kind: 'text', value: decodeHtml(source.slice(from, until)) });
    }
  };
  for (const match of source.matchAll(INLINE_IN_HTML)) {
    const [all, formula, tag, emoji] = match;
    if (emoji !== undefined && !isEmojiName(emoji)) {
      continue;
    }
    text(match.index);
    if (tag !== undefined) {
      pieces.push({ kind: 'tag', tag: readTag(decodeHtml(all)) });
    } else if (formula !== undefined) {
      pieces.push({ kind: 'math', value: decodeHtml(formula).trim() });
    } else if (emoji !== undefined) {
      pieces.push({ kind: 'emoji', value: emoji });
    }
    from = match.index + all.length;
  }
  text(source.length);
  return pieces;
}
