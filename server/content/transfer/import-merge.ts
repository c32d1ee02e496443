/** Merges an import with the edits that a space has since the last synchronized commit. */
import type { Database } from '../../database/database.ts';
import { planContent } from '../edit/plan-content.ts';
import type { FindAddresses } from '../links/text-links.ts';
import type { MergeTexts } from '../merge/lines.ts';
import { type MergeConflict, mergeContent, type Side } from '../merge/merge.ts';
import { openContent } from '../store/content.ts';
import { objectBatches, storeObjects } from '../store/objects.ts';
import { storeAhead } from '../store/revisions.ts';
import type { PlannedContent } from '../tree/change.ts';
import { changedPages } from '../tree/changes.ts';
import { Content } from '../tree/content.ts';
import { EMPTY } from '../tree/content-root.ts';
import { fileKey } from '../tree/records.ts';
import { diff } from '../tree/trie-diff.ts';
import { readGitOrigins, recordOrigins } from './origins.ts';

/** The contents of an import that meets edits. */
export interface ImportSides {
  organization: string;
  /** The content of the last commit that the space contains; omitted if it contains none. */
  ancestor?: Content | undefined;
  /** The current content of the space. */
  ours: Content;
  /** The content of the imported commit. */
  theirs: PlannedContent;
}

/** The result of a merge of an import. */
export interface MergedImport {
  /** The content with the changes of both sides, and the repository's in conflicts. */
  planned: PlannedContent;
  /** The content with the changes of both sides, and the space's in conflicts. Omitted without conflicts. */
  edits?: PlannedContent;
  conflicts: MergeConflict[];
  /** The content of the imported commit, and of the edits if there are conflicts. */
  contents: { theirs: Content; ours: Content };
}

/** How an import is merged. */
interface ImportMerging {
  mergeTexts: MergeTexts;
  findAddresses: FindAddresses;
  /** Whether the records of the space may have origins in another repository. */
  hasOtherOrigins: boolean;
}

/**
 * Merges the content of a commit and the edits of a space, line by line. Without a common commit, the content of the
 * repository replaces the content of the space, which is then entirely in conflict. All results except small parts are
 * stored ahead of the transaction.
 */
export async function mergeImport(
  database: Database,
  { organization, ancestor, ours, theirs: planned }: ImportSides,
  { mergeTexts, findAddresses, hasOtherOrigins }: ImportMerging,
): Promise<MergedImport> {
  const store = async (content: PlannedContent) => {
    for (const batch of objectBatches(content.objects)) {
      await database.transaction((trx) => storeObjects(trx, organization, batch));
    }
    return await openContent(database.query, { organization, root: content.root });
  };
  const theirs = await store(planned);
  const gitOrigins = hasOtherOrigins ? await readGitOrigins(theirs) : undefined;
  const sides = { ancestor: ancestor ?? new Content(EMPTY, theirs.load), primary: theirs, branch: ours };
  const merge = async (prefer: Side) => {
    const { change, conflicts } = await mergeContent(sides, { mergeTexts, prefer });
    const merged = await planContent(planned.root, change, theirs.load, findAddresses);
    if (!gitOrigins) {
      return { conflicts, content: await storeAhead(database, organization, merged) };
    }
    const content = await store(merged);
    const located = await planContent(merged.root, await recordOrigins(content, gitOrigins), content.load);
    return { conflicts, content: await storeAhead(database, organization, located) };
  };
  if (ancestor) {
    const { content, conflicts } = await merge('primary');
    const edits = conflicts.length > 0 ? (await merge('branch')).content : undefined;
    return { planned: content, ...(edits && { edits }), conflicts, contents: { theirs, ours } };
  }
  const conflicts = await missingIn(theirs, ours);
  const edits = await merge('branch');
  const all = [...edits.conflicts, ...conflicts];
  return {
    planned,
    ...(all.length > 0 && { edits: edits.content }),
    conflicts: all,
    contents: { theirs, ours },
  };
}

/** Lists the pages, files and reusable contents that only the second content has. */
async function missingIn(theirs: Content, ours: Content): Promise<MergeConflict[]> {
  const { added } = await changedPages(theirs, ours);
  const files = await diff(theirs.roots.files, ours.roots.files, ours.load);
  const known = new Set((await theirs.readReusableContents()).map(({ id }) => id));
  const reusables = (await ours.readReusableContents()).filter(({ id }) => !known.has(id));
  const prefix = fileKey('');
  return [
    ...added.map((page) => ({ page, part: 'deleted' })),
    ...[...files].flatMap(([key, { before }]) =>
      before === undefined ? [{ file: key.slice(prefix.length), part: 'deleted' }] : [],
    ),
    ...reusables.map(({ id }) => ({ reusableContent: id, part: 'deleted' })),
  ];
}
