/** Reads blocks that are written in HTML: images, tables, aligned paragraphs and headings, expandable blocks. */
import { alignment } from '../alignments.ts';
import type { Block, InlineNode, ListItem } from '../document.ts';
import { defined, paragraph, parent, rawParagraph, voidBlock } from '../document.ts';
import { headingType } from '../headings.ts';
import { type HtmlToken, htmlTokens } from '../html.ts';
import { LimitExceeded, MAX_DOCUMENT_NODES } from '../limits.ts';
import type { FlowItem } from './assemble.ts';
import { blockImage } from './images.ts';
import { isEmptyLine, type LineContext, readLine } from './inlines.ts';
import { type Element, type Piece, pair } from './pieces.ts';
import { bytesOfCells, elementsOf, readHtmlTable } from './tables.ts';

/** Reads HTML at block level. */
export class HtmlReader {
  readonly #context: LineContext;
  readonly #markdown: (source: string) => Block[];

  /** @param markdown reads the content of HTML tags that is not surrounded by blank lines */
  constructor(context: LineContext, markdown: (source: string) => Block[]) {
    this.#context = context;
    this.#markdown = markdown;
  }

  /** Reads the flow items of an HTML block. Unknown HTML is left as written. */
  items(html: string): FlowItem[] {
    if (html.split('<').length > MAX_DOCUMENT_NODES) {
      throw new LimitExceeded('too-large');
    }
    const tokens = htmlTokens(html);
    if (!tokens.some(isDetails)) {
      const blocks = this.#knownBlocks(pair(tokens, true));
      return (blocks ?? [rawParagraph(html)]).map((block) => ({ kind: 'block', block }));
    }
    return this.#details(html, tokens);
  }

  #details(html: string, tokens: HtmlToken[]): FlowItem[] {
    const items: FlowItem[] = [];
    let index = 0;
    while (index < tokens.length) {
      const token = tokens[index];
      if (token === undefined) {
        break;
      }
      if (token.kind === 'open' && token.name === 'details') {
        items.push({ kind: 'details', open: token.attributes.has('open'), source: token.source });
        index++;
      } else if (token.kind === 'close' && token.name === 'details') {
        items.push({ kind: 'endDetails', source: token.source });
        index++;
      } else {
        const end = runEnd(tokens, index);
        const run = tokens.slice(index, end);
        const last = run.at(-1);
        const source = last ? html.slice(token.start, last.start + last.source.length) : '';
        if (isDetails(token)) {
          const title = readLine(pair(run.slice(1, -1), false), this.#context);
          if (last?.kind === 'close' && last.name === 'summary') {
            items.push({ kind: 'summary', title, source });
          } else {
            items.push({ kind: 'block', block: rawParagraph(source.trim()) });
          }
        } else if (source.trim() !== '') {
          const blocks = this.#knownBlocks(pair(run, true)) ?? this.#markdown(source);
          for (const block of blocks) {
            items.push({ kind: 'block', block });
          }
        }
        index = end;
      }
    }
    return items;
  }

