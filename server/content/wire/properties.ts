/**
 * Properties of the contract that Markdown writes as attributes. What a property cannot represent exactly is among the
 * attributes of the node as well, so that the node is printed as it was written.
 */
import type { components } from '../../../generated/schema.d.ts';
import type { Alignment } from '../markdown/document.ts';
import { findEmoji, nameOfEmoji } from '../markdown/icons.ts';

type Schemas = components['schemas'];

/** Attributes by name, as written. */
export type Attributes = Record<string, string>;

/** Converts a property between its written form and the contract. Formatting the value of no text returns undefined. */
export interface Codec<Value> {
  parse(written: string | undefined): Value;
  format(value: Value): string | undefined;
}

/** Returns the own attribute of a name. */
const attributeOf = (attributes: Attributes, name: string): string | undefined =>
  Object.hasOwn(attributes, name) ? attributes[name] : undefined;

const isEqual = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

/** Returns the value of a written property, which is added to the attributes if the value is not exact. */
export function propertyOf<Value>(
  codec: Codec<Value>,
  name: string,
  written: string | undefined,
  attributes: Attributes,
): Value {
  const value = codec.parse(written);
  if (written !== undefined && codec.format(value) !== written) {
    attributes[name] = written;
  }
  return value;
}

/** Returns how a property is written, and removes it from the attributes. The inverse of {@link propertyOf}. */
export function writtenOf<Value>(
  codec: Codec<Value>,
  name: string,
  value: Value | undefined,
  attributes: Attributes,
): string | undefined {
  const written = attributeOf(attributes, name);
  delete attributes[name];
  if (value === undefined || (written !== undefined && isEqual(codec.parse(written), value))) {
    return written;
  }
  return codec.format(value);
}

/** Returns the value of an attribute, which remains among the attributes. */
export const attributeValue = <Value>(
  codec: Codec<Value>,
  name: string,
  attributes: Attributes | undefined,
): Value => codec.parse(attributes && attributeOf(attributes, name));

/** Sets an attribute to a value, unless it has this value already, or the value is undefined. */
export function setAttribute<Value>(
  codec: Codec<Value>,
  name: string,
  value: Value | undefined,
  attributes: Attributes,
): void {
  if (value === undefined || isEqual(codec.parse(attributeOf(attributes, name)), value)) {
    return;
  }
  const written = codec.format(value);
  if (written === undefined) {
    delete attributes[name];
  } else {
    attributes[name] = written;
  }
}

/** Returns attributes, or undefined if there are none. */
export const unlessEmpty = (attributes: Attributes): Attributes | undefined =>
  Object.keys(attributes).length > 0 ? attributes : undefined;

/** Any text. */
export const TEXT: Codec<string | undefined> = { parse: (written) => written, format: (value) => value };

/** Text that is empty by default. */
export const DEFAULT_TEXT: Codec<string> = {
  parse: (written = '') => written,
  format: (value) => value || undefined,
};

/** Boolean. An attribute without a value is `true`. */
export const FLAG: Codec<boolean | undefined> = {
  parse: (written) => (written === 'true' || written === '' ? true : written === 'false' ? false : undefined),
  format: (value) => (value === undefined ? undefined : String(value)),
};

/** Boolean that is `false` by default. */
export const SWITCH: Codec<boolean> = {
  parse: (written) => FLAG.parse(written) ?? false,
  format: (value) => (value ? 'true' : undefined),
};

/** Positive integer. */
export const COUNT: Codec<number | undefined> = {
  parse: (written) => (written !== undefined && /^[1-9]\d{0,8}$/.test(written) ? Number(written) : undefined),
  format: (value) => (value === undefined ? undefined : String(value)),
};

/** Creates the codec of an enumeration. */
export const oneOf = <Value extends string>(...values: readonly Value[]): Codec<Value | undefined> => ({
  parse: (written) => values.find((value) => value === written),
  format: (value) => value,
});

/** Creates the codec of an enumeration with a default. */
export const oneOfOr = <Value extends string>(
  otherwise: Value,
  ...values: readonly Value[]
): Codec<Value> => ({
  parse: (written) => values.find((value) => value === written) ?? otherwise,
  format: (value) => (value === otherwise ? undefined : value),
});

