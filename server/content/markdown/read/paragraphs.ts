/** Reads paragraphs, which may start and end with tags, and contain elements that are blocks. */
import type { Paragraph, PhrasingContent } from 'mdast';
import { readTag } from '../attributes.ts';
import { paragraph, parent } from '../document.ts';
import { isBlockTag } from './blocks.ts';
import type { FlowItem } from './flow.ts';
import { isBlockElement } from './html/elements.ts';
import type { HtmlFlow } from './html/html-flow.ts';
import { imagesOfLine } from './images.ts';
import { isEmptyLine, type LineContext, readLine } from './inlines.ts';
import type { Piece } from './pieces.ts';
import type { BlockRange } from './ranges.ts';

/** Services for reading a paragraph. */
interface ParagraphReader {
  line: LineContext;
  html: HtmlFlow;
  pieces(children: PhrasingContent[], blocks?: boolean): Piece[];
}

/** An element that is a block, in the middle of a paragraph. */
const HTML_NAME = /^<\/?([a-z][a-z0-9-]*)/i;

/** Reads a paragraph. Tags at its start and end are separate items: `{% hint %} text {% endhint %}`. */
export function* paragraphItems(
  { children }: Paragraph,
  range: BlockRange | undefined,
  { line: context, html, pieces: piecesOf }: ParagraphReader,
): Generator<FlowItem> {
  const line = [...children];
  const before: FlowItem[] = [];
  const after: FlowItem[] = [];
  for (let first = line[0]; first && isBlockTag(first); first = line[0]) {
    before.push({ kind: 'tag', tag: readTag(first.value) });
    line.shift();
    dropSpace(line, 0);
  }
  for (let last = line.at(-1); last && isBlockTag(last); last = line.at(-1)) {
    after.unshift({ kind: 'tag', tag: readTag(last.value) });
    line.pop();
    dropSpace(line, line.length - 1);
  }
  yield* before;
  if (line.some(isBlockHtml)) {
    yield* html.flowOf(piecesOf(line, true));
  } else {
    const pieces = piecesOf(line);
    const images = imagesOfLine(pieces);
    const nodes = images ? [] : readLine(pieces, context);
    // The range of the text in a paragraph with tags is unknown.
    const contentRange = before.length + after.length === 0 ? range : undefined;
    if (images) {
      yield { kind: 'block', block: parent('images', {}, images), range: contentRange };
    } else if (!isEmptyLine(nodes)) {
      yield { kind: 'block', block: paragraph(nodes), range: contentRange };
    }
  }
  yield* after;
}

const isBlockHtml = (node: PhrasingContent): boolean =>
  node.type === 'html' && isBlockElement(HTML_NAME.exec(node.value)?.[1]?.toLowerCase() ?? '');

function dropSpace(line: PhrasingContent[], index: number): void {
  const node = line[index];
  if (node?.type === 'text' && node.value.trim() === '') {
    line.splice(index, 1);
  } else if (node?.type === 'break') {
    line.splice(index, 1);
  }
}
