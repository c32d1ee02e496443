import { expect, test } from 'vitest';
import contract from '../../../generated/openapi.json' with { type: 'json' };
import { namedFormats } from '../../../server/app/named-formats.ts';
import { isKnownFormat } from '../../../spec/toolchain/model/schema/strings.ts';

/** Returns the schemas below a value that have a format. */
function formatted(node: unknown): { format: string; 'x-rule'?: unknown }[] {
  if (typeof node !== 'object' || node === null) {
    return [];
  }
  const own = 'format' in node && typeof node.format === 'string' ? [{ ...node, format: node.format }] : [];
  return [...own, ...Object.values(node).flatMap(formatted)];
}

test('every format that the contract names has a function and states its rule', () => {
  const named = formatted(contract).filter(({ format }) => !isKnownFormat(format));
  expect(new Set(named.map(({ format }) => format))).toEqual(new Set(Object.keys(namedFormats)));
  for (const schema of named) {
    expect(schema['x-rule'], schema.format).toBeTypeOf('string');
  }
});

test('images and URLs of images are told apart, and others are neither', () => {
  const {
    'image-data': isImage,
    'icon-data-or-url': isIcon,
    'x509-certificate': isCertificate,
  } = namedFormats;
  const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>').toString('base64');
  expect([svg, 'text', '', 'https://example.com/a.png'].map((text) => isImage?.(text))).toEqual([
    true,
    false,
    false,
    false,
  ]);
  expect(
    [svg, 'https://example.com/a.png', 'ftp://example.com/a', 'text'].map((text) => isIcon?.(text)),
  ).toEqual([true, true, false, false]);
  expect(isIcon?.(Buffer.from('<svg>'.padEnd(1_048_577)).toString('base64'))).toBe(false);
  expect(['', 'none'].map((text) => isCertificate?.(text))).toEqual([true, false]);
});
