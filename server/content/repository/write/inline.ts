import { posix } from 'node:path';
import { folderOf } from '../files.ts';

const entityLike = /&(?=#?\w{1,32};)/g;
const markup = /[\\`*_[\]<]/g;
// Characters with a special meaning at the start of an item: markers of blocks, and the number of a list.
const blockStart = /^(?:[#+\-=>~:|]|\d{1,9}(?=[.)]))/;
const plainAddress = /^[^\s<>()\\&\p{Cc}]+$/u;
const unsafeInPath = /[%\s#?()<>"\\&`[\]\p{Cc}]/gu;
const unsafeInText = /[%#?\\\p{Cc}]|^\s|\s$/gu;
const schemeLike = /^[a-z][a-z0-9+.-]*:/i;

/** Formats a title as Markdown that displays it literally, in a heading or as the text of a link. */
export function inlineText(title: string): string {
  return title
    .replace(markup, '\\$&')
    .replace(entityLike, '\\&')
    .replace(/(?<=^| )(#+)$/, '\\$1');
}

/** Formats a title as the text of an item, which must not start another kind of block. */
export function itemText(title: string): string {
  const text = inlineText(title);
  return text.replace(blockStart, (start) => (/^\d/.test(start) ? `${start}\\` : `\\${start}`));
}

/** Formats a URL as the target of a link (CommonMark, section 6.3), unchanged for readers. */
export function addressTarget(address: string): string {
  if (plainAddress.test(address)) {
    return address;
  }
  const escaped = address
    .replace(/[<>\\]/g, '\\$&')
    .replace(entityLike, '\\&')
    .replace(/[\r\n]/g, encoded);
  return `<${escaped}>`;
}

/** Formats a file as a path in another file, as authors write it: only characters that would change it are encoded. */
export function plainPath(path: string, from: string): string {
  const relative = posix.relative(posix.join('/', folderOf(from)), posix.join('/', path));
  const target = relative.replace(unsafeInText, encoded);
  return schemeLike.test(target) ? `./${target}` : target;
}

/** Formats a file as the target of a link in another file; both paths start at the root. */
export function pathTarget(path: string, from: string): string {
  const relative = posix.relative(posix.join('/', folderOf(from)), posix.join('/', path));
  const target = relative.replace(unsafeInPath, encoded);
  return schemeLike.test(target) ? `./${target}` : target;
}

/** Formats an anchor as the fragment of a link's target. */
export function anchorTarget(anchor: string): string {
  return anchor.replace(unsafeInPath, encoded);
}

function encoded(character: string): string {
  return Array.from(
    Buffer.from(character),
    (byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`,
  ).join('');
}
