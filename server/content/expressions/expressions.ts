/**
 * The expression language of the platform: literals, variables and their members, `!`, `-`, `+`, comparisons, `in`,
 * `&&`, `||` and `? :`. Pages use it to show values (`space.vars.version`), conditions to select what a visitor sees
 * (`visitor.claims.plan == "pro"`). It has no function calls and no side effects.
 */

/** A parsed expression. */
export type Expression =
  | { type: 'literal'; value: string | number | boolean | null }
  | { type: 'variable'; name: string }
  | { type: 'member'; object: Expression; property: Expression }
  | { type: 'unary'; operator: '!' | '-'; operand: Expression }
  | { type: 'binary'; operator: BinaryOperator; left: Expression; right: Expression }
  | { type: 'conditional'; test: Expression; then: Expression; otherwise: Expression };

export type BinaryOperator = '+' | '==' | '!=' | '===' | '!==' | '<' | '<=' | '>' | '>=' | 'in' | '&&' | '||';

/** Thrown for text that is not a valid expression. */
export class ExpressionError extends Error {
  override name = 'ExpressionError';
  /** Index of the error in the text. */
  readonly index: number;

  constructor(problem: string, index: number) {
    super(`Invalid expression: ${problem} at character ${index + 1}.`);
    this.index = index;
  }
}

/** Maximum length of an expression in characters. */
export const MAX_EXPRESSION_CHARACTERS = 4096;

/** Maximum nesting depth of an expression. */
export const MAX_EXPRESSION_DEPTH = 100;

/** Binary operators by precedence, lowest first. */
const LEVELS: readonly (readonly BinaryOperator[])[] = [
  ['||'],
  ['&&'],
  ['===', '!==', '==', '!='],
  ['<=', '>=', '<', '>', 'in'],
  ['+'],
];

const TOKEN =
  /\s*(?:(?<number>\d+(?:\.\d+)?)|(?<string>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')|(?<name>[\p{L}_$][\p{L}\p{N}_$]*)|(?<sign>===|!==|==|!=|<=|>=|&&|\|\||[<>+\-!?:.()[\]]))/uy;
const MEMBER_NAME = /\s*([\p{L}_$][\p{L}\p{N}_$]*)/uy;
const ESCAPES: Record<string, string> = { n: '\n', t: '\t', r: '\r' };

type Token = { kind: 'number' | 'string' | 'name' | 'sign' | 'end'; text: string; index: number };

/**
 * Parses an expression.
 * @throws ExpressionError if the text is not a valid expression
 */
export function parseExpression(source: string): Expression {
  if (source.length > MAX_EXPRESSION_CHARACTERS) {
    throw new ExpressionError(`more than ${MAX_EXPRESSION_CHARACTERS} characters`, MAX_EXPRESSION_CHARACTERS);
  }
  return new Parser(source).whole();
}

class Parser {
  readonly #source: string;
  #token: Token;
  #end = 0;
  #depth = 0;

  constructor(source: string) {
    this.#source = source;
    this.#token = this.#read();
  }

  whole(): Expression {
    const expression = this.#conditional();
    if (this.#token.kind !== 'end') {
      throw this.#unexpected();
    }
    return expression;
  }

  #read(): Token {
    TOKEN.lastIndex = this.#end;
    const match = TOKEN.exec(this.#source);
    if (!match) {
      const rest = this.#source.slice(this.#end);
      const index = this.#end + rest.length - rest.trimStart().length;
      if (rest.trim() === '') {
        return { kind: 'end', text: '', index };
      }
      throw new ExpressionError(`unexpected "${this.#source.charAt(index)}"`, index);
    }
    this.#end = TOKEN.lastIndex;
    const groups = match.groups ?? {};
    const kind = (['number', 'string', 'name', 'sign'] as const).find((name) => groups[name] !== undefined);
    const text = match[0].trimStart();
    return { kind: kind ?? 'end', text, index: this.#end - text.length };
  }

  #next(): Token {
    const token = this.#token;
    this.#token = this.#read();
    return token;
  }

  #take(sign: string): boolean {
    if (this.#token.kind !== 'sign' || this.#token.text !== sign) {
      return false;
    }
    this.#next();
    return true;
  }

  #expect(sign: string): void {
    if (!this.#take(sign)) {
      throw new ExpressionError(`missing "${sign}"`, this.#token.index);
    }
  }

  #unexpected(): ExpressionError {
    const { kind, text, index } = this.#token;
    return new ExpressionError(kind === 'end' ? 'unexpected end' : `unexpected "${text}"`, index);
  }

  #nested<T>(parse: () => T): T {
    if (++this.#depth > MAX_EXPRESSION_DEPTH) {
      throw new ExpressionError('nested too deeply', this.#token.index);
    }
    const parsed = parse();
    this.#depth--;
    return parsed;
  }

  #conditional(): Expression {
    return this.#nested(() => {
      const test = this.#binary(0);
      if (!this.#take('?')) {
        return test;
      }
      const then = this.#conditional();
      this.#expect(':');
      return { type: 'conditional', test, then, otherwise: this.#conditional() };
    });
  }

  #binary(level: number): Expression {
    const operators = LEVELS[level];
    if (!operators) {
      return this.#unary();
    }
    let left = this.#binary(level + 1);
    for (let count = 0; ; count++) {
      const { kind, text } = this.#token;
      const operator =
        kind === 'sign' || kind === 'name' ? operators.find((candidate) => text === candidate) : undefined;
      if (!operator) {
        return left;
      }
      if (count === MAX_EXPRESSION_DEPTH) {
        throw new ExpressionError('too many operators', this.#token.index);
      }
      this.#next();
      left = { type: 'binary', operator, left, right: this.#binary(level + 1) };
    }
  }

  #unary(): Expression {
    for (const operator of ['!', '-'] as const) {
      if (this.#take(operator)) {
        return { type: 'unary', operator, operand: this.#nested(() => this.#unary()) };
      }
    }
    return this.#members(this.#primary());
  }

  #members(object: Expression): Expression {
    let expression = object;
    for (let count = 0; ; count++) {
      if (count === MAX_EXPRESSION_DEPTH) {
        throw new ExpressionError('too many members', this.#token.index);
      }
      if (this.#token.kind === 'sign' && this.#token.text === '.') {
        MEMBER_NAME.lastIndex = this.#end;
        const name = MEMBER_NAME.exec(this.#source)?.[1];
        if (name === undefined) {
          throw new ExpressionError('missing name after the dot', this.#end);
        }
        this.#next();
        this.#next();
        expression = { type: 'member', object: expression, property: { type: 'literal', value: name } };
      } else if (this.#take('[')) {
        const property = this.#conditional();
        this.#expect(']');
        expression = { type: 'member', object: expression, property };
      } else {
        return expression;
      }
    }
  }

  #primary(): Expression {
    if (this.#take('(')) {
      const expression = this.#conditional();
      this.#expect(')');
      return expression;
    }
    const { kind, text } = this.#token;
    if (kind === 'end' || kind === 'sign') {
      throw this.#unexpected();
    }
    this.#next();
    if (kind === 'number') {
      return { type: 'literal', value: Number(text) };
    }
    if (kind === 'string') {
      const value = text.slice(1, -1).replace(/\\(.)/gs, (_, escaped: string) => ESCAPES[escaped] ?? escaped);
      return { type: 'literal', value };
    }
    if (text === 'true' || text === 'false') {
      return { type: 'literal', value: text === 'true' };
    }
    return text === 'null' ? { type: 'literal', value: null } : { type: 'variable', name: text };
  }
}
