import { fullFormats } from 'ajv-formats/dist/formats.js';
import fc from 'fast-check';
import { checkSync } from 'recheck';
import { describe, expect, test } from 'vitest';
import { isCertainlyLinear, patternOf } from '../../../server/contract/validation/patterns/patterns.ts';
import { startProcessorClock } from '../../support/processes/processor-time.ts';
import { runs } from '../../support/seed.ts';

// recheck would start a thread for each call.
process.env.RECHECK_SYNC_BACKEND = 'pure';

/** Maximum processor time per comparison. Without automata and deadlines, it takes hours. */
const MAX_MS = 10_000;

/** Patterns with the engine that compares texts with them. */
const PATTERNS: [pattern: string, engine: string][] = [
  ['^[a-z0-9]+(?:-[a-z0-9]+)*$', 'native'],
  ['^(https?|ssh)://.+$', 'native'],
  ['^#[0-9a-fA-F]{6}$', 'native'],
  ['^\\p{L}[\\p{L}\\p{N} ]*$', 'native'],
  ['\\.json$', 'native'],
  ['^[^@]', 'native'],
  ['^\\s*\\S+$', 'native'],
  ['^(?:GET|PUT)$', 'native'],
  ['^(?:GET|PUT|POST)$', 'automaton'],
  ['^[^]$', 'native'],
  ['^a|b$', 'native'],
  ['^(a|a)*$', 'automaton'],
  ['^(a+)+$', 'automaton'],
  ['^(?:a?){30}a{30}$', 'automaton'],
  ['(x+x+)+y', 'automaton'],
  ['\\s+$', 'automaton'],
  ['^.*\\.md$', 'automaton'],
  ['^\\S+@\\S+\\.\\S+$', 'automaton'],
  ['^(\\w+\\s?)*$', 'automaton'],
  ['^(?:.|\\n)*\\bend\\b', 'automaton'],
  ['^(?:[^]|[]|a)*\\B$', 'automaton'],
  ['^(?:\\D|[\\W\\S])*[^\\d\\s]$', 'automaton'],
  ['^(?:[\\u{1F600}\\u{1F64F}-\\u{1F64F}]|\\uD83D|[\\uDC00-\\uDFFF]|[^a])*a$', 'automaton'],
  ['^[\\p{Lu}\\P{L}]*[\\p{Script=Greek}\\w]+$', 'automaton'],
  ['^(?=.*\\d)(?=.*[a-z])(?!.*\\s).{2,8}$', 'automaton'],
  ['^(?!.*--)[a-z0-9-]+$', 'automaton'],
  ['^(?=a+a)', 'automaton'],
  ['^(.)\\1+$', 'deadline'],
  ['(?<=a)(b|b)*$', 'deadline'],
  ['^(?:a(?!b)|c)*$', 'deadline'],
  ['^(?:a{1,2000})*$', 'deadline'],
  ['^(?i:a|a)*$', 'deadline'],
];

test.each(PATTERNS)('%s is compared by the engine %s', (source, engine) => {
  expect(patternOf(source).engine).toBe(engine);
});

/** Texts of what the patterns distinguish: white space and line ends of JavaScript, halves of pairs, other letters. */
const text = fc.string({
  unit: fc.oneof(
    fc.constantFrom(...'aabbxyzAZ019-_./: @#'),
    fc.constantFrom('\n', '\r', '\u2028', '\u00a0', '\u000b', '\ufeff', '\0'),
    fc.constantFrom('\ud83d', '\ude00', '\u{1F600}', '\u{1F64F}', 'ß', 'Σ', 'ς', 'é', '٣', 'ſ', 'K'),
    fc.constantFrom('.md', 'end', 'https://', 'GET', '--', '#00ff00', 'a@b.c'),
  ),
  maxLength: 12,
});

test.each(PATTERNS)('%s matches what RegExp matches', (source) => {
  const expression = new RegExp(source, 'u');
  const pattern = patternOf(source, { deadline: 'comparison' });
  fc.assert(
    fc.property(text, (value) => {
      expect(pattern.test(value)).toBe(expression.test(value));
    }),
    { numRuns: runs(pattern.engine === 'deadline' ? 50 : 300) },
  );
});

