/**
 * Pieces: the common form of Markdown and HTML before the conversion to the inline nodes of a document. Tags of both
 * may be mixed: `<mark …>**x**</mark>`.
 */
import type { Definition, Image, PhrasingContent } from 'mdast';
import { readTag, type Tag } from '../attributes.ts';
import type { Block } from '../document.ts';
import { type CloseTag, decodeHtml, type HtmlToken, htmlTokens, type OpenTag } from '../html.ts';
import { isEmojiName } from '../syntax.ts';
import { hasImpliedEnd, impliesEnd, isKnownElement, isVoidElement } from './elements.ts';
import type { BlockRange } from './ranges.ts';

/** An element with its content. The tags of an element that is written in Markdown are empty. */
export interface Element {
  kind: 'element';
  name: string;
  attributes: Map<string, string>;
  children: Piece[];
  open: string;
  close: string;
  /** Start and end in the HTML, see {@link SourceRange}. */
  range?: SourceRange | undefined;
  /** Range in the page of an element within another one, whose content is separated by blank lines. */
  place?: BlockRange | undefined;
}

/** Start and end offset in the HTML that contains a piece; undefined for Markdown. */
type SourceRange = readonly [start: number, end: number];

export type Piece = { range?: SourceRange | undefined } & (
  | { kind: 'text' | 'code' | 'math' | 'emoji' | 'comment'; value: string }
  /** Unknown or unpaired markup, as written. */
  | { kind: 'raw'; value: string; token?: OpenTag | CloseTag }
  | { kind: 'tag'; tag: Tag }
  | { kind: 'break' }
  | { kind: 'note'; id: string; label: string }
  /** A block in an element whose content is separated by blank lines. */
  | { kind: 'block'; block: Block }
  | Element
);

/** Maximum nesting depth of elements. Deeper elements are left as written. */
const MAX_ELEMENT_DEPTH = 60;

type Token = Piece | HtmlToken;

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
    } else if (isVoidElement(name)) {
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

/**
 * Reads the pieces of Markdown within a line. `definitions` resolves links and images by reference; `blocks` enables
 * block elements.
 */
export function markdownPieces(
  nodes: PhrasingContent[],
  definitions: Map<string, Definition>,
  blocks = false,
): Piece[] {
  return pair(tokensOf(nodes, definitions), blocks);
}

function* tokensOf(nodes: PhrasingContent[], definitions: Map<string, Definition>): Generator<Token> {
  for (const node of nodes) {
    switch (node.type) {
      case 'text':
        yield { kind: 'text', value: node.value };
        break;
      case 'inlineCode':
        yield { kind: 'code', value: node.value };
        break;
      case 'inlineMath':
        yield { kind: 'math', value: node.value.trim() };
        break;
      case 'emoji':
        yield { kind: 'emoji', value: node.value };
        break;
      case 'break':
        yield { kind: 'break' };
        break;
      case 'html':
        // Positions in a line are not positions in an HTML block.
        yield* htmlTokens(node.value).map((token) => ({ ...token, start: 0 }));
        break;
      case 'tagText':
        yield { kind: 'tag', tag: readTag(node.value) };
        break;
      case 'strong':
        yield element('strong', markdownPieces(node.children, definitions));
        break;
      case 'emphasis':
        yield element('em', markdownPieces(node.children, definitions));
        break;
      case 'delete':
        yield element('del', markdownPieces(node.children, definitions));
        break;
      case 'link':
        yield link(node.url, node.title, markdownPieces(node.children, definitions));
        break;
      case 'linkReference': {
        const definition = definitions.get(node.identifier);
        const children = markdownPieces(node.children, definitions);
        if (definition) {
          yield link(definition.url, definition.title, children);
        } else {
          yield* children;
        }
        break;
      }
      case 'image':
        yield image(node, node.alt);
        break;
      case 'imageReference': {
        const definition = definitions.get(node.identifier);
        if (definition) {
          yield image(definition, node.alt);
        }
        break;
      }
      case 'footnoteReference':
        yield { kind: 'note', id: node.identifier, label: node.label ?? node.identifier };
        break;
    }
  }
}

function element(name: string, children: Piece[], attributes = new Map<string, string>()): Element {
  return { kind: 'element', name, attributes, children, open: '', close: '' };
}

function link(url: string, title: string | null | undefined, children: Piece[]): Element {
  const attributes = new Map([['href', url]]);
  if (title) {
    attributes.set('title', title);
  }
  return element('a', children, attributes);
}

function image({ url, title }: Image | Definition, alt: string | null | undefined): Element {
  const attributes = new Map([['src', url]]);
  if (alt) {
    attributes.set('alt', alt);
  }
  if (title) {
    attributes.set('title', title);
  }
  return element('img', [], attributes);
}

/** Returns the text of pieces without markup. */
export function textOfPieces(pieces: Piece[]): string {
  let text = '';
  for (const piece of pieces) {
    if (piece.kind === 'element') {
      text += textOfPieces(piece.children);
    } else if (piece.kind === 'emoji') {
      text += `:${piece.value}:`;
    } else if (piece.kind === 'break') {
      text += ' ';
    } else if (piece.kind === 'tag') {
      text += piece.tag.source;
    } else if ('value' in piece && piece.kind !== 'comment') {
      text += piece.value;
    }
  }
  return text;
}

/** Returns whether a piece is visible. */
export const isVisible = (piece: Piece): boolean =>
  piece.kind !== 'break' && (piece.kind !== 'text' || piece.value.trim() !== '');

/** Returns whether an element is an image. */
export const isImage = ({ name }: Element): boolean => name === 'img' || name === 'picture';
