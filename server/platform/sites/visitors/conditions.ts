import { parseCondition } from '../../../content/expressions/conditions.ts';
import { evaluateExpression } from '../../../content/expressions/evaluate.ts';
import { type Expression, ExpressionError } from '../../../content/expressions/expressions.ts';
import { fieldInvalid } from '../../../errors/errors.ts';
import type { SiteRow } from '../../spaces/publications/structure.ts';
import { claimsOf, type DeclaredClaims, expressionOf, UNSIGNED } from '../site-adaptive-schemas/queries.ts';

/** The settings of a site that conditions depend on. */
export type ConditionSettings = Pick<SiteRow, 'adaptiveContent' | 'adaptiveSchema'>;

/** Claims about a visitor, as conditions read them. */
export type VisitorClaims = Readonly<Record<string, boolean | Readonly<Record<string, boolean>>>>;

/**
 * Requires that a condition is a valid expression over claims of the adaptive schema of a site.
 *
 * @param field the path of the condition in the request body
 * @throws ContractError 400 that names the field and, for an unknown claim, the claims of the schema
 */
export function requireCondition(
  site: Pick<SiteRow, 'adaptiveSchema'>,
  condition: string,
  field: string,
): void {
  const problem = problemOf(condition, claimsOf(site));
  if (problem !== undefined) {
    throw fieldInvalid(field, problem);
  }
}

/**
 * Creates a function that returns whether a condition selects a visitor. It does if there is no condition or the site
 * has no adaptive content, and does not if the adaptive schema was changed since and no longer has its claims.
 */
export function conditionsOf(
  site: ConditionSettings,
  claims: VisitorClaims,
): (condition: string | null) => boolean {
  if (site.adaptiveContent === 0) {
    return () => true;
  }
  const declared = claimsOf(site);
  return (condition) =>
    condition === null ||
    (problemOf(condition, declared) === undefined &&
      Boolean(evaluateExpression(parseCondition(condition), { visitor: { claims } })));
}

/** Returns why a condition is invalid; undefined if it is valid. */
function problemOf(condition: string, declared: DeclaredClaims | undefined): string | undefined {
  try {
    check(parseCondition(condition), declared);
    return undefined;
  } catch (error) {
    if (error instanceof ExpressionError || error instanceof ConditionProblem) {
      return `is invalid: ${error.message}`;
    }
    throw error;
  }
}

class ConditionProblem extends Error {}

/** @throws ConditionProblem if an expression reads anything but declared claims */
function check(expression: Expression, declared: DeclaredClaims | undefined): void {
  switch (expression.type) {
    case 'literal':
      return;
    case 'variable':
    case 'member':
      requireClaim(pathOf(expression), declared);
      return;
    case 'unary':
      check(expression.operand, declared);
      return;
    case 'conditional':
      check(expression.test, declared);
      check(expression.then, declared);
      check(expression.otherwise, declared);
      return;
    case 'binary':
      if (expression.operator === 'in') {
        const { left, right } = expression;
        if (left.type !== 'literal' || typeof left.value !== 'string') {
          throw new ConditionProblem('The left side of "in" must be the name of a claim in quotation marks.');
        }
        requireClaim([...pathOf(right), left.value], declared);
        return;
      }
      check(expression.left, declared);
      check(expression.right, declared);
  }
}

/** Returns the names of a variable and its members. */
function pathOf(expression: Expression): string[] {
  if (expression.type === 'variable') {
    return [expression.name];
  }
  if (expression.type === 'member') {
    const { object, property } = expression;
    if (property.type === 'literal' && typeof property.value === 'string') {
      return [...pathOf(object), property.value];
    }
  }
  throw new ConditionProblem('Members must be claims with a literal name, such as visitor.claims.name.');
}

function requireClaim(path: readonly string[], declared: DeclaredClaims | undefined): void {
  const [root, claims, ...names] = path;
  const isUnsigned = names[0] === UNSIGNED;
  const [name, ...rest] = isUnsigned ? names.slice(1) : names;
  const isClaim = root === 'visitor' && claims === 'claims' && name !== undefined && rest.length === 0;
  if (!isClaim) {
    throw new ConditionProblem(
      `${path.join('.')} is not a claim. Use visitor.claims.<name> or visitor.claims.${UNSIGNED}.<name>.`,
    );
  }
  if (!declared) {
    throw new ConditionProblem('The site has no adaptive schema. Set it before conditions on claims.');
  }
  if (!(isUnsigned ? declared.unsigned : declared.signed).has(name)) {
    const expressions = [
      ...[...declared.signed.keys()].map((existing) => expressionOf(existing, false)),
      ...[...declared.unsigned.keys()].map((existing) => expressionOf(existing, true)),
    ];
    throw new ConditionProblem(
      `The claim ${expressionOf(name, isUnsigned)} is not in the adaptive schema. ${
        expressions.length === 0 ? 'It has no claims.' : `It has ${expressions.join(', ')}.`
      }`,
    );
  }
}