  /** Reads HTML that is known as a whole; returns undefined for any other. */
  #knownBlocks(pieces: Piece[]): Block[] | undefined {
    const blocks: Block[] = [];
    for (const piece of pieces) {
      if (piece.kind === 'text' && piece.value.trim() === '') {
        continue;
      }
      const block = piece.kind === 'element' ? this.#block(piece) : undefined;
      if (!block) {
        return undefined;
      }
      blocks.push(block);
    }
    return blocks.length > 0 ? blocks : undefined;
  }

  #block(element: Element): Block | undefined {
    const { name, attributes } = element;
    switch (name) {
      case 'table': {
        const table = readHtmlTable(element, {
          line: (pieces) => readLine(pieces, this.#context),
          blocks: (pieces) => this.#cell(pieces),
        });
        if (table) {
          this.#context.budget.spend(bytesOfCells(table));
        }
        return table;
      }
      case 'img':
        if (attributes.get('class') === 'gitbook-drawing') {
          return this.#drawing(element, undefined);
        }
        return this.#images([element]);
      case 'picture':
      case 'figure':
        return this.#figure(element);
      case 'div':
        return this.#division(element);
      case 'p': {
        const align = alignment(attributes.get('align'));
        if (!align || attributes.size > 1) {
          return undefined;
        }
        const nodes = readLine(element.children, this.#context);
        return isEmptyLine(nodes) ? undefined : parent('paragraph', { align }, nodes);
      }
      default:
        return /^h[1-6]$/.test(name) ? this.#heading(element) : undefined;
    }
  }

  #heading({ name, attributes, children }: Element): Block | undefined {
    const align = alignment(attributes.get('align'));
    const anchors: { id?: string } = {};
    const nodes = readLine(children, this.#context, anchors);
    const id = attributes.get('id') ?? anchors.id;
    if ([...attributes.keys()].some((key) => key !== 'align' && key !== 'id')) {
      return undefined;
    }
    return parent(headingType(Number(name.slice(1))), defined({ id, align }), nodes);
  }

  #figure(element: Element): Block | undefined {
    if (element.name === 'figure') {
      const img = elementsOf(element.children, ['img', 'picture', 'figcaption'])?.[0];
      if (img?.attributes.get('class') === 'gitbook-drawing') {
        return this.#drawing(img, this.#caption(element));
      }
    }
    return this.#images([element]);
  }

  #drawing(img: Element, caption: InlineNode[] | undefined): Block | undefined {
    const image = blockImage(img);
    if (!image) {
      return undefined;
    }
    const { class: _, ...rest } = image.data.attributes ?? {};
    const { alt, width, height } = image.data;
    const attributes = defined<Record<string, string>>({ ...rest, ...defined({ alt, width, height }) });
    const ownAttributes = Object.keys(attributes).length > 0 ? attributes : undefined;
    return voidBlock('drawing', defined({ ref: image.data.ref, caption, attributes: ownAttributes }));
  }

  #caption(figure: Element): InlineNode[] | undefined {
    const caption = elementsOf(figure.children, ['img', 'picture', 'figcaption'])?.find(
      ({ name }) => name === 'figcaption',
    );
    if (!caption) {
      return undefined;
    }
    const paragraphs = elementsOf(caption.children, ['p']);
    const lines = paragraphs && paragraphs.length > 0 ? joined(paragraphs) : caption.children;
    const nodes = readLine(lines, this.#context);
    return nodes.length > 0 ? nodes : undefined;
  }

  #images(elements: Element[], data: { align?: 'start' | 'center' | 'end' } = {}): Block | undefined {
    const images = elements.map((element) => {
      if (element.name !== 'figure') {
        return blockImage(element);
      }
      const parts = elementsOf(element.children, ['img', 'picture', 'figcaption']);
      const [img, ...more] = parts?.filter(({ name }) => name !== 'figcaption') ?? [];
      return img && more.length === 0 ? blockImage(img, this.#caption(element)) : undefined;
    });
    const blocks = images.filter((image) => image !== undefined);
    return blocks.length === elements.length ? parent('images', data, blocks) : undefined;
  }

  #division({ attributes, children }: Element): Block | undefined {
    const elements = elementsOf(children, ['figure', 'img', 'picture']);
    if (!elements || elements.length === 0) {
      return undefined;
    }
    const knownNames = ['align', 'data-full-width', 'data-with-frame'];
    if ([...attributes.keys()].some((name) => !knownNames.includes(name))) {
      return undefined;
    }
    const data = {
      align: alignment(attributes.get('align')),
      fullWidth: attributes.get('data-full-width') === 'true' || undefined,
      withFrame: attributes.get('data-with-frame') === 'true' || undefined,
    };
    return this.#images(elements, defined(data));
  }

  /** Reads the blocks of a cell or list item; returns undefined if it contains blocks that cells do not support. */
  #cell(pieces: Piece[]): Block[] | undefined {
    const blocks: Block[] = [];
    let line: Piece[] = [];
    const endLine = () => {
      const nodes = readLine(line, this.#context);
      line = [];
      if (!isEmptyLine(nodes)) {
        blocks.push(paragraph(nodes));
      }
    };
    for (const piece of pieces) {
      if (piece.kind !== 'element' || !/^(?:p|ul|ol|h[1-6]|table|div|figure)$/.test(piece.name)) {
        line.push(piece);
        continue;
      }
      endLine();
      const block = this.#cellBlock(piece);
      if (!block) {
        return undefined;
      }
      if (block !== 'nothing') {
        blocks.push(block);
      }
    }
    endLine();
    return blocks;
  }

  #cellBlock(element: Element): Block | 'nothing' | undefined {
    const { name, attributes, children } = element;
    if (name === 'p' && attributes.size === 0) {
      const nodes = readLine(children, this.#context);
      return isEmptyLine(nodes) ? 'nothing' : paragraph(nodes);
    }
    if (name === 'table' || name === 'div') {
      return undefined;
    }
    if (name !== 'ul' && name !== 'ol') {
      return this.#block(element);
    }
    const items = elementsOf(children, ['li']);
    if (!items || items.length === 0) {
      return undefined;
    }
    const nodes: ListItem[] = [];
    for (const item of items) {
      const content = this.#cell(item.children);
      if (!content) {
        return undefined;
      }
      nodes.push(parent('list-item', {}, content));
    }
    return parent(name === 'ol' ? 'list-ordered' : 'list-unordered', {}, nodes);
  }
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

function joined(paragraphs: Element[]): Piece[] {
  return paragraphs.flatMap(({ children }, index) =>
    index === 0 ? children : [{ kind: 'break' }, ...children],
  );
}
