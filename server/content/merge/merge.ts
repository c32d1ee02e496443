import type { ContentChange } from '../tree/change.ts';
import { mergeFiles } from './files.ts';
import type { MergeOptions } from './lines.ts';
import { mergePages } from './pages.ts';
import { mergeComputed, mergeReusableContents, mergeVariables } from './settings.ts';
import type { MergeConflict, MergeSides } from './sides.ts';

export { hasConflictMarkers } from './markers.ts';
export type { MergeConflict, MergeSides, Side } from './sides.ts';

/**
 * Merges the changes that a change request and the primary content made to their common ancestor. Loads only
 * differences, and texts that both sides changed. Conflicts are resolved in favor of the branch; texts with conflicts
 * contain the primary's version, too, unless a side is preferred. The calling code decides how to handle conflicts.
 *
 * @returns the change that turns the primary's root into the merged content (`planContent(primaryRoot, change, load)`)
 * @throws MissingObjectError
 */
export async function mergeContent(
  sides: MergeSides,
  options: MergeOptions = {},
): Promise<{ change: ContentChange; conflicts: MergeConflict[] }> {
  const [pages, reusable, files, variables, computed] = await Promise.all([
    mergePages(sides, options),
    mergeReusableContents(sides, options),
    mergeFiles(sides, options),
    mergeVariables(sides, options),
    mergeComputed(sides, options),
  ]);
  const parts = [pages, reusable, files, variables, computed];
  return {
    change: {
      ...pages.change,
      ...reusable.change,
      ...files.change,
      ...variables.change,
      ...computed.change,
      texts: [...pages.texts, ...reusable.texts],
    },
    conflicts: parts.flatMap(({ conflicts }) => conflicts),
  };
}
