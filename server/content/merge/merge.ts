import type { ContentChange } from '../tree/change.ts';
import { mergeFiles } from './files.ts';
import type { MergeTexts } from './lines.ts';
import { mergePages } from './pages.ts';
import { mergeComputed, mergeReusableContents, mergeVariables } from './settings.ts';
import type { MergeConflict, MergeSides } from './sides.ts';

export { hasConflictMarkers } from './markers.ts';
export type { MergeConflict, MergeSides } from './sides.ts';

/**
 * Merges what a change request and the primary content made of their common ancestor. Loads what differs only, and
 * texts that both sides changed. Conflicts are resolved in favour of the branch, with what the primary has kept
 * beside it as far as there is a text to keep it in; the caller decides what becomes of them.
 *
 * @param mergeTexts merges texts that both sides changed, elsewhere perhaps
 * @returns the change that makes the merged content of the primary's root (`planContent(primaryRoot, change, load)`)
 * @throws MissingObjectError
 */
export async function mergeContent(
  sides: MergeSides,
  mergeTexts?: MergeTexts,
): Promise<{ change: ContentChange; conflicts: MergeConflict[] }> {
  const [pages, reusable, files, variables, computed] = await Promise.all([
    mergePages(sides, mergeTexts),
    mergeReusableContents(sides, mergeTexts),
    mergeFiles(sides),
    mergeVariables(sides),
    mergeComputed(sides),
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
