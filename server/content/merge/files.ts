import type { ContentChange } from '../tree/change.ts';
import { asFile } from '../tree/content.ts';
import { type FileRecord, fileKey } from '../tree/records.ts';
import { diff } from '../tree/trie-diff.ts';
import type { MergeOptions } from './lines.ts';
import {
  conflictOf,
  joinDifferences,
  type MergeConflict,
  type MergeSides,
  mapSides,
  mergeValue,
  type Side,
  type Sides,
  same,
} from './sides.ts';

/** Merges the names and contents of files. */
export async function mergeFiles(
  { ancestor, primary, branch }: MergeSides,
  { prefer }: MergeOptions,
): Promise<{ change: Required<Pick<ContentChange, 'files'>>; conflicts: MergeConflict[] }> {
  const [toPrimary, toBranch] = await Promise.all(
    [primary, branch].map((side) => diff(ancestor.roots.files, side.roots.files, side.load)),
  );
  const files = new Map<string, FileRecord | undefined>();
  const conflicts: MergeConflict[] = [];
  const joined = joinDifferences(toPrimary ?? new Map(), toBranch ?? new Map(), asFile);
  for (const [key, sides] of joined) {
    const file = key.slice(fileKey('').length);
    const merged = mergeFile(sides, prefer);
    if (!same(merged.file, sides.primary)) {
      files.set(file, merged.file);
    }
    conflicts.push(...merged.conflicts.map((part) => ({ file, ...conflictOf(part, prefer) })));
  }
  return { change: { files }, conflicts };
}

function mergeFile(
  sides: Sides<FileRecord>,
  prefer: Side | undefined,
): { file: FileRecord | undefined; conflicts: string[] } {
  const { ancestor, primary, branch } = sides;
  const whole = mergeValue(sides);
  if (!whole.conflict) {
    return { file: whole.value, conflicts: [] };
  }
  if (!primary || !branch) {
    const survivor = primary ?? branch;
    const isUnchanged = same(ancestor && editableParts(ancestor), survivor && editableParts(survivor));
    return isUnchanged ? { file: undefined, conflicts: [] } : { file: survivor, conflicts: ['deleted'] };
  }
  const name = mergeValue(
    mapSides(sides, (file) => file.name),
    prefer,
  );
  const content = mergeValue(mapSides(sides, contentOf), prefer);
  const git = same(primary.git, ancestor?.git) ? branch.git : primary.git;
  return {
    file: {
      id: primary.id,
      createdAt: primary.createdAt,
      name: name.value ?? branch.name,
      ...(content.value ?? contentOf(branch)),
      ...(git && { git }),
    },
    conflicts: [...(name.conflict ? ['name'] : []), ...(content.conflict ? ['content'] : [])],
  };
}

function contentOf({ blob, size, contentType, dimensions }: FileRecord) {
  return { blob, size, contentType, ...(dimensions && { dimensions }) };
}

/** Returns the parts of a file that users edit. */
const editableParts = (file: FileRecord) => ({ name: file.name, ...contentOf(file) });
