import { createHash } from 'node:crypto';
import { kindsOf, type Schema, type SchemaSet } from '../../model/schema/schema.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
/** Minimum integer identifier that is assumed to be unused. */
const MIN_UNUSED_INTEGER = 2 ** 31 - 10_000;
/** Minimum length of a text that is assumed to be unused. */
const MIN_UNUSED_LENGTH = 20;
const ALPHABET = 'abcdefghijklmnopqrstuvwxyz';

/** Text that identifies no resource, as a part of invalid identifiers. */
export const UNUSED_TEXT = 'unknownunknownunknownxyz';

/** Number that identifies no resource, as the start of invalid identifiers. */
export const UNUSED_NUMBER = '2147483640';

/** Texts that are no integers. A lenient parser reads only unused numbers from them. */
export const INVALID_UNUSED_INTEGERS: readonly string[] = [
  '2147483640.2147483641',
  ' 2147483640',
  '+2147483640',
  '2147483640x',
  '2147483640e2147483641',
  '2147483640,2147483641',
  '2147483640%zz',
];

/** Identifiers of a parameter: numbers, texts, or texts that may be numbers. */
export type IdentifierKind = 'number' | 'text' | 'either';

/** Returns the kind of identifiers that a schema permits. */
export function identifierKindOf(schemas: SchemaSet, schema: Schema): IdentifierKind {
  const kinds = kindsOf(schemas.flat(schema)).filter((kind) => kind !== 'null');
  if (kinds.length > 0 && kinds.every((kind) => kind === 'integer' || kind === 'number')) {
    return 'number';
  }
  return schemas.accepts(schema, '1') || schemas.accepts(schema, 1) ? 'either' : 'text';
}

/**
 * Returns whether a text cannot identify an existing resource, also if a server reads it leniently: decodes it again,
 * ignores case, spaces and signs, splits lists and extensions, or reads only leading digits, and 0 without any.
 */
export function isUnused(text: string, kind: IdentifierKind): boolean {
  const plain = decoded(decoded(text)).normalize('NFKC').trim();
  if (UUID.test(plain) && kind !== 'number') {
    return true;
  }
  const parts = plain.split(/[\s,;|?#/\\.]/).filter((part) => part !== '');
  return parts.length > 0 && parts.every((part) => isUnusedPart(part, kind));
}

function isUnusedPart(part: string, kind: IdentifierKind): boolean {
  const leading = /^[+-]?(\d+)/.exec(part)?.[1];
  const isLarge = leading !== undefined && isUnusedNumber(leading);
  if (kind === 'number' || /^[\P{L}e]*$/iu.test(part)) {
    return isLarge;
  }
  return part.length >= MIN_UNUSED_LENGTH && (kind === 'text' || leading === undefined || isLarge);
}

/** Returns whether a number is large, also after it overflows 32 bits. */
function isUnusedNumber(digits: string): boolean {
  const number = Number(BigInt.asIntN(32, BigInt(digits)));
  return Math.abs(number) >= MIN_UNUSED_INTEGER;
}

/** Replaces percent-encoded characters; leaves invalid sequences unchanged. */
const decoded = (text: string): string =>
  text.replaceAll(/(%[0-9a-f]{2})+/gi, (encoded) => {
    try {
      return decodeURIComponent(encoded);
    } catch {
      return encoded;
    }
  });

/** Returns an identifier that no resource has, of the type of a value. The same value results in the same identifier. */
export function unusedLike(value: string | number): string | number {
  const digest = createHash('sha256').update(String(value)).digest();
  if (typeof value === 'number') {
    return MIN_UNUSED_INTEGER + (digest.readUInt32LE() % 9_999);
  }
  return [...digest.subarray(0, 24)].map((byte) => ALPHABET[byte % ALPHABET.length]).join('');
}
