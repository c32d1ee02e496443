import { isUtf8 } from 'node:buffer';
import sniffEncoding from 'html-encoding-sniffer';
import { withoutNul } from '../repository/text.ts';

/**
 * Decodes an HTML document. The encoding is determined as in browsers (HTML, "Determining the character encoding"):
 * by the byte-order mark, the response header or the document. Otherwise it is UTF-8 if the bytes are valid UTF-8,
 * else Windows-1252.
 *
 * @param charset of the response
 */
export function decodeHtmlBytes(bytes: Uint8Array, charset?: string): string {
  const defaultEncoding = isUtf8(bytes) ? 'UTF-8' : 'windows-1252';
  const encoding = sniffEncoding(bytes, { transportLayerEncodingLabel: charset, defaultEncoding });
  // Browsers do not decode documents that declare an encoding of this group.
  const decoder = new TextDecoder(encoding === 'replacement' ? defaultEncoding : encoding);
  return withoutNul(decoder.decode(bytes));
}
