import type { OpenApiDocument } from '../../document.ts';
import { type Decode, INVALID_ENCODING } from './decode.ts';
import { memberOf, type RawValue } from './raw-value.ts';
import {
  itemType,
  type Kind,
  permitsList,
  permitsObject,
  permitsText,
  type ValueType,
} from './value-type.ts';

/** How one text contains the items of a list, or the properties of an object. */
export interface Separation {
  separator: string;
  /** Whether the separator is searched for in the decoded text. Otherwise, an encoded separator is part of a value. */
  isDecoded: boolean;
  /** Whether an equals sign is between a property and its value, instead of the separator. */
  hasEquals: boolean;
}

/** Styles with a separator that is encoded in a URL, so that it cannot be part of a value. */
const ENCODED_SEPARATORS: Readonly<Record<string, string>> = { spaceDelimited: ' ', pipeDelimited: '|' };
const EXPLODED_SEPARATORS: Readonly<Record<string, string>> = { label: '.', matrix: ';' };
/** Styles that put all items or properties in one text, also if they are exploded. */
const TEXT_STYLES: readonly string[] = ['simple', 'label', 'matrix'];

/** Types with texts that can contain a comma. */
const TEXT_KINDS: readonly Kind[] = ['string', 'array', 'object'];

interface Style {
  type: ValueType;
  style: string;
  explode: boolean;
}

interface DeclaredValue {
  type: ValueType;
  /** Names of the declared properties. */
  properties: ReadonlySet<string>;
}

/** Returns how a text of a style contains several values; undefined if it is a single one. */
export function separationOf(
  document: OpenApiDocument,
  { type, style, explode }: Style,
): Separation | undefined {
  const isSplit = TEXT_STYLES.includes(style) || (!explode && style !== 'deepObject');
  if (!isSplit || !(permitsList(type) || permitsObject(type))) {
    return undefined;
  }
  const encoded = ENCODED_SEPARATORS[style];
  const { kinds } = itemType(document, type, 0);
  // Some clients encode the commas. In a list of numbers, they are separators all the same.
  const hasCommas = !permitsList(type) || !kinds || TEXT_KINDS.some((kind) => kinds.has(kind));
  return {
    separator: encoded ?? (explode ? EXPLODED_SEPARATORS[style] : undefined) ?? ',',
    isDecoded: encoded !== undefined || !hasCommas,
    hasEquals: explode,
  };
}

/**
 * Adds the items or properties that a text contains to a value. Other separators than spaces and pipes are split before
 * the text is decoded, so that an encoded one is part of a value.
 *
 * @returns why the text cannot be read, or undefined
 */
export function addSeparated(
  raw: RawValue,
  { type, properties }: DeclaredValue,
  { separator, isDecoded, hasEquals }: Separation,
  text: string,
  decode: Decode,
): string | undefined {
  const parts = isDecoded ? decode(text)?.split(separator) : text.split(separator);
  if (!parts) {
    return INVALID_ENCODING;
  }
  const decodePart = isDecoded ? (part: string) => part : decode;
  const pairs = hasEquals ? parts.map(splitPair) : alternating(parts);
  const canBeObject =
    permitsObject(type) && (!permitsList(type) || properties.has(decodePart(pairs[0]?.[0] ?? '') ?? ''));
  if (canBeObject && (parts.length > 1 || hasEquals || !permitsText(type))) {
    return addProperties(raw, pairs, decodePart);
  }
  for (const part of parts) {
    const item = decodePart(part);
    if (item === undefined) {
      return INVALID_ENCODING;
    }
    raw.texts.push(item);
  }
  return undefined;
}

function addProperties(raw: RawValue, pairs: readonly string[][], decode: Decode): string | undefined {
  raw.members ??= new Map();
  for (const [encodedName = '', encodedValue] of pairs) {
    if (encodedValue === undefined) {
      return 'must have a value for each property';
    }
    const name = decode(encodedName);
    const value = decode(encodedValue);
    if (name === undefined || value === undefined) {
      return INVALID_ENCODING;
    }
    if (name === '__proto__') {
      return 'must not have a property of this name';
    }
    memberOf(raw, name).texts.push(value);
  }
  return undefined;
}

/** Splits a text at its first equals sign. */
export function splitPair(text: string): string[] {
  const mark = text.indexOf('=');
  return mark < 0 ? [text] : [text.slice(0, mark), text.slice(mark + 1)];
}

/** Returns the pairs of a list of alternating names and values. */
const alternating = (parts: readonly string[]): string[][] =>
  Array.from({ length: Math.ceil(parts.length / 2) }, (_, index) => parts.slice(2 * index, 2 * index + 2));
