/** Prints the blocks of a document. */

import { textOfTag } from '../markdown/attributes.ts';
import { type AnyBlock, type Block, type InlineNode, MAX_INCLUDED_DEPTH } from '../markdown/document.ts';
import { findIcon } from '../markdown/icons.ts';
import { textWithin } from '../markdown/text-within.ts';
import { addAnchors } from './anchors.ts';
import { printApiBlock, printOperationLine } from './api.ts';
import { printCaption, printImage } from './blocks/image.ts';
import { CODE, codeSpans, printCode, SMALL } from './code.ts';
import { alignedSpans, directionOfBlock } from './document/direction.ts';
import { destinationOf } from './document/entries.ts';
import { BLOCK_GAP_POINTS, BODY, BOTTOM_POINTS, INK, MARGIN } from './flow.ts';
import { iconBox } from './icons.ts';
import { formulaSpans, itemMark, labelSpans, nameSpan, type PageContext, span, spansOf } from './inlines.ts';
import type { TextStyle } from './lines.ts';
import { printTable } from './table.ts';
import type { Tag } from './tags/tags.ts';

const HEADINGS = { 'heading-1': 18, 'heading-2': 14, 'heading-3': 11.5 } as const;
const STRONG: TextStyle = { ...BODY, bold: true };
/** Indentation of the content of a list or frame. */
const INDENT_POINTS = 18;

/** Space between the mark of a list item and its content. */
const MARK_GAP_POINTS = 5;
/** Indentation of the content of a hint, which its icon is in. */
const HINT_INDENT_POINTS = 26;

const HINTS = {
  info: { bar: '#0969da', shade: '#f0f6ff', icon: 'circle-info' },
  success: { bar: '#1a7f37', shade: '#effaf1', icon: 'circle-check' },
  warning: { bar: '#9a6700', shade: '#fff8e6', icon: 'triangle-exclamation' },
  danger: { bar: '#cf222e', shade: '#fff0ef', icon: 'circle-exclamation' },
} as const;

/**
 * Prints blocks one below the other. If a block cannot be printed, its text is printed instead, so that the rest of
 * the page is not affected.
 */
export async function printBlocks(context: PageContext, blocks: readonly AnyBlock[]): Promise<void> {
  for (const [at, block] of blocks.filter(isPrinted).entries()) {
    if (at > 0) {
      context.flow.space();
    }
    await context.pause();
    try {
      const direction = directionOfBlock(block, context.flow.direction);
      const print = () => printBlock(context, block);
      const tag = TAGS[block.type];
      await context.flow.inDirection(direction, () => (tag ? context.flow.tagged(tag, print) : print()));
    } catch (error) {
      context.failed(error, `the ${block.type} block ${'key' in block ? (block.key ?? '') : ''}`.trim());
      context.flow.text([span(textWithin(block))]);
    }
  }
}

/** Elements of the structure of the document. Other blocks contain elements, or are paragraphs. */
const TAGS: Partial<Record<AnyBlock['type'], Tag>> = {
  paragraph: 'P',
  'heading-1': 'H2',
  'heading-2': 'H3',
  'heading-3': 'H4',
  'list-ordered': 'L',
  'list-unordered': 'L',
  'list-tasks': 'L',
  blockquote: 'BlockQuote',
  hint: 'Div',
  file: 'P',
  drawing: 'P',
  embed: 'P',
  'content-ref': 'P',
  code: 'Code',
  'code-line': 'Code',
  math: 'Formula',
  expandable: 'Div',
  'tabs-item': 'Div',
  'stepper-step': 'Div',
  update: 'Div',
  prompt: 'Div',
  swagger: 'Div',
  'openapi-operation': 'Div',
  'openapi-webhook': 'Div',
  'openapi-schemas': 'Div',
};

/** Returns whether a block is visible. A tag that the contract does not define consists of its values and content. */
const isPrinted = (block: AnyBlock): boolean =>
  block.type !== 'comment' &&
  (block.type !== 'tag' || block.nodes.some(isPrinted) || textOfTag(block.data) !== '');

