/** Conditions, which are expressions that are evaluated for each visitor. */
import { LRUCache } from 'lru-cache';
import { evaluateExpression } from './evaluate.ts';
import { type Expression, ExpressionError, parseExpression } from './expressions.ts';
import type { PageVariables } from './markdown.ts';

/** Claims about a visitor by name. */
export type Claims = Readonly<Record<string, unknown>>;

/** Maximum number of characters of the conditions that a process caches. */
export const MAX_CACHED_CONDITION_CHARACTERS = 2_000_000;

const parsed = new LRUCache<string, Expression | ExpressionError>({
  maxSize: MAX_CACHED_CONDITION_CHARACTERS,
  sizeCalculation: (_expression, condition) => condition.length + 1,
});

/**
 * Parses a condition. The result is cached, so it must not be modified.
 * @throws ExpressionError if the text is not a valid expression
 */
export function parseCondition(condition: string): Expression {
  const expression = expressionOf(condition);
  if (expression instanceof ExpressionError) {
    throw expression;
  }
  return expression;
}

/** Returns a condition, or why it is invalid. */
export function expressionOf(condition: string): Expression | ExpressionError {
  const expression = parsed.get(condition) ?? parse(condition);
  parsed.set(condition, expression);
  return expression;
}

function parse(condition: string): Expression | ExpressionError {
  try {
    return parseExpression(condition);
  } catch (error) {
    if (error instanceof ExpressionError) {
      return error;
    }
    throw error;
  }
}

/** Returns whether a condition, over `visitor.claims`, `space.vars` and `page.vars`, holds. An invalid one does not. */
export function holds(
  condition: string,
  claims: Claims,
  { space, page }: PageVariables = { space: {}, page: {} },
): boolean {
  const expression = expressionOf(condition);
  const scope = { visitor: { claims }, space: { vars: space }, page: { vars: page } };
  return !(expression instanceof ExpressionError) && Boolean(evaluateExpression(expression, scope));
}
