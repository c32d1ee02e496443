/** Prints lines of a document as HTML: text with marks, and inlines. */
import type { AddressOf, Block, Inline, InlineNode, Leaf, Reference } from '../document.ts';
import { mentionLabel } from '../document.ts';
import { escapeHtml, htmlOpen, NOTE_LINK } from '../html.ts';
import { markTags } from '../marks.ts';

/** The targets and notes of the printed HTML. */
export interface HtmlTargets {
  addressOf: AddressOf;
  /** Returns the label of a note, and adds its definition to the page. */
  noteLabel(body: Block[]): string;
}

/** Prints a line as HTML. */
export function htmlLine(nodes: readonly InlineNode[], targets: HtmlTargets): string {
  return nodes
    .map((node) => (node.object === 'text' ? node.leaves.map(htmlLeaf).join('') : htmlInline(node, targets)))
    .join('');
}

function htmlLeaf(leaf: Leaf): string {
  if (leaf.raw) {
    return leaf.text;
  }
  const tags = leaf.marks.map(markTags);
  const text = escapeHtml(leaf.text).replace(/\n/g, '<br>');
  return (
    tags.map(({ open }) => open).join('') +
    text +
    tags
      .map(({ close }) => close)
      .reverse()
      .join('')
  );
}

function htmlInline(node: Inline, targets: HtmlTargets): string {
  switch (node.type) {
    case 'link': {
      const { ref, title } = node.data;
      return `${htmlOpen('a', [
        ['href', targets.addressOf(ref)],
        ['title', title],
      ])}${htmlLine(node.nodes, targets)}</a>`;
    }
    case 'annotation': {
      const label = targets.noteLabel(node.data.body);
      return `${noteOpen(label)}${node.nodes.length > 0 ? htmlLine(node.nodes, targets) : escapeHtml(label)}</a>`;
    }
    case 'emoji':
      return `:${node.data.code}:`;
    case 'span':
      return `${spanOpen(node)}${htmlLine(node.nodes, targets)}</span>`;
    case 'inline-math':
      return `$$${node.data.formula.replace(/&/g, '&#x26;').replace(/</g, '&#x3C;')}$$`;
    default: {
      const [open, text, close] = elementParts(node, targets.addressOf);
      return open + escapeHtml(text) + close;
    }
  }
}

/** Returns the start tag of a text with a note. */
export const noteOpen = (label: string): string =>
  htmlOpen('a', [
    ['data-footnote-ref', ''],
    ['href', `${NOTE_LINK}${label}`],
  ]);

/** Returns the start tag, text and end tag of an inline that is also an element in Markdown. */
export function elementParts(
  node: Exclude<Inline, { type: 'link' | 'annotation' | 'emoji' | 'inline-math' | 'span' }>,
  addressOf: AddressOf,
): [open: string, text: string, close: string] {
  switch (node.type) {
    case 'icon': {
      const { icon, color } = node.data;
      const style = color === undefined ? undefined : `color:${color};`;
      return [
        `${htmlOpen('i', [
          ['class', `fa-${icon}`],
          ['style', style],
        ])}:${icon}:</i>`,
        '',
        '',
      ];
    }
    case 'expression':
      return ['<code class="expression">', node.data.expression, '</code>'];
    case 'inline-image': {
      const { ref, refDark, alt, title, size, attributes } = node.data;
      const img = htmlOpen('img', [
        ['src', addressOf(ref)],
        ['alt', alt ?? ''],
        ['title', title],
        ['data-size', size],
        ...Object.entries(attributes ?? {}),
      ]);
      return [picture(img, refDark, addressOf), '', ''];
    }
    case 'anchor':
      return [`${htmlOpen('a', [['id', node.data.id]])}</a>`, '', ''];
    case 'comment':
      return [htmlComment(node.data.text.replace(/\n\s*\n/g, '\n')), '', ''];
    case 'tag': {
      const { name, content } = node.data;
      return ['', `{% ${content === undefined ? name : `${name} ${content}`} %}`, ''];
    }
    case 'mention': {
      const address = addressOf(node.data.ref);
      return [
        `<a data-mention href="${htmlOpen('', [['', address]]).slice(4, -2)}">`,
        node.data.label ?? mentionLabel(address),
        '</a>',
      ];
    }
    case 'button': {
      const { ref, kind, icon, label, attributes } = node.data;
      const name = ref ? 'a' : 'button';
      const knownAttributes: [string, string | undefined][] = [
        ['href', ref && addressOf(ref)],
        ['type', ref ? undefined : 'button'],
        ['class', `button ${kind}`],
        ['data-icon', icon],
      ];
      return [htmlOpen(name, [...knownAttributes, ...Object.entries(attributes ?? {})]), label, `</${name}>`];
    }
  }
}

/** Prints an image with its variant for dark themes. */
export function picture(img: string, refDark: Reference | undefined, addressOf: AddressOf): string {
  if (!refDark) {
    return img;
  }
  const dark = htmlOpen('source', [
    ['srcset', addressOf(refDark)],
    ['media', '(prefers-color-scheme: dark)'],
  ]);
  return `<picture>${dark}${img}</picture>`;
}

/** Returns the start tag of a text with attributes. */
export function spanOpen({ data: { option, attributes } }: Extract<Inline, { type: 'span' }>): string {
  return htmlOpen('span', [['data-option', option], ...Object.entries(attributes ?? {})]);
}

/** Prints a comment. */
export const htmlComment = (text: string): string => `<!-- ${text.replaceAll('-->', '--&gt;')} -->`;
