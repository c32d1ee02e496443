import type { Nodes } from 'mdast';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { isTooCostly } from '../markdown/limits.ts';

const zeroWidth = '\uFEFF\u200B\u200C\u200D\u2060';
const zeroWidthAtLineStart = new RegExp(`^([ \\t]*)[${zeroWidth}]+`, 'gm');
const anyZeroWidth = new RegExp(`[${zeroWidth}]`);
// What is longer is no title that anybody wrote, and stays as it is.
const longestTitle = 2_048;
const markup = /[\\`*_[\]<>&~!$]/;

/**
 * The text of a file: UTF-8, newlines as `\n`, no byte-order mark, and U+FFFD for NUL as CommonMark wants it
 * (section 2.3), which no database has to store then.
 */
export function decodeText(bytes: Uint8Array): string {
  let text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
  if (text.startsWith('\uFEFF')) text = text.slice(1);
  if (text.includes('\r')) text = text.replace(/\r\n?/g, '\n');
  return withoutNul(text);
}

/** U+FFFD for NUL. */
export function withoutNul(text: string): string {
  return text.includes('\0') ? text.replaceAll('\0', '\uFFFD') : text;
}

/** Takes away the invisible characters that editors and copied text leave before a line's first visible one. */
export function withoutZeroWidth(text: string): string {
  return anyZeroWidth.test(text) ? text.replace(zeroWidthAtLineStart, '$1') : text;
}

/** What a reader sees of a piece of inline markdown: no markup, escapes and entities resolved. */
export function plainText(markdown: string): string {
  const readable = markup.test(markdown) && markdown.length <= longestTitle && !isTooCostly(markdown);
  return collapse(readable ? nodeText(fromMarkdown(`# ${markdown}`)) : markdown);
}

/** What a reader sees of a node; HTML has no text. */
export function nodeText(node: Nodes): string {
  switch (node.type) {
    case 'text':
    case 'inlineCode':
      return node.value;
    case 'image':
    case 'imageReference':
      return node.alt ?? '';
    case 'break':
      return ' ';
    default:
      return 'children' in node ? node.children.map(nodeText).join('') : '';
  }
}

/** One space for any run of white space, none at the ends, and no zero-width spaces. */
export function collapse(text: string): string {
  return text.replace(/[\s\u200B\u2060\uFEFF]+/g, ' ').trim();
}

/** A title made from a file or folder name: `getting-started.md` reads "Getting started". */
export function titleFromName(name: string): string {
  const words = collapse(name.replace(/\.(?:md|markdown)$/i, '').replace(/[-_]+/g, ' '));
  return words === '' ? 'Untitled' : words.charAt(0).toUpperCase() + words.slice(1);
}
