import { freeSlug, slugify, slugKey } from '../../../../content/tree/slugs.ts';
import { pathTaken } from '../../../../errors/errors.ts';

const MIN_TITLE_CHARACTERS = 2;
const MAX_TITLE_CHARACTERS = 128;

/** Returns the title of a section that is named after a space, within the limits of the contract. */
export function sectionTitle(spaceTitle: string): string {
  const letters = Array.from(spaceTitle.trim());
  return letters.length < MIN_TITLE_CHARACTERS ? 'Untitled' : letters.slice(0, MAX_TITLE_CHARACTERS).join('');
}

/** Returns an unused path for a title. */
export const freePath = (title: string, siblings: readonly { path: string }[]): string =>
  freeSlug(slugify(title), new Set(siblings.map(({ path }) => slugKey(path))));

/**
 * Requires that no sibling has a path.
 *
 * @throws ContractError 409
 */
export function requireFreePath(
  path: string,
  id: string,
  siblings: readonly { id: string; path: string }[],
): void {
  if (siblings.some((sibling) => sibling.id !== id && slugKey(sibling.path) === slugKey(path))) {
    throw pathTaken('path');
  }
}
