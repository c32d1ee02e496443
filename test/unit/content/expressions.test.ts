import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseCondition } from '../../../server/content/expressions/conditions.ts';
import { evaluateExpression } from '../../../server/content/expressions/evaluate.ts';
import { ExpressionError, parseExpression } from '../../../server/content/expressions/expressions.ts';
import { evaluateMarkdown } from '../../../server/content/expressions/markdown.ts';
import { parseOnce } from '../../../server/content/markdown/markdown.ts';
import { codePoint } from '../../../spec/toolchain/model/schema/code-points.ts';

const variables = {
  space: { vars: { version: '1.2', 'odd name': 'x' } },
  visitor: { claims: { plan: 'pro', beta: true, age: 30, groups: ['a', 'b'] } },
};
const value = (source: string) => evaluateExpression(parseExpression(source), variables);

describe('conditions', () => {
  test('are parsed once', () => {
    expect(parseCondition('visitor.claims.beta')).toBe(parseCondition('visitor.claims.beta'));
    const problemOf = (condition: string): unknown => {
      try {
        return parseCondition(condition);
      } catch (error) {
        return error;
      }
    };
    expect(problemOf('visitor.')).toBeInstanceOf(ExpressionError);
    expect(problemOf('visitor.')).toBe(problemOf('visitor.'));
  });
});

describe('expressions', () => {
  test.each([
    ['space.vars.version', '1.2'],
    ['space["vars"]["odd name"]', 'x'],
    ['visitor.claims.groups[1]', 'b'],
    ['visitor.claims.plan == "pro" && visitor.claims.beta', true],
    ["visitor.claims.plan != 'pro' || !visitor.claims.nothing", true],
    ['visitor.claims.age >= 18 ? "adult" : "child"', 'adult'],
    ['"v" + space.vars.version + "!"', 'v1.2!'],
    ['1 + 2 + -3', 0],
    ['1 + 2 == 3 && 2 < 10 && "b" > "a"', true],
    ['"1" == 1', false],
    ['"plan" in visitor.claims && !("nothing" in visitor.claims)', true],
    ['"constructor" in visitor.claims || "__proto__" in visitor.claims', false],
    ['"a" in "abc" || "a" in null || 1 in visitor.claims.groups', false],
    ['in', undefined],
    ['1 < "2"', false],
    ['true ? false ? 1 : 2 : 3', 2],
    ['null === visitor.claims.nothing', false],
    ['"a\\"b\\n"', 'a"b\n'],
    ['visitor.claims.true', undefined],
    ['nothing.at.all', undefined],
    ['space.vars + 1', undefined],
  ])('%s is %j', (source, expected) => {
    expect(value(source)).toEqual(expected);
  });

  test('reads only own properties of an object', () => {
    for (const source of [
      'space.constructor',
      'space.__proto__',
      'space.vars["toString"]',
      '"a".length',
      'constructor',
      'hasOwnProperty',
    ]) {
      expect(value(source)).toBeUndefined();
    }
  });

  test.each([
    '',
    '1 +',
    'a b',
    '(a',
    'a[',
    'a.',
    '"open',
    'a = 1',
    'f(x)',
    'a in',
    'a ? b',
    '@',
    'a.1',
    '`x`',
  ])('rejects %j with the position of the error', (source) => {
    expect(() => parseExpression(source)).toThrow(ExpressionError);
    expect(() => parseExpression(source)).toThrow(/^Invalid expression: .+ at character \d+\.$/);
  });

  test('rejects excessively nested or long expressions', () => {
    for (const source of [
      '('.repeat(500),
      '!'.repeat(500),
      `a${'.b'.repeat(500)}`,
      `1${'+1'.repeat(500)}`,
      ' '.repeat(5000),
    ]) {
      expect(() => parseExpression(source)).toThrow(ExpressionError);
    }
  });

  test('throws only its own error for any text', () => {
    const text = fc
      .array(
        fc.oneof(
          fc.constantFrom(...'ab.1"\'[]()!-+=<>&|?: ', '==', '&&', '||', 'true', 'null'),
          fc.string({ unit: codePoint }),
        ),
      )
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(text, (source) => {
        try {
          value(source);
        } catch (error) {
          expect(error).toBeInstanceOf(ExpressionError);
        }
      }),
    );
  });
});

describe('expressions in pages', () => {
  const evaluate = (markdown: string) =>
    evaluateMarkdown(markdown, { space: { version: '1.2', my_name: 'a*b_c' }, page: { x: 'X' } });

  test('evaluates both notations of an expression', () => {
    expect(evaluate('v<code class="expression">space.vars.version</code> {{ page.vars.x + "!" }}')).toBe(
      'v1.2 X!',
    );
  });

  test('inserts values as text, and parses escaped expressions', () => {
    expect(evaluate('<code class="expression">space.vars.my\\_name</code>')).toBe('a\\*b_c');
  });

  test.each(['# Big', '- item', '+ item', '1. one', '2) two', '> quote', '---', '==='])(
    'inserts the value %s as text, also at the start of a line',
    (text) => {
      const markdown = evaluateMarkdown('Text\n{{ space.vars.text }}\n', { space: { text }, page: {} });
      expect(parseOnce(markdown).nodes.map(({ type }) => type)).toEqual(['paragraph']);
    },
  );

  test('are evaluated between backticks that are no code', () => {
    const stray = 'One ` stray.\n\n{{ page.vars.x }}\n\nAnother ` stray.';
    expect(evaluate(stray)).toBe(stray.replace('{{ page.vars.x }}', 'X'));
    expect(evaluate('Press \\` {{ page.vars.x }} \\`.')).toBe('Press \\` X \\`.');
    expect(evaluate('`a\\` {{ page.vars.x }} `{{ page.vars.x }}\n`')).toBe('`a\\` X `{{ page.vars.x }}\n`');
  });

  test('keeps code, and expressions without a value, unchanged', () => {
    const page =
      '{{ space.vars.nope }} {{ not an expression }} <code class="expression">user.name</code> `{{ page.vars.x }}`\n\n```\n{{ page.vars.x }}\n```\n';
    expect(evaluate(page)).toBe(page);
    expect(evaluate('` {{ page.vars.x }}')).toBe('` X');
  });
});
