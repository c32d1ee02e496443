import { installationIncomplete } from '../../../../errors/errors.ts';

/** Status of an installation. Only whether it is paused is stored; the rest follows from its configuration. */
export type InstallationStatus = 'active' | 'pending' | 'paused';

/** Returns the status of an installation with some required settings that have no value. */
export function statusOf(paused: boolean, missing: readonly string[]): InstallationStatus {
  if (paused) {
    return 'paused';
  }
  return missing.length > 0 ? 'pending' : 'active';
}

/**
 * Returns the status after an update. A caller can pause an installation in any status. It becomes active on request
 * only if it is complete; an incomplete one that is not paused is pending.
 *
 * @param missing required settings without a value, after the update
 * @throws ContractError 409 if it would be active without a required setting
 */
export function nextStatus(
  current: InstallationStatus,
  requested: 'active' | 'paused' | undefined,
  missing: readonly string[],
): InstallationStatus {
  if (requested === 'active' && missing.length > 0) {
    throw installationIncomplete(missing);
  }
  return statusOf((requested ?? current) === 'paused', missing);
}
