import type { BinaryOperator, Expression } from './expressions.ts';

/**
 * Evaluates an expression. Unknown variables and members, and members of undefined, are undefined. Only an object's own
 * members can be read. `==` compares without conversion, like `===`; ordering is defined for two numbers or two
 * strings; `in` returns whether the object on the right has a member of the name on the left.
 */
export function evaluateExpression(
  expression: Expression,
  variables: Readonly<Record<string, unknown>>,
): unknown {
  switch (expression.type) {
    case 'literal':
      return expression.value;
    case 'variable':
      return memberOf(variables, expression.name);
    case 'member':
      return memberOf(
        evaluateExpression(expression.object, variables),
        evaluateExpression(expression.property, variables),
      );
    case 'unary': {
      const operand = evaluateExpression(expression.operand, variables);
      if (expression.operator === '!') {
        return !operand;
      }
      return typeof operand === 'number' ? -operand : undefined;
    }
    case 'binary': {
      const left = evaluateExpression(expression.left, variables);
      if (expression.operator === '&&' && !left) {
        return left;
      }
      if (expression.operator === '||' && left) {
        return left;
      }
      return combine(expression.operator, left, evaluateExpression(expression.right, variables));
    }
    case 'conditional': {
      const { test, then, otherwise } = expression;
      return evaluateExpression(evaluateExpression(test, variables) ? then : otherwise, variables);
    }
  }
}

function memberOf(object: unknown, property: unknown): unknown {
  if (typeof object !== 'object' || object === null) {
    return undefined;
  }
  if (typeof property !== 'string' && typeof property !== 'number') {
    return undefined;
  }
  if (!Object.hasOwn(object, property)) {
    return undefined;
  }
  // An own property can be read by its name; its type is still unknown.
  return (object as Record<string | number, unknown>)[property];
}

const isText = (value: unknown): value is string | number | boolean =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';

function combine(operator: BinaryOperator, left: unknown, right: unknown): unknown {
  switch (operator) {
    case '&&':
    case '||':
      return right;
    case '==':
    case '===':
      return left === right;
    case '!=':
    case '!==':
      return left !== right;
    case 'in':
      return (
        typeof left === 'string' && typeof right === 'object' && right !== null && Object.hasOwn(right, left)
      );
    case '+':
      if (typeof left === 'number' && typeof right === 'number') {
        return left + right;
      }
      return isText(left) && isText(right) ? `${left}${right}` : undefined;
    default:
      return typeof left === 'number' && typeof right === 'number'
        ? ordered(operator, left, right)
        : typeof left === 'string' && typeof right === 'string' && ordered(operator, left, right);
  }
}

function ordered<T extends string | number>(operator: '<' | '<=' | '>' | '>=', left: T, right: T): boolean {
  if (operator === '<') {
    return left < right;
  }
  if (operator === '<=') {
    return left <= right;
  }
  return operator === '>' ? left > right : left >= right;
}