async function printBlock(context: PageContext, block: AnyBlock): Promise<void> {
  const { flow } = context;
  const inner = (blocks: readonly AnyBlock[]) => printBlocks(context, blocks);
  const inline = async (nodes: readonly InlineNode[], style?: TextStyle) =>
    flow.text(await spansOf(context, nodes, style));
  addAnchors(context, block);
  switch (block.type) {
    case 'paragraph':
      return (await printOperationLine(context, block))
        ? undefined
        : flow.text(await spansOf(context, block.nodes), { align: block.data.align });
    case 'heading-1':
    case 'heading-2':
    case 'heading-3':
      return await printHeading(context, block);
    case 'list-ordered':
    case 'list-unordered':
    case 'list-tasks':
      return await printList(context, block);
    case 'divider':
      return flow.place(BLOCK_GAP_POINTS, (x, y) => {
        flow.artifact(() => flow.doc.rect(x, y + BLOCK_GAP_POINTS / 2, flow.width, 0.7).fill(INK.rule));
      });
    case 'blockquote':
      return await flow.within(12, { bar: INK.rule }, () => inner(block.nodes));
    case 'hint':
      return await printHint(context, block);
    case 'images':
      return await inner(block.nodes);
    case 'image':
      return await printImage(context, block);
    case 'file':
    case 'drawing':
      flow.text([nameSpan(context, block.data.ref)]);
      return await printCaption(context, block.data.caption);
    case 'embed':
      flow.text([nameSpan(context, { kind: 'url', url: block.data.url })]);
      return await printCaption(context, block.data.caption);
    case 'content-ref': {
      const name = nameSpan(context, block.data.ref);
      const title = block.data.title ? await spansOf(context, block.data.title) : [];
      const link = name.link && { link: name.link };
      return flow.text(title.length > 0 ? title.map((titleSpan) => ({ ...titleSpan, ...link })) : [name]);
    }
    case 'code':
      return await printCode(context, block);
    case 'code-line':
      return flow.text(codeSpans(block));
    case 'math':
      return flow.text(
        (await formulaSpans(context, block.data.formula, true)) ?? [span(block.data.formula, CODE)],
        {
          align: 'center',
        },
      );
    case 'expandable':
      await inline(block.data.title, STRONG);
      flow.space(TITLE_GAP_POINTS);
      return await flow.within(INDENT_POINTS, {}, () => inner(block.data.body));
    case 'tabs':
    case 'stepper':
    case 'columns':
    case 'column':
    case 'updates':
      return await inner(block.nodes);
    case 'tabs-item':
      flow.text([...labelSpans(block.data, STRONG), span(block.data.title, STRONG)]);
      flow.space(TITLE_GAP_POINTS);
      return await flow.within(12, { bar: INK.rule }, () => inner(block.nodes));
    case 'stepper-step':
      return await flow.within(12, { bar: INK.rule }, () => inner(block.nodes));
    case 'update':
      flow.text([span([block.data.date, ...(block.data.tags ?? [])].join(' · '), STRONG)]);
      flow.space(TITLE_GAP_POINTS);
      return await inner(block.nodes);
    case 'prompt':
      if (block.data.description !== undefined) {
        flow.text([...labelSpans(block.data, STRONG), span(block.data.description, STRONG)]);
      }
      flow.space(TITLE_GAP_POINTS);
      return await flow.within(12, { shade: INK.shade }, () => inner(block.nodes));
    case 'tag': {
      const values = textOfTag(block.data);
      if (values !== '') {
        flow.text([span(values, SMALL)]);
      }
      if (values !== '' && block.nodes.some(isPrinted)) {
        flow.space(TITLE_GAP_POINTS);
      }
      return await inner(block.nodes);
    }
    case 'if':
      return await inner(block.nodes);
    case 'table':
      return await printTable(context, block);
    case 'list-item':
      return await inner(block.nodes);
    case 'reusable-content': {
      const nodes =
        context.included < MAX_INCLUDED_DEPTH ? context.body.included?.(block.data.ref) : undefined;
      if (!nodes) {
        return flow.text([nameSpan(context, block.data.ref)]);
      }
      return await printBlocks({ ...context, included: context.included + 1 }, nodes);
    }
    case 'swagger':
    case 'openapi-operation':
    case 'openapi-webhook':
    case 'openapi-schemas':
      return await printApiBlock(context, block);
    default:
      // Parts of specifications, blocks of integrations and unknown types: the text in them.
      return flow.text([span(textWithin(block.data))]);
  }
}

