import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  JsonScanner,
  MAX_BODY_DEPTH,
  MAX_BODY_TOKENS,
} from '../../../server/contract/request/bodies/json-scanner.ts';

/** Scans text in parts of a size. Returns the status of the rejection, if any. */
function scan(text: string, size = 1000): number | undefined {
  const [bytes, scanner] = [Buffer.from(text), new JsonScanner()];
  try {
    for (let start = 0; start < bytes.length; start += size) {
      scanner.push(bytes.subarray(start, start + size));
    }
    return undefined;
  } catch (error) {
    return (error as { status: number }).status;
  }
}

/** Counts the values and keys of parsed JSON. */
function tokensOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) {
    return 1;
  }
  const keys = Array.isArray(value) ? 0 : Object.keys(value).length;
  return Object.values(value).reduce((sum: number, inner) => sum + tokensOf(inner), 1 + keys);
}

test('counts values and keys like the parser, for any division of the bytes', () => {
  const filler = (count: number) => Array(count).fill('0,').join('');
  fc.assert(
    fc.property(fc.jsonValue(), fc.integer({ min: 1, max: 9 }), fc.boolean(), (value, size, spaced) => {
      const json = JSON.stringify(value, null, spaced ? 2 : 0);
      // Within an array at the limit, and with one more value.
      const room = MAX_BODY_TOKENS - 1 - tokensOf(JSON.parse(json));
      const bytes = Buffer.from(json);
      const parts = (fillers: number) => {
        const scanner = new JsonScanner();
        scanner.push(Buffer.from(`[${filler(fillers)}`));
        for (let start = 0; start < bytes.length; start += size) {
          scanner.push(bytes.subarray(start, start + size));
        }
        scanner.push(Buffer.from(']'));
      };
      parts(room);
      expect(() => parts(room + 1)).toThrow(String(MAX_BODY_TOKENS));
    }),
    { numRuns: 30 },
  );
});

test('detects escapes of code units, for any division of the bytes', () => {
  const escapes = (text: string, size: number) => {
    const [bytes, scanner] = [Buffer.from(text), new JsonScanner()];
    for (let start = 0; start < bytes.length; start += size) {
      scanner.push(bytes.subarray(start, start + size));
    }
    return scanner.hasUnicodeEscapes;
  };
  for (const size of [1, 2, 3, 100]) {
    expect(escapes('{"a":"\\u0000"}', size)).toBe(true);
    expect(escapes('{"\\u0061":["b"]}', size)).toBe(true);
    expect(escapes('["\\n\\\\u0000","u\\"u"]', size)).toBe(false);
  }
});

test.each([
  ['arrays', '[', 400],
  ['objects', '{"a":', 400],
  ['zeros', '0,', 413],
  ['keys', '"a":1,', 413],
  ['strings with quotes', '"\\"",', 413],
  ['empty arrays', '[],', 413],
] as const)('rejects megabytes of %s', (_name, part, status) => {
  expect(scan(`[${part.repeat(16_777_216 / part.length)}`)).toBe(status);
});

test.each([
  ['a text of 16 MB', `["${'a'.repeat(16_777_216)}"]`],
  ['a text of brackets and commas', `{"text":"${'[{,'.repeat(1_000_000)}"}`],
  ['a text of escapes', `["${'\\"\\\\'.repeat(1_000_000)}"]`],
  ['white space', `[${' '.repeat(1_000_000)}]`],
  ['many containers side by side', `[${'[],'.repeat(MAX_BODY_TOKENS - 3)}0]`],
  ['nesting up to the limit', '['.repeat(MAX_BODY_DEPTH) + ']'.repeat(MAX_BODY_DEPTH)],
  ['text that is not JSON', ']]]}}}'.repeat(1000)],
])('accepts %s', (_name, text) => {
  expect(scan(text)).toBeUndefined();
});