/** Random expressions of what the analysis distinguishes. */
const expressions = fc
  .letrec<{ part: string }>((tie) => ({
    part: fc.oneof(
      { maxDepth: 3, withCrossShrink: true },
      fc.constantFrom('a', 'b', '[ab]', '[^a]', '.', '\\d', '\\w', '\\b', '$'),
      fc.tuple(tie('part'), tie('part')).map(([one, other]) => `${one}${other}`),
      fc.tuple(tie('part'), tie('part')).map(([one, other]) => `(?:${one}|${other})`),
      fc
        .tuple(tie('part'), fc.constantFrom('*', '+', '?', '{2}', '{1,3}', '{0,40}', '*?'))
        .map(([part, times]) => `(?:${part})${times}`),
    ),
  }))
  .part.map((part) => `^${part}$`);

test('an expression that is certainly linear is so according to recheck', () => {
  let count = 0;
  fc.assert(
    fc.property(expressions, (source) => {
      if (isCertainlyLinear(source, 'u')) {
        count += 1;
        expect(checkSync(source, 'u', { timeout: 2000 })).not.toMatchObject({ status: 'vulnerable' });
      }
    }),
    { numRuns: runs(400) },
  );
  expect(count).toBeGreaterThan(20);
});

test('an automaton matches what RegExp matches, for any expression', () => {
  const texts = fc.array(fc.string({ unit: fc.constantFrom(...'aabb0_. \n'), maxLength: 8 }), {
    minLength: 5,
    maxLength: 5,
  });
  fc.assert(
    fc.property(expressions, texts, (source, values) => {
      const expression = new RegExp(source, 'u');
      const pattern = patternOf(source, { deadline: 'comparison' });
      expect(values.map((value) => pattern.test(value))).toEqual(
        values.map((value) => expression.test(value)),
      );
    }),
    { numRuns: runs(400) },
  );
});

describe('a text that RegExp would compare for ever', () => {
  const many = 'a'.repeat(50);

  test.each([
    ['^(a|a)*$', `${many}!`],
    ['^(a+)+$', `${'a'.repeat(100_000)}!`],
    ['^(?:a?){30}a{30}$', 'a'.repeat(29)],
    ['(x+x+)+y', 'x'.repeat(100_000)],
    ['\\s+$', `${' '.repeat(500_000)}!`],
    ['^(?=(?:a|a)*$)a', `${many}!`],
    ['^(.)\\1+(a|a)*$', `${many}!`],
    ['(?<=a)(b|b)*$', `a${'b'.repeat(50)}!`],
    ['^(?i:a|a)*$', `${many}!`],
  ])('does not match %s, soon', (source, hostile) => {
    const elapsedMs = startProcessorClock();
    expect(patternOf(source, { deadline: 'comparison' }).test(hostile)).toBe(false);
    expect(elapsedMs()).toBeLessThan(MAX_MS);
  });

  test('spends one deadline for all patterns of a turn, and none of the next turn', async () => {
    const [pattern, other] = [patternOf('^(.)\\1+(a|a)*$'), patternOf('^(.)\\1+(b|b)*$')];
    const elapsedMs = startProcessorClock();
    for (let count = 0; count < 1000; count += 1) {
      expect(pattern.test(`${many}!`)).toBe(false);
      expect(other.test(`${'b'.repeat(50)}!`)).toBe(false);
    }
    expect(elapsedMs()).toBeLessThan(MAX_MS);
    expect(pattern.test('aaa')).toBe(false);
    await new Promise((resolve) => setImmediate(resolve));
    expect(pattern.test('aaa')).toBe(true);
  });
});

test.each(Object.entries(fullFormats))('the format %s compares every text soon', (_name, format) => {
  const check = format instanceof RegExp ? (value: string) => format.test(value) : format;
  if (typeof check === 'function') {
    for (const unit of [...'a0.-:/@%[{~P T', 'a.', '0:', 'http://', '%20', 'a@', '{a}', '::']) {
      for (const start of ['', 'http://', 'a@', '0:', 'P']) {
        const elapsedMs = startProcessorClock();
        check(`${start}${unit.repeat(2000)}\0`);
        expect(elapsedMs()).toBeLessThan(MAX_MS);
      }
    }
  }
});
