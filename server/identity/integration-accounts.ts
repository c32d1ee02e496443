import { notForInstallations } from '../errors/errors.ts';
import { OWN_OPERATIONS } from './installation-scopes.ts';

/** Prefix of the IDs of the accounts of integrations, which neither users nor installations have. */
const PREFIX = 'itg_';

/** Returns the ID of the account that the script of an integration uses to manage all its installations. */
export const accountOf = (integration: string): string => `${PREFIX}${integration}`;

/** Returns the name of the integration that a caller is the account of; undefined for any other caller. */
export const integrationOf = (caller: string): string | undefined =>
  caller.startsWith(PREFIX) ? caller.slice(PREFIX.length) : undefined;

/** Operations that the account of an integration can call: on the integration itself, and on its installations. */
const ACCOUNT_OPERATIONS: readonly string[] = [...OWN_OPERATIONS, 'createInstallationToken'];

/**
 * Requires an operation to be one of the account of an integration.
 *
 * @throws ContractError 403 if it is not
 */
export function requireAccountOperation(operation: string): void {
  if (!ACCOUNT_OPERATIONS.includes(operation)) {
    throw notForInstallations();
  }
}
