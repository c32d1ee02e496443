import type { Fault } from '../errors.ts';
import { bodyFault, decode, unsafeText } from './buffered.ts';

/** Decodes and validates text. Returns undefined if it is invalid, after adding a fault. */
export async function parseText(
  chunks: readonly Buffer[],
  charset: string,
  check: (text: unknown) => Fault[],
  faults: Fault[],
): Promise<string | undefined> {
  const text = await decode(chunks, charset).catch(() => undefined);
  const reason = text === undefined ? `is not valid ${charset}` : unsafeText(text);
  if (reason !== undefined) {
    faults.push(bodyFault(reason));
    return undefined;
  }
  faults.push(...check(text));
  return text;
}

/** Returns whether texts in a charset can be decoded. */
export function isCharset(charset: string): boolean {
  try {
    return new TextDecoder(charset, { fatal: true }).encoding !== undefined;
  } catch {
    return false;
  }
}
