/** Converts texts with formatting to segments for translation, and their translations back. */

import type { Inline, InlineNode, Leaf, Mark } from '../markdown/document.ts';
import { spaceAtEnd } from '../markdown/text-ends.ts';
import { hashOf } from '../tree/hash.ts';
import type { Glossary } from './glossary.ts';
import { escapeText, readTokens, type Token, writeAtom, writeTokens } from './markup.ts';

/** A text to be translated as a unit: a paragraph, a heading, a title. */
export interface Segment {
  /** Identifies the text, including its formatting and the glossary terms in it. */
  hash: string;
  html: string;
  /** Number of words to translate. */
  words: number;
}

/** What an element of a segment represents. */
type Element =
  | { kind: 'text'; text: string }
  | { kind: 'leaf'; leaf: Leaf }
  | { kind: 'inline'; inline: Inline }
  | { kind: 'marks'; marks: Mark[] };

/** A text as a segment. */
export interface EncodedText {
  html: string;
  /** Whether a translator has something to translate. */
  isTranslatable: boolean;
  /** Whether glossary terms are replaced. */
  hasTerms: boolean;
  elements: ReadonlyMap<number, Element>;
  /** Spaces around the text. */
  start: string;
  end: string;
}

/** Parts of a text that are the same in every language: URLs, addresses, variables, formats, short names, line breaks. */
const FIXED =
  /(?:https?:\/\/|www\.)[^\s<>"']+|(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,64}(?:\.[\w-]{1,64})+|\{\{[^{}]*\}\}|\{%[^{}]*%\}|\$?\{[\w.:-]+\}|%\w+%|%(?:\d+\$)?[sd@]|(?<![\p{L}\p{N}]):[a-z0-9_+-]+:(?![\p{L}\p{N}])|\n/u;
const LETTER = /\p{L}/u;

/** Returns the fixed parts of a text. */
export const fixedParts = (text: string): string[] => text.match(new RegExp(FIXED, 'gu')) ?? [];

/** Encodes texts with one glossary. */
export class SegmentEncoder {
  readonly #glossary: Glossary;
  readonly #pattern: RegExp;

  constructor(glossary: Glossary) {
    this.#glossary = glossary;
    const terms = [...glossary.keys()].sort((a, b) => b.length - a.length);
    const anyTerm = terms.map((term) => term.replace(/[$()*+./?[\\\]^{|}]/g, '\\$&')).join('|');
    const whole = `(?<![\\p{L}\\p{N}])(?:${anyTerm})(?![\\p{L}\\p{N}])`;
    this.#pattern = new RegExp(terms.length === 0 ? FIXED.source : `${FIXED.source}|${whole}`, 'gu');
  }

  encode(nodes: readonly InlineNode[]): EncodedText {
    return new TextEncoding(this.#glossary, this.#pattern).encode(nodes);
  }
}

/** The encoding of one text. */
class TextEncoding {
  readonly #glossary: Glossary;
  readonly #pattern: RegExp;
  readonly #elements = new Map<number, Element>();
  /** Contents of atoms, which give the translator a context. */
  readonly #contents = new Map<number, string>();
  #hasTerms = false;

  /** @param pattern matches glossary terms and fixed parts */
  constructor(glossary: Glossary, pattern: RegExp) {
    this.#glossary = glossary;
    this.#pattern = pattern;
  }

  encode(nodes: readonly InlineNode[]): EncodedText {
    const tokens = this.#ofNodes(nodes);
    const [first, last] = [tokens.at(0), tokens.at(-1)];
    return {
      html: this.#write(tokens).trim(),
      isTranslatable: tokens.some(hasLetter),
      hasTerms: this.#hasTerms,
      elements: this.#elements,
      start: first?.kind === 'text' ? (/^\s*/.exec(first.text)?.[0] ?? '') : '',
      end: last?.kind === 'text' ? spaceAtEnd(last.text) : '',
    };
  }

  #ofNodes(nodes: readonly InlineNode[]): Token[] {
    return nodes.flatMap((node): Token[] => {
      if (node.object === 'text') {
        return node.leaves.flatMap((leaf) => this.#ofLeaf(leaf));
      }
      const element: Element = { kind: 'inline', inline: node };
      // The text of an option of a select column identifies the option.
      const isFixed = node.isVoid || (node.type === 'span' && node.data.option !== undefined);
      const content = String(this.#elements.size + 1);
      return isFixed
        ? [this.#atom(element, content)]
        : this.#wrapped(element, { element, content }, () => this.#ofNodes(node.nodes));
    });
  }

  #ofLeaf(leaf: Leaf): Token[] {
    const whole: Element = { kind: 'leaf', leaf };
    if (leaf.raw || leaf.marks.some(({ type }) => type === 'code' || type === 'keyboard')) {
      return [this.#atom(whole, leaf.text)];
    }
    if (leaf.marks.length === 0) {
      return this.#ofText(leaf.text);
    }
    const marks: Element = { kind: 'marks', marks: leaf.marks };
    return this.#wrapped(marks, { element: whole, content: leaf.text }, () => this.#ofText(leaf.text));
  }

  #ofText(text: string): Token[] {
    const tokens: Token[] = [];
    let from = 0;
    for (const { 0: part, index } of text.matchAll(this.#pattern)) {
      tokens.push({ kind: 'text', text: text.slice(from, index) });
      const term = this.#glossary.get(part);
      this.#hasTerms ||= term !== undefined;
      tokens.push(this.#atom({ kind: 'text', text: term ?? part }, term ?? part));
      from = index + part.length;
    }
    return [...tokens, { kind: 'text', text: text.slice(from) }];
  }

  /** Wraps tokens in an element, or makes all of it an atom if there is nothing to translate in it. */
  #wrapped(element: Element, atom: { element: Element; content: string }, inner: () => Token[]): Token[] {
    const before = new Map(this.#elements);
    const hadTerms = this.#hasTerms;
    const id = this.#elements.size + 1;
    this.#elements.set(id, element);
    this.#hasTerms = false;
    const tokens = inner();
    const hasText = this.#hasTerms || tokens.some(hasLetter);
    this.#hasTerms ||= hadTerms;
    if (hasText) {
      return [{ kind: 'open', id }, ...tokens, { kind: 'close', id }];
    }
    this.#elements.clear();
    for (const [key, value] of before) {
      this.#elements.set(key, value);
    }
    return [this.#atom(atom.element, atom.content)];
  }

  #atom(element: Element, content: string): Token {
    const id = this.#elements.size + 1;
    this.#elements.set(id, element);
    this.#contents.set(id, content);
    return { kind: 'atom', id };
  }

  #write(tokens: readonly Token[]): string {
    return tokens
      .map((token) =>
        token.kind === 'atom'
          ? writeAtom(token.id, this.#contents.get(token.id) ?? '')
          : token.kind === 'text'
            ? escapeText(token.text)
            : writeTokens([token]),
      )
      .join('');
  }
}

const hasLetter = (token: Token): boolean => token.kind === 'text' && LETTER.test(token.text);

/** Returns the segment of a text, to be sent to the translation service. */
export function segmentOf({ html }: EncodedText, countWords: (text: string) => number): Segment {
  const tokens = readTokens(html) ?? [];
  const text = tokens.map((token) => (token.kind === 'text' ? token.text : ' ')).join('');
  return { hash: hashOf(html), html, words: countWords(text) };
}

/** Creates a function that counts the words of texts in a language. */
export function wordCounter(language: string): (text: string) => number {
  const segmenter = new Intl.Segmenter(language, { granularity: 'word' });
  return (text) => {
    let words = 0;
    for (const { isWordLike } of segmenter.segment(text)) {
      words += isWordLike ? 1 : 0;
    }
    return words;
  };
}

/** Returns a text with the translation of its segment. @param html a result of `repairTranslation` or `joinParts` */
export function decodeText({ elements, start, end }: EncodedText, html: string): InlineNode[] | undefined {
  const tokens = readTokens(html);
  if (!tokens) {
    return undefined;
  }
  const result: InlineNode[] = [];
  /** The nodes and the marks of the open elements, from the outside. */
  const open: { nodes: InlineNode[]; marks: Mark[] }[] = [{ nodes: result, marks: [] }];
  const current = () => open.at(-1) ?? { nodes: result, marks: [] };
  const addLeaf = (leaf: Leaf) => {
    const { nodes } = current();
    const last = nodes.at(-1);
    const leaves = last?.object === 'text' ? last.leaves : undefined;
    const previous = leaves?.at(-1);
    if (!leaves) {
      nodes.push({ object: 'text', leaves: [leaf] });
    } else if (previous && isSameFormat(previous, leaf)) {
      leaves[leaves.length - 1] = { ...previous, text: previous.text + leaf.text };
    } else {
      leaves.push(leaf);
    }
  };
  const addText = (text: string) => {
    if (text !== '') {
      addLeaf({ object: 'leaf', text, marks: current().marks });
    }
  };
  addText(start);
  for (const token of tokens) {
    if (token.kind === 'text') {
      addText(token.text);
      continue;
    }
    const element = elements.get(token.id);
    if (!element) {
      return undefined;
    }
    if (token.kind === 'close') {
      open.pop();
    } else if (element.kind === 'text') {
      addText(element.text);
    } else if (element.kind === 'leaf') {
      addLeaf(element.leaf);
    } else if (element.kind === 'marks') {
      open.push({ nodes: current().nodes, marks: element.marks });
    } else if (token.kind === 'atom') {
      current().nodes.push(element.inline);
    } else {
      const nodes: InlineNode[] = [];
      // Only its nodes are replaced: the type of the node is unchanged.
      current().nodes.push({ ...element.inline, nodes } as Inline);
      open.push({ nodes, marks: [] });
    }
  }
  addText(end);
  return result;
}

const isSameFormat = (a: Leaf, b: Leaf): boolean =>
  !a.raw && !b.raw && JSON.stringify(a.marks) === JSON.stringify(b.marks);