/** Length in pixels or with a unit. */
export const LENGTH: Codec<Schemas['DocumentLength'] | undefined> = {
  parse(written) {
    const [, number, unit] = /^(\d{1,9}(?:\.\d{1,6})?)(px|%)?$/.exec(written ?? '') ?? [];
    if (number === undefined) {
      return undefined;
    }
    const value = Number(number);
    return unit === 'px' || unit === '%' ? { unit, value } : value;
  },
  format: (value) =>
    value === undefined
      ? undefined
      : typeof value === 'number'
        ? String(value)
        : `${value.value}${value.unit}`,
};

/** Width of a column in pixels. */
export const PIXELS: Codec<number | undefined> = {
  parse: (written) => (written !== undefined && /^\d{1,9}$/.test(written) ? Number(written) : undefined),
  format: (value) => (value === undefined ? undefined : String(value)),
};

/** Date of an entry that has none. */
const UNDATED = 'undated';
const MIDNIGHT = 'T00:00:00.000Z';

/** Date, which is the start of a day if it is written as one. */
export const DATE: Codec<string> = {
  parse: (written = UNDATED) =>
    /^\d{4}-\d{2}-\d{2}$/.test(written) && !Number.isNaN(Date.parse(written))
      ? `${written}${MIDNIGHT}`
      : written || UNDATED,
  format: (value) =>
    value === UNDATED ? undefined : value.endsWith(MIDNIGHT) ? value.slice(0, -MIDNIGHT.length) : value,
};

/** Vertical alignment. */
export const VERTICAL = oneOf('top', 'middle', 'bottom');

/** Part of a prompt that is visible initially. */
export const EXPANSION = oneOf('hidden', 'partial', 'full');

/** Format of dates. */
export const DATE_FORMAT = oneOfOr('full', 'numeric', 'full', 'short');

/** Colors of the palette. The color of the surrounding text has no name in Markdown. */
const PALETTE: ReadonlySet<Schemas['DocumentTextColor']> = new Set([
  ...(['green', 'blue', 'red', 'orange', 'yellow', 'purple', 'pink', 'violet', 'cyan'] as const),
  ...(['$primary', '$info', '$success', '$warning', '$danger', '$tint'] as const),
]);

const isInPalette = (color: string): color is Schemas['DocumentTextColor'] =>
  (PALETTE as ReadonlySet<string>).has(color);

/** Returns a color of the palette, or else one of CSS. */
export function colorOf(written: string | undefined): {
  color: Schemas['DocumentTextColor'];
  css?: string | undefined;
} {
  return written === undefined
    ? { color: 'default' }
    : isInPalette(written)
      ? { color: written }
      : { color: 'default', css: written };
}

/** Returns how a color is written. The inverse of {@link colorOf}. */
export const writtenColor = (
  color: Schemas['DocumentTextColor'] | undefined,
  css: string | undefined,
): string | undefined => (color === undefined || color === 'default' ? css : color);

const SIDES = { start: 'left', center: 'center', end: 'right' } as const;
const ALIGNMENTS = { left: 'start', center: 'center', right: 'end' } as const;

/** Returns the side of an alignment. */
export const sideOf = (align: Alignment): Schemas['DocumentSide'] => SIDES[align];

/** Returns the alignment of a side. */
export const alignmentOf = (side: Schemas['DocumentSide']): Alignment => ALIGNMENTS[side];

/** Returns the hexadecimal code points of an emoji by its name, separated by hyphens; the name if there is none. */
export function emojiCode(name: string): string {
  const emoji = findEmoji(name);
  return emoji === undefined
    ? name
    : [...emoji].map((character) => character.codePointAt(0)?.toString(16) ?? '').join('-');
}

/** Returns the name of an emoji by its code points; undefined if it has none. */
export function emojiName(code: string): string | undefined {
  const emoji = findEmoji(code);
  return emoji === undefined ? undefined : nameOfEmoji(emoji);
}
