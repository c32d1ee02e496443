import type { FormatDefinition } from 'ajv';
import { fullFormats } from 'ajv-formats/dist/formats.js';

/** The range of the integers of a format. */
type Range = readonly [format: string, min: number, max: number];

const RANGES: readonly Range[] = [
  ['int8', -128, 127],
  ['int16', -(2 ** 15), 2 ** 15 - 1],
  ['int32', -(2 ** 31), 2 ** 31 - 1],
  ['uint8', 0, 255],
  ['uint16', 0, 2 ** 16 - 1],
  ['uint32', 0, 2 ** 32 - 1],
  // The largest numbers below 2^63 and 2^64.
  ['int64', -(2 ** 63), 2 ** 63 - 1024],
  ['uint64', 0, 2 ** 64 - 2048],
];

/** The formats of integers (OpenAPI Format Registry). */
export const INTEGER_FORMATS = Object.fromEntries(
  RANGES.map(([format, min, max]) => [
    format,
    {
      type: 'number',
      validate: (value: number) => Number.isInteger(value) && value >= min && value <= max,
    } satisfies FormatDefinition<number>,
  ]),
);

/**
 * ISO 8601 (section 5.5.2.3): the smallest unit may have a decimal fraction, which most languages write for seconds, unlike
 * in the appendix of RFC 3339.
 */
const DURATION =
  /^P(?=\d|T\d)(?:(?:\d+(?:[.,]\d+(?=W))?W)|(?:\d+Y)?(?:\d+M)?(?:\d+D)?(?:T(?=\d)(?:\d+(?:[.,]\d+(?=H$))?H)?(?:\d+(?:[.,]\d+(?=M$))?M)?(?:\d+(?:[.,]\d+)?S)?)?)$/;

/** The formats of validators that differ from those of their libraries. */
export const OWN_FORMATS = {
  ...INTEGER_FORMATS,
  duration: { type: 'string', validate: DURATION } satisfies FormatDefinition<string>,
  // Times of day often have no offset, such as the `plainTime` of TypeSpec.
  time: fullFormats['iso-time'],
  // The pattern of ajv-formats overflows the stack above 6 MB and checks only one line of several.
  byte: { type: 'string', validate: isBase64 } satisfies FormatDefinition<string>,
};

/** Returns whether a text is base64 with padding (RFC 4648, section 4). */
function isBase64(text: string): boolean {
  const end = text.search(/[^A-Za-z\d+/]/);
  return text.length % 4 === 0 && (end === -1 || /^={1,2}$/.test(text.slice(end, end + 3)));
}
