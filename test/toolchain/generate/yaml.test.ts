import { expect, test } from 'vitest';
import { parseDocument } from 'yaml';
import { readCommonYaml } from '../../../spec/toolchain/documents/common-yaml.ts';

/** Values, errors and layouts for which parsers of YAML differ most. */
const TEXTS = [
  'a: 1_000\nb: 0o17\nc: 0o18\nd: -0\ne: 1e3\nf: .5\ng: +1\nh: 0x1F\ni: 1.\nj: 1e\nk: 0123\nl: 0b1',
  'a: yes\nb: True\nc: tRUE\nd: ~\ne:\nf: Null\ng: nULL\nh: 2001-01-01\ni: 1:30\nj: 12345678901234567890',
  'a: .inf\nb: -.Inf\nc: .NAN\nd: .nAn',
  'a: |\n  x\n   y\n\nb: >-\n x\n y\n\n  z\nc: |+\n x\n\n\nd: |2\n   x',
  'a: |\n\n    x\n  y',
  "a: \"x\n\n  y\\\n  z \\x41\\u00e9\\/\"\nb: 'it''s\n  so'",
  'a: "\\q"',
  'a:\n- 1\n- - 2\n  - b: 3\n    c:\n- d',
  'a: {b: 1, "c":2, d: {}, e: [1, [2], {f: g}], h}',
  'a: {\nb: 1\n}',
  'a: [1\n# comment\n , 2]',
  'paths:\n  /a/{id}:\n    get: {}\n  /b/{id}: &x\n    get: {}',
  'a: &x {b: 1}\nc: *x\nd:\n  <<: *x',
  '<<: {a: 1}\nb: 2',
  '[a]: b',
  '{a: 1}: b',
  'x: {[a]: b}',
  'x: [a: b, c]',
  '? a\n: b',
  '~: a',
  'null: a',
  'true: a\n200: b\n1.0: c',
  '200: a\n"200": b',
  'a: 1\na: 2',
  'a: {b: 1, b: 2}',
  'a: "b"#c',
  'a: b #c\n#d\ne: f#g',
  'color: "#fff"\nref: "#/components/schemas/A"',
  'a: b\n---\nc: d',
  '---\na: b\n...\n',
  '%YAML 1.1\n---\na: yes',
  'a: !!str 1\nb: !x y',
  'a:\tb\n\tc: d',
  'a: b\r\nc: |\r\n d\r\n e\r\n',
  'a: b\rc: d',
  'a: x\n   y\n\n   z',
  'a:\n  x\n  y: z',
  'a: - 1',
  'a: @b',
  'a:b',
  'a: b: c',
  '__proto__: 1\nconstructor: 2',
  '\uFEFFa: 1',
  'a: b\u0000',
  '- a',
  'a',
  '',
];

test.each(TEXTS)('reads %j like the complete parser, or leaves it to it', (text) => {
  const document = parseDocument(text, { merge: true, logLevel: 'silent' });
  const expected = document.errors.length > 0 ? undefined : document.toJS();
  expect([expected, undefined]).toContainEqual(readCommonYaml(text));
});

test('reads what documents consist of', () => {
  const common = TEXTS.filter((text) => readCommonYaml(text) !== undefined);
  expect(common).toEqual(expect.arrayContaining([TEXTS[0], TEXTS[3], TEXTS[7], TEXTS[8]]));
  expect(readCommonYaml('ref: "#/components/schemas/A"\ncolor: "#fff"\ntext: a && b')).toBeDefined();
});
