import type { components } from '../../generated/schema.d.ts';
import { ContractError, type Fault, RUNTIME_REASONS } from '../contract/errors.ts';

/** Cause of an error, as listed in the contract. */
type ErrorReason = components['schemas']['ErrorReason'];

/** Reasons of all errors, of the runtime and of errors.ts. */
export const DEFINED_REASONS = new Set<ErrorReason>(RUNTIME_REASONS);

/** Defines an error. Returns a function that creates it from the parts of its message. */
export function define<Parts extends unknown[]>(
  status: number,
  reason: ErrorReason,
  message: (...parts: Parts) => string,
  details: Fault[] = [],
): (...parts: Parts) => ContractError {
  DEFINED_REASONS.add(reason);
  return (...parts) => new ContractError(status, reason, message(...parts), { details });
}

/** Defines an error with a status and message from another program, such as the script of an integration. */
export function defineForwarded(reason: ErrorReason): (status: number, message: string) => ContractError {
  DEFINED_REASONS.add(reason);
  return (status, message) => new ContractError(status, reason, message);
}

/** Defines a conflict of a field with the current state. The details of the error name the field. */
export function defineFieldConflict<Parts extends unknown[]>(
  reason: ErrorReason,
  problem: (...parts: Parts) => string,
): (path: string, ...parts: Parts) => ContractError {
  DEFINED_REASONS.add(reason);
  return (path, ...parts) => {
    const message = problem(...parts);
    const details = [{ in: 'body' as const, path, message }];
    return new ContractError(409, reason, `The request conflicts with the content: ${path} ${message}.`, {
      details,
    });
  };
}
