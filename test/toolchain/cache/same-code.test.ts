import { expect, test } from 'vitest';
import { isSameCode } from '../../../spec/toolchain/cache/same-code.ts';

test.each([
  ['a new comment', 'a.ts', 'f(1);\n', '// why\nf(1); /* one */\n'],
  [
    'documentation',
    'a.d.ts',
    'interface A {\n  b: 1;\n}\n',
    '/** A */\ninterface A {\n  /** B */\n  b: 1;\n}\n',
  ],
  ['indentation', 'a.tsx', 'const a = <b>c</b>;\n', '  const a = <b>c</b>;\n'],
  ['texts in JSON', 'a.json', '{ "a": "b:", "c": ["d"] }', '{ "a": "\\"e", "c": ["f"] }'],
])('%s changes no type', async (_, path, before, after) => {
  expect(await isSameCode(path, before, after)).toBe(true);
});

test.each([
  ['another token', 'a.ts', 'f(1);', 'f(2);'],
  ['a comment in a template', 'a.ts', 'f(`\n// a\n`);', 'f(`\n// b\n`);'],
  ['a comment in a pattern', 'a.ts', 'f(/[/]/); // `a', 'f(/[/]/); `a`'],
  ['a line break that ends a statement', 'a.ts', 'return a;', 'return /*\n*/ a;'],
  ['a suppressed error', 'a.ts', '// @ts-ignore\nf();', '// ignore\nf();'],
  ['a comment after the suppression', 'a.ts', '// @ts-ignore\nf();', '// @ts-ignore\n/* a */\nf();'],
  ['a reference', 'a.ts', '/// <reference types="node" />\nf();', 'f();'],
  ['a text that it reads', 'a.tsx', 'const a = <b>c</b>;', 'const a = <b>d</b>;'],
  ['a syntax error', 'a.ts', 'f(', 'f( // a'],
  ['a comment in JavaScript', 'a.js', '/** @type {string} */\nlet a;', '/** @type {number} */\nlet a;'],
  ['a member in JSON', 'a.json', '{ "a": 1 }', '{ "b": 1 }'],
  ['another type in JSON', 'a.json', '{ "a": "1" }', '{ "a": 1 }'],
  ['incomplete JSON', 'a.json', '{ "a": "1" }', '{ "a": "2" '],
  ['a manifest', 'b/package.json', '{ "type": "module" }', '{ "type": "commonjs" }'],
  ['options of the compiler', 'tsconfig.json', '{ "extends": "a" }', '{ "extends": "b" }'],
])('%s may change types', async (_, path, before, after) => {
  expect(await isSameCode(path, before, after)).toBe(false);
});
