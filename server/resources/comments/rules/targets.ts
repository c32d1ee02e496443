import { setImmediate } from 'node:timers/promises';
import type { components } from '../../../../generated/schema.d.ts';
import { openBranch } from '../../../content/branch.ts';
import { objectLoader } from '../../../content/store/objects.ts';
import { Documents } from '../../../content/threads/documents.ts';
import { type Content, contentAt, type PagePlace } from '../../../content/tree/content.ts';
import type { Load } from '../../../content/tree/values.ts';
import type { Queries } from '../../../database/database.ts';
import { fieldInvalid } from '../../../errors.ts';
import type { CommentRow, SaidRow } from '../../../models/comments/queries.ts';
import type { FoundBranch } from '../../../models/content-branches/queries.ts';
import type { Services } from '../../kit/slice.ts';

type Schemas = components['schemas'];

/** Services that reading targets requires. */
type TargetServices = Pick<Services, 'database' | 'threads'>;

const documentsOf = ({ threads }: TargetServices, { space }: FoundBranch): Documents =>
  new Documents(threads, space.organization);

/** The columns of a comment that store its target. */
export type StoredTarget = Pick<
  SaidRow,
  'page' | 'node' | 'nodePreview' | 'cellRecord' | 'cellDefinition' | 'revision'
>;

/**
 * Finds the target of a new comment in the current content.
 *
 * @throws ContractError 400 if the target does not exist, or names a part without the page or block that contains it
 */
export async function findTarget(
  services: TargetServices,
  branch: FoundBranch,
  { page, node, tableCell }: Pick<Schemas['CommentCreate'], 'page' | 'node' | 'tableCell'>,
): Promise<StoredTarget> {
  const whole = {
    page: null,
    node: null,
    nodePreview: null,
    cellRecord: null,
    cellDefinition: null,
    revision: branch.revision,
  };
  if (page === undefined) {
    if (node !== undefined || tableCell) {
      throw fieldInvalid('page', 'is required: the page of the commented block');
    }
    return whole;
  }
  const { content } = await openBranch(services.database.query, branch);
  const record = (await content.readPages([page])).get(page);
  if (!record) {
    throw fieldInvalid('page', 'must be the ID of a page of the content');
  }
  if (node === undefined) {
    if (tableCell) {
      throw fieldInvalid('node', 'is required: the key of the table of the cell');
    }
    return { ...whole, page };
  }
  const block =
    record.type === 'document'
      ? await documentsOf(services, branch).findBlock(await content.readBody(record), node, tableCell)
      : undefined;
  if (!block) {
    throw fieldInvalid('node', 'must be the key of a block of the page document');
  }
  const nodeOfPage = { ...whole, page, node, nodePreview: block.preview };
  if (!tableCell) {
    return nodeOfPage;
  }
  if (!block.hasCell) {
    throw fieldInvalid('tableCell', 'must name a row and a column of the table in `node`');
  }
  return { ...nodeOfPage, cellRecord: tableCell.record, cellDefinition: tableCell.definition };
}

/** Reads the targets of comments on a content branch. Returns a function that presents the target of each. */
export async function readTargets(
  services: TargetServices,
  branch: FoundBranch,
  rows: readonly CommentRow[],
): Promise<(row: CommentRow) => Schemas['CommentTarget']> {
  const queries = services.database.query;
  const pages = new Set(rows.flatMap(({ page }) => page ?? []));
  const { content } = await openBranch(queries, branch);
  const current = await content.readPlaces(pages);
  const keys = await readKeys(documentsOf(services, branch), content, current, rows);
  const earlier = await readEarlier(
    queries,
    branch,
    rows.filter(({ page }) => page !== null && !current.has(page)),
  );
  return (row) => {
    const { page, node, nodePreview, cellRecord, cellDefinition } = row;
    const place = page === null ? undefined : (current.get(page) ?? earlier(row));
    const exists = page !== null && current.has(page) && (node === null || keys.get(page)?.has(node));
    return {
      ...(node !== null && { node: { id: node, preview: nodePreview ?? '' } }),
      ...(cellRecord !== null &&
        cellDefinition !== null && { tableCell: { record: cellRecord, definition: cellDefinition } }),
      ...(row.changeRequest !== null && { changeRequest: row.changeRequest }),
      ...(place && { page: presentPage(place, !exists) }),
      space: row.space,
      revision: row.revision,
    };
  };
}

function presentPage({ record, path }: PagePlace, outdated: boolean): Schemas['CommentedPage'] {
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
  places: ReadonlyMap<string, PagePlace>,
  rows: readonly CommentRow[],
): Promise<Map<string, Set<string>>> {
  const requested = new Map<string, Set<string>>();
  for (const { page, node } of rows) {
    if (page === null || node === null) {
      continue;
    }
    requested.set(page, (requested.get(page) ?? new Set()).add(node));
  }
  const records = [...requested.keys()].flatMap((id) => places.get(id)?.record ?? []);
  const bodies = await content.readBodies(records);
  const existing = new Map<string, Set<string>>();
  for (const { id, type } of records) {
    const keys = type === 'document' ? [...(requested.get(id) ?? [])] : [];
    existing.set(id, await documents.existingKeys(bodies.get(id) ?? '', keys));
  }
  return existing;
}

/** Reads deleted pages as they were when they were commented on. */
async function readEarlier(
  queries: Queries,
  { space }: FoundBranch,
  rows: readonly CommentRow[],
): Promise<(row: CommentRow) => PagePlace> {
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
  const places = new Map(
    await Promise.all(
      revisions.map(async ({ id, root }) => {
        const pages = rows.flatMap(({ revision, page }) => (revision === id && page !== null ? [page] : []));
        return [id, await (await contentAt(root, load)).readPlaces(new Set(pages))] as const;
      }),
    ),
  );
  return ({ id, revision, page }) => {
    const place = page === null ? undefined : places.get(revision)?.get(page);
    if (!place) {
      throw new Error(`The comment ${id} has lost the page ${page} of the revision ${revision}.`);
    }
    return place;
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
