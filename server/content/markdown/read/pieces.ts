/**
 * Pieces: the common form of Markdown and HTML before the conversion to the inline nodes of a document. Tags of both
 * may be mixed: `<mark …>**x**</mark>`.
 */
import type { Definition, Image, PhrasingContent } from 'mdast';
import { readTag } from '../attributes.ts';
import { decodeHtml, type HtmlToken, htmlTokens, type OpenTag } from '../html.ts';
import { isEmojiName } from '../syntax.ts';

/** An element with its content. The tags of an element that is written in Markdown are empty. */
export interface Element {
  kind: 'element';
  name: string;
  attributes: Map<string, string>;
  children: Piece[];
  open: string;
  close: string;
}

export type Piece =
  | { kind: 'text' | 'code' | 'raw' | 'math' | 'emoji'; value: string }
  | { kind: 'break' }
  | { kind: 'note'; id: string; label: string }
  | Element;

/** Elements without content. */
const VOID_ELEMENTS = new Set(['br', 'img', 'source']);

/** Elements with a meaning within lines. */
const INLINE_ELEMENTS = new Set(
  'a b button code del em i kbd mark picture s strike strong sub sup'.split(' '),
);

/** Elements with a meaning as blocks. */
const BLOCK_ELEMENTS = new Set(
  'div figcaption figure h1 h2 h3 h4 h5 h6 li ol p table tbody td th thead tr ul'.split(' '),
);

/** Maximum nesting depth of elements. Deeper elements are left as written. */
const MAX_ELEMENT_DEPTH = 60;

type Token = Piece | HtmlToken;

/** Pairs opening and closing tags. Unpaired and unknown tags are left as written; `blocks` enables block elements. */
export function pair(tokens: Iterable<Token>, blocks: boolean): Piece[] {
  const root: Piece[] = [];
  const stack: { tag: OpenTag; children: Piece[] }[] = [];
  const open = new Map<string, number>();
  const target = () => stack.at(-1)?.children ?? root;
  const abandon = () => {
    const frame = stack.pop();
    if (!frame) {
      return;
    }
    open.set(frame.tag.name, (open.get(frame.tag.name) ?? 1) - 1);
    const into = target();
    into.push({ kind: 'raw', value: frame.tag.source });
    for (const child of frame.children) {
      into.push(child);
    }
  };
  for (const token of tokens) {
    if (token.kind === 'open') {
      const { name, attributes, source } = token;
      if (name === 'br') {
        target().push({ kind: 'break' });
      } else if (VOID_ELEMENTS.has(name)) {
        target().push({ kind: 'element', name, attributes, children: [], open: source, close: '' });
      } else if (isKnown(name, blocks) && stack.length < MAX_ELEMENT_DEPTH) {
        stack.push({ tag: token, children: [] });
        open.set(name, (open.get(name) ?? 0) + 1);
      } else {
        target().push({ kind: 'raw', value: source });
      }
    } else if (token.kind === 'close') {
      if (!open.get(token.name)) {
        target().push({ kind: 'raw', value: token.source });
        continue;
      }
      while (stack.at(-1)?.tag.name !== token.name) {
        abandon();
      }
      const frame = stack.pop();
      if (!frame) {
        continue;
      }
      const { name, attributes, source } = frame.tag;
      open.set(name, (open.get(name) ?? 1) - 1);
      const { children } = frame;
      target().push({ kind: 'element', name, attributes, children, open: source, close: token.source });
    } else if (token.kind === 'other') {
      target().push({ kind: 'raw', value: token.source });
    } else if (token.kind === 'html') {
      for (const piece of textPieces(token.source)) {
        target().push(piece);
      }
    } else {
      target().push(token);
    }
  }
  while (stack.length > 0) {
    abandon();
  }
  return root;
}

const isKnown = (name: string, blocks: boolean): boolean =>
  INLINE_ELEMENTS.has(name) || (blocks && BLOCK_ELEMENTS.has(name));

const INLINE_IN_HTML = /\$\$([^$]+)\$\$|(?<![\p{L}\p{N}:]):([a-z0-9+-][a-z0-9_+-]{0,63}):(?![\p{L}\p{N}:])/gu;

/** Reads text in HTML, which may contain emoji and formulas. */
function textPieces(source: string): Piece[] {
  const pieces: Piece[] = [];
  let from = 0;
  const text = (until: number) => {
    if (until > from) {
      pieces.push({ kind: 'text', value: decodeHtml(source.slice(from, until)) });
    }
  };
  for (const match of source.matchAll(INLINE_IN_HTML)) {
    const [all, formula, emoji] = match;
    if (emoji !== undefined && !isEmojiName(emoji)) {
      continue;
    }
    text(match.index);
    if (formula !== undefined) {
      pieces.push({ kind: 'math', value: decodeHtml(formula).trim() });
    } else if (emoji !== undefined) {
      pieces.push({ kind: 'emoji', value: emoji });
    }
    from = match.index + all.length;
  }
  text(source.length);
  return pieces;
}

/** Reads the pieces of Markdown within a line. `definitions` resolves links and images by reference. */
export function markdownPieces(nodes: PhrasingContent[], definitions: Map<string, Definition>): Piece[] {
  return pair(tokensOf(nodes, definitions), false);
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
        yield* htmlTokens(node.value);
        break;
      case 'tagText':
        yield { kind: 'raw', value: readTag(node.value).source };
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
    } else if (piece.kind !== 'note') {
      text += piece.value;
    }
  }
  return text;
}
