import { fieldInvalid } from '../../errors/errors.ts';
import { type AllowedRanges, requireHost } from '../../outgoing/addresses.ts';
import { OutgoingError } from '../../outgoing/errors.ts';
import { requireFetchable } from '../../outgoing/fetch.ts';
import { parseRepositoryUrl } from '../../outgoing/git/git-address.ts';

/**
 * Requires a field to be a URL that the server may call: `http` or `https`, without credentials, and not of a host that
 * is never public. Names are resolved and checked when the URL is called.
 *
 * @throws ContractError 400 that names the field
 */
export const requireCallable = (field: string, url: string, allow: AllowedRanges): URL =>
  requireUsable(field, () => requireFetchable(url, allow));

/**
 * Requires a field to be the URL of a repository that the server may call. It may contain credentials.
 *
 * @returns the URL as written
 * @throws ContractError 400 that names the field
 */
export function requireRepository(field: string, url: string, allow: AllowedRanges): URL {
  requireUsable(field, () => requireHost(parseRepositoryUrl(url).url, allow));
  return new URL(url);
}

/**
 * Checks a field as the outgoing connection will check it, so that it is rejected in the request.
 *
 * @throws ContractError 400 that names the field
 */
export function requireUsable<T>(field: string, check: () => T): T {
  try {
    return check();
  } catch (error) {
    if (error instanceof OutgoingError) {
      throw fieldInvalid(field, `cannot be used: ${error.message}`);
    }
    throw error;
  }
}
