import type { TokenScope } from '../database/schema/accounts/access-tokens.ts';
import { scopeMissing } from '../errors/errors.ts';

/** Scopes of access tokens in ascending order. Each includes the scopes before it. */
export const TOKEN_SCOPES = ['read', 'write', 'admin'] as const satisfies TokenScope[];

/**
 * Returns the scope that an operation requires.
 *
 * @param method in lower case
 * @param declared the operation's `x-scope` in the contract
 * @throws Error if `declared` is not a scope
 */
export function requiredScope(method: string, declared: unknown): TokenScope {
  if (declared === undefined) {
    return method === 'get' ? 'read' : 'write';
  }
  const scope = TOKEN_SCOPES.find((name) => name === declared);
  if (!scope) {
    throw new Error(`x-scope is ${String(declared)}, which is none of ${TOKEN_SCOPES.join(', ')}.`);
  }
  return scope;
}

/** Returns whether the scopes of a token include a required one. Null is a token without limits. */
export function includesScope(scopes: readonly TokenScope[] | null, required: TokenScope): boolean {
  return scopes?.some((scope) => TOKEN_SCOPES.indexOf(scope) >= TOKEN_SCOPES.indexOf(required)) ?? true;
}

/**
 * Requires a scope.
 *
 * @throws ContractError 403 if the token lacks the scope
 */
export function requireScope(scopes: readonly TokenScope[] | null, required: TokenScope): void {
  if (!includesScope(scopes, required)) {
    throw scopeMissing(required);
  }
}
