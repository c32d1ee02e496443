import { BadInput } from '../../bad-input.ts';
import type { Contract } from '../contract/contract.ts';

/**
 * The operations that a glob matches, by id or by path; `*` stands for any text, a slash included.
 * @throws {BadInput} when it matches none
 */
export function selected(contract: Contract, only: string | undefined): ReadonlySet<string> {
  const all = contract.operations;
  if (only === undefined) return new Set(all.map(({ id }) => id));
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
  if (matching.length === 0)
    throw new BadInput(
      `No operation matches "${only}". Give an id (${all[0]?.id ?? 'listThings'}) or a path, with * for any text.`,
    );
  return new Set(matching.map(({ id }) => id));
}