/** Space between a title and its content. */
const TITLE_GAP_POINTS = 4;

async function printHint(context: PageContext, block: Extract<Block, { type: 'hint' }>): Promise<void> {
  const { flow } = context;
  const { icon: usual, ...frame } = HINTS[block.data.style] ?? HINTS.info;
  const icon = findIcon(block.data.icon ?? '') ?? findIcon(usual);
  await flow.within(HINT_INDENT_POINTS, frame, async () => {
    if (icon) {
      const box = iconBox(icon, BODY.size, frame.bar);
      flow.onNextLine((y) => {
        const x = flow.direction === 'rtl' ? flow.right + 4 : flow.left - box.width - 4;
        flow.artifact(() => box.draw(flow.doc, x, y + BODY.size * 1.05));
      });
    }
    await printBlocks(context, block.nodes);
  });
}

async function printHeading(
  context: PageContext,
  block: Extract<Block, { type: keyof typeof HEADINGS }>,
): Promise<void> {
  const { flow, anchors } = context;
  const size = HEADINGS[block.type];
  const spans = await spansOf(context, block.nodes, { ...BODY, size, bold: true });
  const text = spans.map((part) => part.text).join('');
  const anchor = anchors.next(block)?.id ?? anchors.unique(text);
  flow.space(size);
  // Requires space for two more lines, so that no heading is alone at the bottom of a page.
  flow.addDestination(
    destinationOf(context.id, anchor),
    Math.min(size * 1.45 + 40, BOTTOM_POINTS - MARGIN.top),
  );
  flow.text(spans, { align: block.data.align });
}

async function printList(
  context: PageContext,
  block: Extract<Block, { type: 'list-ordered' | 'list-unordered' | 'list-tasks' }>,
): Promise<void> {
  const { flow } = context;
  const first = block.data.start ?? 1;
  for (const [at, item] of block.nodes.entries()) {
    const number = block.type === 'list-ordered' ? `${first + at}.` : '•';
    const [mark] = flow.lines([span(itemMark(item.data.checked) ?? number)], 100);
    if (at > 0) {
      flow.space(2);
    }
    const indent = Math.max(INDENT_POINTS, (mark?.width ?? 0) + MARK_GAP_POINTS);
    const left = flow.startOf(indent - MARK_GAP_POINTS);
    const align = block.type === 'list-ordered' ? 'end' : 'start';
    let isDrawn = mark === undefined;
    const closeItem = flow.open('LI');
    const label = flow.reserve('Lbl');
    if (mark) {
      flow.onNextLine((y) => {
        label(() => flow.lineAt(mark, left, y, indent - MARK_GAP_POINTS, align));
        isDrawn = true;
      });
    }
    await flow.within(indent, {}, async () => {
      await flow.tagged('LBody', () => printItem(context, item.nodes));
      // Otherwise, the mark would be drawn over the next line.
      if (!isDrawn) {
        flow.text([span('')]);
      }
    });
    closeItem();
  }
}

/** Prints the content of a list item. Its first block starts at the height of the mark. */
async function printItem(context: PageContext, blocks: readonly AnyBlock[]): Promise<void> {
  const [first, ...rest] = blocks;
  if (first?.type !== 'paragraph') {
    if (
      !first ||
      first.type === 'list-ordered' ||
      first.type === 'list-unordered' ||
      first.type === 'list-tasks'
    ) {
      context.flow.text([span('')]);
    }
    return await printBlocks(context, blocks);
  }
  const spans = alignedSpans(await spansOf(context, first.nodes), context.flow.direction);
  context.flow.text(spans, { align: first.data.align });
  for (const block of rest) {
    context.flow.space(block.type.startsWith('list') ? 2 : BLOCK_GAP_POINTS);
    await printBlocks(context, [block]);
  }
}
