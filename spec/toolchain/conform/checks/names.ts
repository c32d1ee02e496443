import { UsageError } from '../../usage-error.ts';
import { checks } from './checks.ts';
import { SEQUENCE_RULES } from './sequences.ts';

/** Returns all checks with their rules. */
const allChecks = (): { name: string; rule: string }[] => [...checks, ...SEQUENCE_RULES];

/** Formats the list of checks for the terminal. */
export function formatChecks(): string {
  const width = Math.max(...allChecks().map(({ name }) => name.length));
  return allChecks()
    .map(({ name, rule }) => `${name.padEnd(width)}  ${rule}`)
    .join('\n');
}

/** @throws {UsageError} for an unknown check */
export function assertCheckNames(names: readonly string[]): void {
  const checkNames = allChecks().map(({ name }) => name);
  const unknown = names.find((name) => !checkNames.includes(name));
  if (unknown === undefined) {
    return;
  }
  throw new UsageError(`Unknown check "${unknown}". Pass one of: ${checkNames.join(', ')}.`);
}
