/** Reads the flow of HTML blocks: complete elements, starts and ends of elements, tags, and lines between them. */
import { readTag } from '../../attributes.ts';
import { type Block, rawParagraph, voidBlock } from '../../document.ts';
import { type HtmlToken, htmlTokens } from '../../html.ts';
import { LimitExceeded, MAX_DOCUMENT_NODES } from '../../limits.ts';
import type { FlowItem } from '../flow.ts';
import { type LineContext, readLine } from '../inlines.ts';
import { isImage, isVisible, type Piece } from '../pieces.ts';
import type { BlockRange } from '../ranges.ts';
import { isBlockElement, isHiddenElement, isInvisibleTag, isUnreadElement } from './elements.ts';
import { pair } from './tag-pairs.ts';

/** A line that consists of a tag. */
const TAG_LINE = /^[ \t]*\{%.*%\}[ \t]*$/;

/** HTML that does not end with a blank line, so that it contains the lines of tags. */
const VERBATIM_HTML = /^<(?:[!?]|(?:pre|script|style|textarea)\b)/i;

/** Reads HTML at block level. */
export class HtmlFlow {
  readonly #context: LineContext;
  readonly #markdown: (source: string) => Block[];

  /** @param markdown reads the content of HTML tags that is not surrounded by blank lines */
  constructor(context: LineContext, markdown: (source: string) => Block[]) {
    this.#context = context;
    this.#markdown = markdown;
  }

