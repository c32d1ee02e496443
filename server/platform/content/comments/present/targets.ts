import { setImmediate } from 'node:timers/promises';
import type { components } from '../../../../../generated/schema.d.ts';
import { openBranch } from '../../../../content/branch.ts';
import { objectLoader } from '../../../../content/store/objects.ts';
import { Documents } from '../../../../content/threads/documents.ts';
import { type Content, contentAt, type LocatedPage } from '../../../../content/tree/content.ts';
import type { Load } from '../../../../content/tree/values.ts';
import type { Queries } from '../../../../database/database.ts';
import type { Services } from '../../../kit/slice.ts';
import type { BranchWithAccess } from '../../content-branches/queries.ts';
import type { CommentRow } from '../queries.ts';

type Schemas = components['schemas'];

/** Reads the targets of comments on a content branch. Returns a function that presents the target of each. */
export async function readTargets(
  { database, threads }: Pick<Services, 'database' | 'threads'>,
  branch: BranchWithAccess,
  rows: readonly CommentRow[],
): Promise<(row: CommentRow) => Schemas['CommentTarget']> {
  const pages = new Set(rows.flatMap(({ page }) => page ?? []));
  const { content } = await openBranch(database.query, branch);
  const current = await content.readLocatedPages(pages);
  const keys = await readKeys(new Documents(threads, branch.space.organization), content, current, rows);
  const deletedPageOf = await readDeletedPages(
    database.query,
    branch,
    rows.filter(({ page }) => page !== null && !current.has(page)),
  );
  return (row) => {
    const { page, node, nodePreview, cellRecord, cellDefinition } = row;
    const located = page === null ? undefined : (current.get(page) ?? deletedPageOf(row));
    const exists = page !== null && current.has(page) && (node === null || keys.get(page)?.has(node));
    return {
      ...(node !== null && { node: { id: node, preview: nodePreview ?? '' } }),
      ...(cellRecord !== null &&
        cellDefinition !== null && { tableCell: { record: cellRecord, definition: cellDefinition } }),
      ...(row.changeRequest !== null && { changeRequest: row.changeRequest }),
      ...(row.review !== null && { review: row.review }),
      ...(located && { page: presentPage(located, !exists) }),
      space: row.space,
      revision: row.revision,
    };
  };
}

function presentPage({ record, path }: LocatedPage, outdated: boolean): Schemas['CommentedPage'] {
  const { id, title, emoji, icon, createdAt, updatedAt } = record;
  return {
    id,
    title,
    ...(emoji !== undefined && { emoji }),
    ...(icon !== undefined && { icon }),
    // As with pages, both dates are set by the first edit.
    ...(createdAt !== undefined && updatedAt !== undefined && { createdAt, updatedAt }),
    path,
    outdated,
  };
}

/** Reads the keys of the commented blocks that still exist, by page. A cell exists as long as its table. */
async function readKeys(
  documents: Documents,
  content: Content,
  located: ReadonlyMap<string, LocatedPage>,
  rows: readonly CommentRow[],
): Promise<Map<string, Set<string>>> {
  const requested = new Map<string, Set<string>>();
  for (const { page, node } of rows) {
    if (page === null || node === null) {
      continue;
    }
    requested.set(page, (requested.get(page) ?? new Set()).add(node));
  }
  const records = [...requested.keys()].flatMap((id) => located.get(id)?.record ?? []);
  const bodies = await content.readBodies(records);
  const existing = new Map<string, Set<string>>();
  for (const { id, type } of records) {
    const keys = type === 'document' ? [...(requested.get(id) ?? [])] : [];
    existing.set(id, await documents.existingKeys(bodies.get(id) ?? '', keys));
  }
  return existing;
}

/** Reads deleted pages as they were when they were commented on. */
async function readDeletedPages(
  queries: Queries,
  { space }: BranchWithAccess,
  rows: readonly CommentRow[],
): Promise<(row: CommentRow) => LocatedPage> {
  const revisions = await queries
    .selectFrom('revisions')
    .select(['id', 'root'])
    .where(
      'id',
      'in',
      rows.map(({ revision }) => revision),
    )
    .where('space', '=', space.id)
    .execute();
  const load = batchLoads(objectLoader(queries, space.organization));
  const byRevision = new Map(
    await Promise.all(
      revisions.map(async ({ id, root }) => {
        const pages = rows.flatMap(({ revision, page }) => (revision === id && page !== null ? [page] : []));
        return [id, await (await contentAt(root, load)).readLocatedPages(new Set(pages))] as const;
      }),
    ),
  );
  return ({ id, revision, page }) => {
    const located = page === null ? undefined : byRevision.get(revision)?.get(page);
    if (!located) {
      throw new Error(`The revision ${revision} of the comment ${id} does not contain its page ${page}.`);
    }
    return located;
  };
}

/** Batches concurrent loads into one, so that many revisions are read in as few steps as one. */
function batchLoads(load: Load): Load {
  let requested = new Set<string>();
  let pending: ReturnType<Load> | undefined;
  return (hashes) => {
    for (const hash of hashes) {
      requested.add(hash);
    }
    pending ??= setImmediate().then(() => {
      const batch = [...requested];
      requested = new Set();
      pending = undefined;
      return load(batch);
    });
    return pending;
  };
}
