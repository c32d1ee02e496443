import type { TokenScope } from '../database/schema/access-tokens.ts';
import { scopeMissing } from '../errors.ts';

/** The scopes of access tokens, from least to most: each includes those before it. */
export const TOKEN_SCOPES = ['read', 'write', 'admin'] as const satisfies TokenScope[];

/**
 * The scope that an operation needs.
 *
 * @param method in lower case
 * @param marked the operation's `x-scope` in the contract
 * @throws Error for a mark that is not a scope
 */
export function neededScope(method: string, marked: unknown): TokenScope {
  if (marked === undefined) return method === 'get' ? 'read' : 'write';
  const scope = TOKEN_SCOPES.find((one) => one === marked);
  if (!scope) throw new Error(`x-scope is ${String(marked)}, which is none of ${TOKEN_SCOPES.join(', ')}.`);
  return scope;
}

/** Whether a token with these scopes may do what needs `needed`; null is a token without limits. */
export function includesScope(scopes: readonly TokenScope[] | null, needed: TokenScope): boolean {
  return scopes?.some((scope) => TOKEN_SCOPES.indexOf(scope) >= TOKEN_SCOPES.indexOf(needed)) ?? true;
}

/** @throws ContractError 403 for a token that lacks the scope */
export function requireScope(scopes: readonly TokenScope[] | null, needed: TokenScope): void {
  if (!includesScope(scopes, needed)) throw scopeMissing(needed);
}
