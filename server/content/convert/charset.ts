import { withoutNul } from '../repository/text.ts';

/** How far into a document its own word about its charset is looked for, in bytes (HTML, "prescan"). */
const PRESCAN = 1024;

/**
 * The text of an HTML document: by its byte-order mark, else by what the answer said, else by what the document
 * says itself, else UTF-8 where it is that and Windows-1252 where it is not. Source: HTML, "Determining the
 * character encoding".
 *
 * @param told the charset that came along with the bytes
 */
export function decodeHtmlBytes(bytes: Uint8Array, told?: string): string {
  const label = markOf(bytes) ?? known(told) ?? known(declaredIn(bytes));
  return withoutNul(label === undefined ? guessed(bytes) : new TextDecoder(label).decode(bytes));
}

function markOf(bytes: Uint8Array): string | undefined {
  const [first, second, third] = bytes;
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  return first === 0xff && second === 0xfe ? 'utf-16le' : undefined;
}

function declaredIn(bytes: Uint8Array): string | undefined {
  const start = Buffer.from(bytes.subarray(0, PRESCAN)).toString('latin1');
  const label = /<meta[^>]{0,500}?charset\s*=\s*["']?\s*([\w:.-]+)/i.exec(start)?.[1];
  // A document whose declaration can be read this way is not in UTF-16, whatever it says.
  return label && /^utf-16/i.test(label) ? 'utf-8' : label;
}

/** The name of a charset that can be decoded. */
function known(label: string | undefined): string | undefined {
  if (label === undefined) return undefined;
  try {
    return new TextDecoder(label).encoding;
  } catch {
    return undefined;
  }
}

function guessed(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}
