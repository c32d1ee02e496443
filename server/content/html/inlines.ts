/** Renders the inline nodes of a document. */
import { idOfInline } from '../markdown/anchors/walk.ts';
import type { Annotation, AnyBlock, Inline, InlineNode, Leaf } from '../markdown/document.ts';
import { emojiText } from '../markdown/icons.ts';
import { textWithin } from '../markdown/text-within.ts';
import { paletteColor } from './colors.ts';
import { generatedId, linkAttributes, mentionTitle, type RenderContext, targetOf } from './context.ts';
import { renderAnchor } from './headings.ts';
import { iconHtml, labelHtml } from './icons.ts';
import { inlineImage } from './images.ts';
import { type Attributes, type ElementName, EMPTY, element, type Html, join, text } from './markup.ts';
import { renderFormula } from './math.ts';

type Mark = Leaf['marks'][number];

const MARK_ELEMENTS = {
  bold: 'strong',
  italic: 'em',
  code: 'code',
  keyboard: 'kbd',
  strikethrough: 'del',
  underline: 'u',
  superscript: 'sup',
  subscript: 'sub',
} as const satisfies Record<Exclude<Mark['type'], 'color'>, ElementName>;

/** Renders inline nodes. */
export function renderInlines(context: RenderContext, nodes: readonly InlineNode[]): Html {
  const markup = join(
    nodes.map((node) =>
      node.object === 'text' ? join(node.leaves.map(renderLeaf)) : renderInline(context, node),
    ),
  );
  context.page.characters += markup.length;
  return markup;
}

function renderLeaf(leaf: Leaf): Html {
  const parts = leaf.text.split('\n').map(text);
  let markup = join(parts.flatMap((part, at) => (at > 0 ? [element('br', {}), part] : [part])));
  if (leaf.raw) {
    markup = element('code', { class: 'raw' }, markup);
  }
  for (const mark of leaf.marks.toReversed()) {
    markup = renderMark(mark, markup);
  }
  return markup;
}

function renderMark(mark: Mark, content: Html): Html {
  if (mark.type !== 'color') {
    return Object.hasOwn(MARK_ELEMENTS, mark.type) ? element(MARK_ELEMENTS[mark.type], {}, content) : content;
  }
  const [color, background] = [paletteColor(mark.data.text), paletteColor(mark.data.background)];
  const classes = [...(color ? [`color-${color}`] : []), ...(background ? [`background-${background}`] : [])];
  return classes.length === 0
    ? content
    : element(background ? 'mark' : 'span', { class: classes.join(' ') }, content);
}

/** Renders a link; only its content inside another link, and without a target. */
export function renderLink(
  context: RenderContext,
  attributes: Pick<Attributes, 'href' | 'class' | 'title' | 'target' | 'rel'>,
  content: (inner: RenderContext) => Html,
): Html {
  if (attributes.href === undefined || context.isInteractive) {
    return content(context);
  }
  return element('a', attributes, content({ ...context, isInteractive: true }));
}

function renderInline(context: RenderContext, node: Inline): Html {
  const { data } = node;
  switch (node.type) {
    case 'link': {
      const target = targetOf(context, node.data.ref);
      const attributes = { ...linkAttributes(context, target), title: node.data.title };
      return renderLink(context, attributes, (inner) => {
        const content = renderInlines(inner, node.nodes);
        return content.trim() === '' ? text(target.title) : content;
      });
    }
    case 'emoji':
      return text(emojiText(node.data.code));
    case 'icon':
      return iconHtml(context.page, node.data.icon, node.data.color);
    case 'expression':
      return element('code', {}, text(node.data.expression));
    case 'inline-math':
      return renderFormula(context, node.data.formula, false);
    case 'inline-image':
      return inlineImage(context, node.data);
    case 'annotation':
      return renderAnnotation(context, node, (inner) => renderInlines(inner, node.nodes));
    case 'span':
      return join([
        renderAnchor(context, idOfInline(node)),
        node.data.option === undefined
          ? renderInlines(context, node.nodes)
          : element('span', { class: 'option' }, renderInlines(context, node.nodes)),
      ]);
    case 'anchor':
      return renderAnchor(context, node.data.id);
    case 'mention': {
      const target = targetOf(context, node.data.ref);
      const title = mentionTitle(context, node.data);
      const name = title === '' ? EMPTY : join([labelHtml(context.page, target), text(title)]);
      const attributes = { ...linkAttributes(context, target), class: 'mention' };
      return target.url === undefined
        ? element('span', { class: 'mention' }, name)
        : renderLink(context, attributes, () => name);
    }
    case 'button':
      return renderButton(context, node.data);
    case 'comment':
    case 'tag':
      return EMPTY;
    default:
      return text(textWithin(data));
  }
}

/**
 * Renders a text with a note. The note opens without a script, and follows the last block of the page, because it
 * contains blocks.
 *
 * @param content renders the text
 */
export function renderAnnotation(
  context: RenderContext,
  { data: { body } }: Annotation,
  content: (context: RenderContext) => Html,
): Html {
  const { page } = context;
  if (context.isInteractive) {
    page.notes.push(element('aside', { class: 'note' }, renderNote(context, body)));
    return content(context);
  }
  const id = generatedId(page, 'note');
  const note = renderNote(context, body);
  page.notes.push(element('aside', { class: 'note', id, popover: '', 'aria-label': page.labels.note }, note));
  const inner = content({ ...context, isInteractive: true });
  return element('button', { type: 'button', class: 'annotation', popovertarget: id }, inner);
}

/** Renders the blocks of a note, which are not next to the text that it belongs to. */
function renderNote(context: RenderContext, body: readonly AnyBlock[]): Html {
  const { page, depth } = context;
  const note = {
    ...context,
    direction: page.direction,
    isInteractive: false,
    isAside: true,
    depth: depth + 1,
  };
  return context.blocks(note, body);
}

function renderButton(context: RenderContext, data: Extract<Inline, { type: 'button' }>['data']): Html {
  const target = data.ref && targetOf(context, data.ref);
  const label = join([labelHtml(context.page, { icon: data.icon }), text(data.label)]);
  const attributes = { class: `button button-${data.kind === 'primary' ? 'primary' : 'secondary'}` };
  return target?.url === undefined || context.isInteractive
    ? element('span', attributes, label)
    : element('a', { ...attributes, ...linkAttributes(context, target) }, label);
}

/** Renders a mark that states whether something is done; people who cannot see it hear its name. */
export const checkbox = ({ page }: RenderContext, isChecked: boolean): Html =>
  element('span', {
    class: isChecked ? 'checkbox checkbox-checked' : 'checkbox',
    role: 'img',
    'aria-label': isChecked ? page.labels.done : page.labels.notDone,
  });
