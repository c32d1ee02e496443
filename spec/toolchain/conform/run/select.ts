import type { Contract } from '../../model/contract/contract.ts';
import { UsageError } from '../../usage-error.ts';

/**
 * Selects operations by a glob over ids and paths; `*` matches any text, including slashes.
 * @throws {UsageError} when no operation matches
 */
export function selected(contract: Contract, only: string | undefined): ReadonlySet<string> {
  const all = contract.operations;
  if (only === undefined) {
    return new Set(all.map(({ id }) => id));
  }
  const pattern = new RegExp(
    `^${only
      .split(/\*+/)
      .map((part) => part.replaceAll(/[\\^$.+?()[\]{}|]/g, '\\$&'))
      .join('.*')}$`,
    'i',
  );
  const matching = all.filter(
    ({ id, path, method }) => pattern.test(id) || pattern.test(path) || pattern.test(`${method} ${path}`),
  );
  if (matching.length === 0) {
    throw new UsageError(
      `No operation matches "${only}". Pass an id (${all[0]?.id ?? 'listWidgets'}) or a path, with * for any text.`,
    );
  }
  return new Set(matching.map(({ id }) => id));
}
