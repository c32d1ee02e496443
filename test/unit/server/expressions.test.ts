import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import ts from 'typescript5';
import { expect, test } from 'vitest';
import { isCertainlyLinear } from '../../../server/contract/patterns/patterns.ts';

// Our own regular expressions: none takes more than quadratic time for texts that are made to slow it down.

const root = join(import.meta.dirname, '../../..');

/** Expressions that take longer, with what bounds the texts that they are compared with. */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  "/^([!#$%&'*+.^_`|~\\w-]+):\\s*(.*?)\\s*$/": 'An option of a command, chosen by its user.',
};

/** Length of the repeated part of a hostile text. In cubic time, it takes thousands of millions of steps. */
const REPETITIONS = 1500;
/** Time in which an expression compares one text; in quadratic time, it takes some milliseconds. */
const COMPARISON_TIMEOUT_MS = 800;

/** All literals of the source, with the places of each. */
async function literals(): Promise<Map<string, string[]>> {
  const places = new Map<string, string[]>();
  const paths = await Array.fromAsync(
    glob(['{server,client,spec/toolchain,spec/checks}/**/*.{ts,js}', 'spec/checks.js'], {
      cwd: root,
      exclude: ['**/node_modules/**', '**/*.d.ts'],
    }),
  );
  for (const path of paths) {
    const text = await readFile(join(root, path), 'utf8');
    const visit = (node: ts.Node) => {
      if (node.kind === ts.SyntaxKind.RegularExpressionLiteral) {
        const literal = node.getText(source);
        places.set(literal, [...(places.get(literal) ?? []), path]);
      }
      ts.forEachChild(node, visit);
    };
    const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest);
    visit(source);
  }
  return places;
}

/** Texts that repeat a character, or a pair of characters, of an expression, before and after something else. */
function hostileTexts(source: string): string[] {
  const plain = source.replaceAll(/\\[dwsbDWSB]/g, '');
  const characters = [
    ...new Set([...plain.replaceAll(/[\\^$?*+{}[\]()|]/g, ''), ' ', 'a', '0', '(', '[', '{']),
  ].slice(0, 9);
  const start = /^\^?([\w#<:=-]{1,12})/.exec(source)?.[1] ?? '';
  const all = characters.join('');
  const texts = [...characters, all].map((unit) => `${start}${unit.repeat(REPETITIONS / unit.length)}\0\n!`);
  return [...texts, `# ${' '.repeat(REPETITIONS)}\0\n!`];
}

/** Returns whether an expression compares all hostile texts in time. */
function isFast(literal: string): boolean {
  const end = literal.lastIndexOf('/');
  const expression = new RegExp(literal.slice(1, end), literal.slice(end + 1).replaceAll(/[gy]/g, ''));
  const texts = hostileTexts(expression.source);
  try {
    runInNewContext(
      'texts.every((text) => expression.test(text) || true)',
      { texts, expression },
      {
        timeout: COMPARISON_TIMEOUT_MS,
      },
    );
    return true;
  } catch {
    return false;
  }
}

test('no expression takes more than quadratic time, except those with a reason', async () => {
  const all = await literals();
  expect(all.size).toBeGreaterThan(700);
  const slow: Record<string, string[]> = {};
  for (const [literal, places] of all) {
    const end = literal.lastIndexOf('/');
    if (!isCertainlyLinear(literal.slice(1, end), literal.slice(end + 1)) && !isFast(literal)) {
      slow[literal] = places;
    }
  }
  expect(
    Object.keys(slow)
      .filter((literal) => !(literal in EXCEPTIONS))
      .map((literal) => `${slow[literal]}: ${literal}`),
  ).toEqual([]);
});

test('finds expressions that take longer', () => {
  const slow = [
    '/^(a|a)*$/',
    '/(x+x+)+y/',
    '/^ {0,3}(#{1,6})[ \\t]+(.*?)(?:[ \\t]+#+)?[ \\t]*$/',
    '/^(a*)*(a*)*b$/',
    '/(\\w+\\s*)+:/',
    '/a.*b.*c.*d.*e$/',
  ];
  expect(slow.filter(isFast)).toEqual([]);
  expect(['/^(a|b)*$/', '/^[a-z]+$/', '/a+$/'].filter((literal) => !isFast(literal))).toEqual([]);
});
