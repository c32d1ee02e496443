/** A node of a page tree, imported or to export. */
type TreeNode = { type: string; pages?: readonly TreeNode[] };

/** Counts the pages with a text of their own. Groups, links and computed entries are not counted. */
export function countDocuments(pages: readonly TreeNode[]): number {
  return pages.reduce(
    (count, page) => count + Number(page.type === 'document') + countDocuments(page.pages ?? []),
    0,
  );
}