  /**
   * Reads the flow items of an HTML block, which may contain lines with tags. Unknown HTML is left as written.
   *
   * @param offset offset of the HTML in the text of the page; undefined if unknown
   */
  items(html: string, offset: number | undefined): FlowItem[] {
    if (html.split('<').length > MAX_DOCUMENT_NODES) {
      throw new LimitExceeded('too-large');
    }
    if (!html.includes('{%') || VERBATIM_HTML.test(html)) {
      return this.#html(html, offset);
    }
    const items: FlowItem[] = [];
    for (const { text, start, isTag } of tagLines(html)) {
      const at = offset === undefined ? undefined : offset + start;
      if (isTag) {
        items.push({ kind: 'tag', tag: readTag(text.trim()), range: rangeOf(text, at) });
      } else if (text.trimStart().startsWith('<')) {
        items.push(...this.#html(text, at));
      } else if (text.trim() !== '') {
        items.push(...this.#markdown(text).map((block): FlowItem => ({ kind: 'block', block })));
      }
    }
    return items;
  }

  #html(html: string, offset: number | undefined): FlowItem[] {
    const tokens = htmlTokens(html);
    const [first] = tokens;
    if (first?.kind === 'open' && isHiddenElement(first.name)) {
      return [];
    }
    if (first?.kind === 'open' && isUnreadElement(first.name)) {
      return [{ kind: 'block', block: rawParagraph(html), range: rangeOf(html, offset) }];
    }
    const items = tokens.some(isDetails)
      ? this.#details(html, tokens, offset)
      : this.#run(html, tokens, offset);
    const [only, ...more] = items;
    if (only && more.length === 0 && !only.range) {
      return [{ ...only, range: rangeOf(html, offset) }];
    }
    return items;
  }

  #details(html: string, tokens: HtmlToken[], offset: number | undefined): FlowItem[] {
    const items: FlowItem[] = [];
    let index = 0;
    while (index < tokens.length) {
      const token = tokens[index];
      if (token === undefined) {
        break;
      }
      const range = rangeOf(token.source, offset === undefined ? undefined : offset + token.start);
      if (token.kind === 'open' && token.name === 'details') {
        const { attributes, source } = token;
        const id = attributes.get('id') || undefined;
        items.push({ kind: 'details', id, open: attributes.has('open'), source, range });
        index++;
      } else if (token.kind === 'close' && token.name === 'details') {
        items.push({ kind: 'endDetails', source: token.source, range });
        index++;
      } else {
        const end = runEnd(tokens, index);
        const run = tokens.slice(index, end);
        const last = run.at(-1);
        const source = last ? html.slice(token.start, last.start + last.source.length) : '';
        if (isDetails(token)) {
          const title = readLine(pair(run.slice(1, -1), false), this.#context);
          if (last?.kind === 'close' && last.name === 'summary') {
            const id = (token.kind === 'open' && token.attributes.get('id')) || undefined;
            items.push({ kind: 'summary', id, title, source });
          } else {
            items.push({ kind: 'block', block: rawParagraph(source.trim()) });
          }
        } else if (source.trim() !== '') {
          items.push(...this.#run(html, run, offset));
        }
        index = end;
      }
    }
    return items;
  }

  /** Reads HTML without `<details>`: complete elements, starts and ends of others, and the lines between them. */
  #run(html: string, tokens: HtmlToken[], offset: number | undefined): FlowItem[] {
    const items: FlowItem[] = [];
    let line: Piece[] = [];
    const rangeFrom = (first: Piece | undefined, last: Piece | undefined): BlockRange | undefined => {
      const [start = 0, end = 0] = [first?.range?.[0], last?.range?.[1]];
      return rangeOf(html.slice(start, end), offset === undefined ? undefined : offset + start);
    };
    const endLine = () => {
      const [first, last] = [line.findIndex(isVisible), line.findLastIndex(isVisible)];
      const pieces = first < 0 ? [] : line.slice(first, last + 1);
      line = [];
      if (pieces.length === 0) {
        return;
      }
      const source = html.slice(pieces[0]?.range?.[0] ?? 0, pieces.at(-1)?.range?.[1] ?? 0);
      if (pieces.every((piece) => isUnknownMarkup(piece) || !isVisible(piece))) {
        items.push({
          kind: 'block',
          block: rawParagraph(source),
          range: rangeFrom(pieces[0], pieces.at(-1)),
        });
      } else if (source.startsWith('<')) {
        items.push({ kind: 'pieces', pieces, range: rangeFrom(pieces[0], pieces.at(-1)) });
      } else {
        items.push(...this.#markdown(source).map((block): FlowItem => ({ kind: 'block', block })));
      }
    };
    for (const piece of pair(tokens, true)) {
      const range = rangeFrom(piece, piece);
      const isBlock = piece.kind === 'element' && (isBlockElement(piece.name) || isImage(piece));
      if (piece.kind === 'comment' && !line.some(isVisible)) {
        endLine();
        items.push({ kind: 'block', block: voidBlock('comment', { text: piece.value }), range });
      } else if (isBlock) {
        endLine();
        items.push({ kind: 'pieces', pieces: [piece], range });
      } else {
        const boundary = boundaryOf(piece);
        if (boundary) {
          endLine();
          items.push({ ...boundary, range });
        } else {
          line.push(piece);
        }
      }
    }
    endLine();
    return items;
  }

  /** Reads the pieces of a paragraph with block elements. */
  flowOf(pieces: Piece[]): FlowItem[] {
    const items: FlowItem[] = [];
    let line: Piece[] = [];
    const endLine = () => {
      if (line.some(isVisible)) {
        items.push({ kind: 'pieces', pieces: line });
      }
      line = [];
    };
    for (const piece of pieces) {
      const boundary = boundaryOf(piece);
      if (boundary) {
        endLine();
        items.push(boundary);
      } else {
        line.push(piece);
      }
    }
    endLine();
    return items;
  }
}

/** Returns the start or end of an element with content between blank lines; undefined for any other piece. */
function boundaryOf(piece: Piece): FlowItem | undefined {
  if (piece.kind !== 'raw' || !piece.token || !isBlockElement(piece.token.name)) {
    return undefined;
  }
  const { token } = piece;
  return token.kind === 'open' ? { kind: 'open', tag: token } : { kind: 'close', name: token.name };
}

const isUnknownMarkup = (piece: Piece): boolean => piece.kind === 'raw' && !isInvisibleTag(piece.token);

/** Splits HTML at the lines that consist of a tag. */
function* tagLines(html: string): Generator<{ text: string; start: number; isTag: boolean }> {
  let start = 0;
  let pending = 0;
  for (const line of html.split('\n')) {
    if (TAG_LINE.test(line)) {
      if (start > pending) {
        yield { text: html.slice(pending, start), start: pending, isTag: false };
      }
      yield { text: line, start, isTag: true };
      pending = start + line.length + 1;
    }
    start += line.length + 1;
  }
  if (pending < html.length) {
    yield { text: html.slice(pending), start: pending, isTag: false };
  }
}

/** Returns the range of a text without surrounding whitespace; undefined for an unknown offset. */
function rangeOf(text: string, offset: number | undefined): BlockRange | undefined {
  if (offset === undefined) {
    return undefined;
  }
  const start = offset + text.length - text.trimStart().length;
  return { start, end: Math.max(start, offset + text.trimEnd().length) };
}

const isDetails = (token: HtmlToken): boolean =>
  (token.kind === 'open' || token.kind === 'close') && (token.name === 'details' || token.name === 'summary');

/** Returns the end of the run of tokens at an index: the end tag of a summary, or before the next details tag. */
function runEnd(tokens: HtmlToken[], start: number): number {
  const first = tokens[start];
  if (first && isDetails(first)) {
    for (let index = start + 1; index < tokens.length; index++) {
      const token = tokens[index];
      if (token && isDetails(token)) {
        return token.kind === 'close' && token.name === 'summary' ? index + 1 : index;
      }
    }
    return tokens.length;
  }
  for (let index = start; index < tokens.length; index++) {
    const token = tokens[index];
    if (token && isDetails(token)) {
      return index;
    }
  }
  return tokens.length;
}
