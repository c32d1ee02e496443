import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import judged from './expressions/judged.json' with { type: 'json' };
import type { Judged } from './expressions/judged.ts';
import { uncertainLiterals } from './expressions/literals.ts';

// Our own regular expressions: each takes linear time, or was judged by `recheck`, and what takes quadratic time reads
// bounded texts.

const { safe, fuzzed, unproven, bounded }: Judged = judged;

/** Length of the repeated part of a hostile text. In cubic time, it takes thousands of millions of steps. */
const REPETITIONS = 1500;
/** Maximum time for an expression to compare one text; in quadratic time, it takes some milliseconds. */
const COMPARISON_TIMEOUT_MS = 800;

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

test('each expression is certain to take linear time, or was judged', async () => {
  const { all, uncertain } = await uncertainLiterals();
  expect(all).toBeGreaterThan(700);
  const known = new Set([...safe, ...fuzzed, ...unproven, ...Object.keys(bounded)]);
  expect(known.size).toBe(safe.length + fuzzed.length + unproven.length + Object.keys(bounded).length);
  // To update the file: npm exec -c "node test/unit/server/expressions/judge.ts".
  const missing = [...uncertain].filter(([literal]) => !known.has(literal));
  expect(missing.map(([literal, places]) => `${places}: ${literal}`)).toEqual([]);
  expect([...known].filter((literal) => !uncertain.has(literal))).toEqual([]);
});

/** Reads an option of a command, chosen by its user. */
const CUBIC = "/^([!#$%&'*+.^_`|~\\w-]+):\\s*(.*?)\\s*$/";

test('no other expression takes more than quadratic time', () => {
  const all = [...safe, ...fuzzed, ...unproven, ...Object.keys(bounded)];
  expect(all.filter((literal) => literal !== CUBIC && !isFast(literal))).toEqual([]);
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
