import type { CommitSource } from '../../../../content/branch.ts';
import type { LoadedFiles } from '../../../../content/repository/files.ts';
import { projectFolder } from '../../../../content/repository/read/repository.ts';
import type { ContentProblem } from '../../../../content/repository/types.ts';
import { openContent } from '../../../../content/store/content.ts';
import { findRevision, type RevisionRow, storeRevision } from '../../../../content/store/revisions.ts';
import { jobAddressFinder } from '../../../../content/threads/addresses.ts';
import { textMerger } from '../../../../content/threads/merging.ts';
import type { PreparedImport } from '../../../../content/transfer/import.ts';
import { type MergedImport, mergeImport } from '../../../../content/transfer/import-merge.ts';
import type { PlannedContent } from '../../../../content/tree/change.ts';
import type { Content } from '../../../../content/tree/content.ts';
import type { Queries, Transaction } from '../../../../database/database.ts';
import type { RevisionGit } from '../../../../database/schema/content/revisions.ts';
import type { SpaceGit } from '../../../../database/schema/spaces/spaces.ts';
import type { GitCommit } from '../../../../outgoing/git/git.ts';
import type { Services } from '../../../kit/slice.ts';
import { insertChangeRequest } from '../../content-branches/insert-change-request.ts';
import type { GitImportPayload } from '../rules.ts';
import { type ConflictedResource, conflictProblems, describeConflicts } from './import-conflicts.ts';
import { isContained, type TransferSpace } from './transfer.ts';

/** Whether the last synchronization with a branch was with this commit and these options. */
export function isImported(
  git: SpaceGit,
  { force, standalone, repoProjectDirectory, repoTreeURL }: GitImportPayload,
  { oid }: GitCommit,
): boolean {
  if (force || standalone || git.oid !== oid) {
    return false;
  }
  const isSameFolder =
    projectFolder(git.projectDirectory ?? '') === projectFolder(repoProjectDirectory ?? '');
  return isSameFolder && (repoTreeURL === undefined || repoTreeURL === git.treeURL);
}

/** The content that an import changes. */
export interface ImportBase {
  revision: RevisionRow;
  content: Content;
  /** Whether the space has edits that the import is merged with. */
  isEdited: boolean;
  /** Whether the content is a synchronized commit's, and the edits are those since. */
  isCommit: boolean;
}

/**
 * Finds the content that an import changes: that of the last commit that the space contains, from the same branch if
 * possible. A forced or standalone import, and one into an empty space, changes the current content.
 */
export async function findBase(
  queries: Queries,
  { space, force, standalone }: GitImportPayload,
  { branch, revision, content }: CommitSource<TransferSpace>,
  synced: SpaceGit | undefined,
): Promise<ImportBase> {
  const current = { revision, content, isCommit: false };
  if (force || standalone) {
    return { ...current, isEdited: false };
  }
  const last = synced && isContained(synced, branch.git) ? synced : branch.git;
  const base = last && (await findRevision(queries, space, last.revision));
  if (!base) {
    return { ...current, isEdited: !(await isEmpty(content)) };
  }
  return base.root === revision.root
    ? { ...current, isEdited: false }
    : { revision: base, content: await openContent(queries, base), isCommit: true, isEdited: true };
}

async function isEmpty(content: Content): Promise<boolean> {
  const { pages, files } = content.roots;
  return pages === null && files === null && (await content.readReusableContents()).length === 0;
}

/** An import that was merged with the edits of a space. */
interface EditedImport {
  base: ImportBase;
  source: CommitSource<TransferSpace>;
  prepared: PreparedImport;
  loaded: LoadedFiles;
  hasOtherOrigins: boolean;
}

/** A merged import, with the resources that are in conflict. */
interface MergedEdits extends MergedImport {
  resources: ConflictedResource[];
}

/** Merges an import with the edits of a space. */
export async function mergeEdits(
  services: Services,
  { base, source, prepared, loaded, hasOtherOrigins }: EditedImport,
): Promise<MergedEdits> {
  const { organization } = source.revision;
  const merged = await mergeImport(
    services.database,
    {
      organization,
      ancestor: base.isCommit ? base.content : undefined,
      ours: source.content,
      theirs: prepared.planned,
    },
    {
      mergeTexts: textMerger(services.threads, organization),
      findAddresses: jobAddressFinder(services, organization),
      hasOtherOrigins,
    },
  );
  return { ...merged, resources: await describeConflicts(merged, loaded, base.isCommit) };
}

/** A merged import with content that was just stored. */
interface StoredImport {
  space: TransferSpace['space'];
  /** The revision with the merged content. */
  revision: RevisionRow;
  /** The revision before. */
  previous: RevisionRow;
  git: RevisionGit;
  /** The user who requested the import. */
  user: string;
  /** ID of the revision with the content of the commit, without edits. */
  commitRevision: string;
  base: ImportBase;
  planned: PlannedContent;
  merged: MergedEdits;
}

/**
 * Stores the content of the commit, which the next import is compared with, and the edits that were replaced as a
 * change request.
 *
 * @returns the ID of the change request and the problems that name it; undefined without replaced edits
 */
export async function storeEdits(
  trx: Transaction,
  { clock, createId }: Services,
  { space, revision, previous, git, user, commitRevision, base, planned, merged }: StoredImport,
): Promise<{ changeRequest: string; problems: ContentProblem[] } | undefined> {
  const common = { organization: space.organization, space: space.id, createdBy: user, now: clock() };
  const parents = base.isCommit ? [base.revision.id] : [];
  await storeRevision(trx, { ...common, id: commitRevision, type: 'edits', parents, git }, planned);
  if (!merged.edits) {
    return undefined;
  }
  const [id, edits] = [createId('cr'), createId('rev')];
  await storeRevision(
    trx,
    { ...common, id: edits, type: 'edits', parents: [revision.id, previous.id], changeRequest: id },
    merged.edits,
  );
  await insertChangeRequest(
    trx,
    { clock },
    {
      id,
      organization: space.organization,
      space: space.id,
      status: 'open',
      subject: `Edits that the import of ${git.oid.slice(0, 12)} replaced`,
      createdBy: user,
      revision: edits,
      revisionInitial: revision.id,
    },
  );
  return { changeRequest: id, problems: conflictProblems(merged.resources, id) };
}
