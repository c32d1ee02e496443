import { isUtf8 } from 'node:buffer';
import sniffEncoding from 'html-encoding-sniffer';
import { withoutNul } from '../repository/text.ts';

/**
 * The text of an HTML document. Its encoding is determined as browsers do (HTML, "Determining the character
 * encoding"): by the byte-order mark, else the header of the response, else the document. A document without any of
 * them is UTF-8 if it is valid as such, else Windows-1252.
 *
 * @param charset of the response that the bytes come from
 */
export function decodeHtmlBytes(bytes: Uint8Array, charset?: string): string {
  const defaultEncoding = isUtf8(bytes) ? 'UTF-8' : 'windows-1252';
  const encoding = sniffEncoding(bytes, { transportLayerEncodingLabel: charset, defaultEncoding });
  // Browsers decode nothing that is declared in the encodings of this group.
  const decoder = new TextDecoder(encoding === 'replacement' ? defaultEncoding : encoding);
  return withoutNul(decoder.decode(bytes));
}
