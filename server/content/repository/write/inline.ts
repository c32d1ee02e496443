import { posix } from 'node:path';
import { folderOf } from '../files.ts';

const ENTITY_LIKE = /&(?=#?\w{1,32};)/g;
const MARKUP = /[\\`*_[\]<]/g;
// Characters with a special meaning at the start of an item: markers of blocks, and the number of a list.
const BLOCK_START = /^(?:[#+\-=>~:|]|\d{1,9}(?=[.)]))/;
const PLAIN_ADDRESS = /^[^\s<>()\\&\p{Cc}]+$/u;
const UNSAFE_IN_PATH = /[%\s#?()<>"\\&`[\]\p{Cc}]/gu;
const UNSAFE_IN_TEXT = /[%#?\\\p{Cc}]|^\s|\s$/gu;
const SCHEME_LIKE = /^[a-z][a-z0-9+.-]*:/i;

/** Formats a title as Markdown that displays it literally, in a heading or as the text of a link. */
export function inlineText(title: string): string {
  return title
    .replace(MARKUP, '\\$&')
    .replace(ENTITY_LIKE, '\\&')
    .replace(/(?<=^| )(#+)$/, '\\$1');
}

/** Formats a title as the text of an item, which must not start another kind of block. */
export function itemText(title: string): string {
  const text = inlineText(title);
  return text.replace(BLOCK_START, (start) => (/^\d/.test(start) ? `${start}\\` : `\\${start}`));
}

/** Formats a URL as the target of a link (CommonMark, section 6.3), unchanged for readers. */
export function addressTarget(address: string): string {
  if (PLAIN_ADDRESS.test(address)) {
    return address;
  }
  const escaped = address
    .replace(/[<>\\]/g, '\\$&')
    .replace(ENTITY_LIKE, '\\&')
    .replace(/[\r\n]/g, encoded);
  return `<${escaped}>`;
}

/** Formats a file as a path in another file, as authors write it: only characters that would change it are encoded. */
export function plainPath(path: string, from: string): string {
  const relative = posix.relative(posix.join('/', folderOf(from)), posix.join('/', path));
  const target = relative.replace(UNSAFE_IN_TEXT, encoded);
  return SCHEME_LIKE.test(target) ? `./${target}` : target;
}

/** Formats a file as the target of a link in another file; both paths start at the root. */
export function pathTarget(path: string, from: string): string {
  const relative = posix.relative(posix.join('/', folderOf(from)), posix.join('/', path));
  const target = relative.replace(UNSAFE_IN_PATH, encoded);
  return SCHEME_LIKE.test(target) ? `./${target}` : target;
}

/** Formats an anchor as the fragment of a link's target. */
export function anchorTarget(anchor: string): string {
  return anchor.replace(UNSAFE_IN_PATH, encoded);
}

function encoded(character: string): string {
  return Array.from(
    Buffer.from(character),
    (byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`,
  ).join('');
}
