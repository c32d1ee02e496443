import type { Schemas } from './client.ts';

type Page = Schemas['Page'];

/** Page of a tree, and its ancestors. */
export interface TreePage {
  page: Page;
  /** Pages that contain it, from the root. */
  parents: readonly Page[];
}

/**
 * Iterates over the pages of a tree in their order, each before its subpages.
 * @param tree page tree of a space, a change request or a revision
 *
 * @example
 * const tree = await getSpacePageTree(client, { spaceId })
 * for (const { page, parents } of walkPages(tree)) {
 *   console.log('  '.repeat(parents.length) + page.title)
 * }
 */
export function* walkPages(
  tree: { pages: readonly Page[] },
  parents: readonly Page[] = [],
): Generator<TreePage, void> {
  for (const page of tree.pages) {
    yield { page, parents };
    if ('pages' in page && page.pages !== undefined) {
      yield* walkPages({ pages: page.pages }, [...parents, page]);
    }
  }
}
