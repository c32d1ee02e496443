/** Conditions, which are expressions that are evaluated for each visitor. */
import { LRUCache } from 'lru-cache';
import { type Expression, ExpressionError, parseExpression } from './expressions.ts';

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
  const expression = parsed.get(condition) ?? expressionOrError(condition);
  parsed.set(condition, expression);
  if (expression instanceof ExpressionError) {
    throw expression;
  }
  return expression;
}

function expressionOrError(condition: string): Expression | ExpressionError {
  try {
    return parseExpression(condition);
  } catch (error) {
    if (error instanceof ExpressionError) {
      return error;
    }
    throw error;
  }
}
