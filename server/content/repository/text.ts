import type { Nodes } from 'mdast';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { isTooCostly } from '../markdown/limits.ts';

// A longer text is not a plausible title and is left unchanged.
const MAX_TITLE_CHARACTERS = 2_048;
const MARKUP = /[\\`*_[\]<>&~!$]/;

/**
 * Decodes the text of a file: UTF-8, newlines as `\n`, without a byte-order mark, and with U+FFFD for NUL as required
 * by CommonMark (section 2.3), because not every database can store NUL.
 */
export function decodeText(bytes: Uint8Array): string {
  let text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
  if (text.startsWith('\uFEFF')) {
    text = text.slice(1);
  }
  if (text.includes('\r')) {
    text = text.replace(/\r\n?/g, '\n');
  }
  return withoutNul(text);
}

/** Replaces NUL by U+FFFD. */
export function withoutNul(text: string): string {
  return text.includes('\0') ? text.replaceAll('\0', '\uFFFD') : text;
}

/** Returns the visible text of inline Markdown: without markup, with escapes and entities resolved. */
export function plainText(markdown: string): string {
  const readable = MARKUP.test(markdown) && markdown.length <= MAX_TITLE_CHARACTERS && !isTooCostly(markdown);
  return collapse(readable ? nodeText(fromMarkdown(`# ${markdown}`)) : markdown);
}

/** Returns the visible text of a node; HTML has none. */
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

/** Replaces white space by single spaces, and removes it at both ends; also removes zero-width spaces. */
export function collapse(text: string): string {
  return text.replace(/[\s\u200B\u2060\uFEFF]+/g, ' ').trim();
}

/** Creates a title from a file or folder name: `getting-started.md` becomes "Getting started". */
export function titleFromName(name: string): string {
  const words = collapse(name.replace(/\.(?:md|markdown)$/i, '').replace(/[-_]+/g, ' '));
  return words === '' ? 'Untitled' : words.charAt(0).toUpperCase() + words.slice(1);
}
