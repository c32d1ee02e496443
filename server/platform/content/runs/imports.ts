import type { components } from '../../../../generated/schema.d.ts';
import type { Queries } from '../../../database/database.ts';
import { readJson } from '../../../database/json.ts';
import { notFound } from '../../../errors/errors.ts';
import type { CallerId } from '../../../identity/caller.ts';
import { unlessNotFound } from '../../../identity/errors.ts';
import type { Membership } from '../../../identity/membership.ts';
import { requireMember } from '../../../identity/membership.ts';
import type { SpacePermission } from '../../../identity/permissions.ts';
import { isSpaceOfRowVisible } from '../../../identity/visible-spaces.ts';
import type { ResourceUrls } from '../../kit/resource-urls.ts';
import { spaceFor } from '../../spaces/spaces/queries.ts';
import type { RunRow } from './queries.ts';

type Schemas = components['schemas'];

/** Filters of a list of import runs. */
export interface ImportRunsFilter {
  space: string | undefined;
  changeRequest: string | undefined;
  status: 'active' | Schemas['ImportRunStatus'] | undefined;
}

const STORED_STATUSES = {
  active: ['pending', 'running'],
  pending: ['pending'],
  'in-progress': ['running'],
  completed: ['completed'],
  failed: ['failed'],
  cancelled: ['cancelled'],
} as const;

/** Selects the import runs of an organization into spaces that a member can view. */
export const importRunsMatching = (
  queries: Queries,
  member: Membership,
  { space, changeRequest, status }: ImportRunsFilter,
) =>
  queries
    .selectFrom('runs')
    .selectAll('runs')
    .where('runs.organization', '=', member.organization)
    .where('runs.kind', '=', 'import')
    .where(isSpaceOfRowVisible(queries, member, 'runs.space'))
    .$if(space !== undefined, (rows) => rows.where('runs.space', '=', space ?? ''))
    .$if(changeRequest !== undefined, (rows) => rows.where('runs.changeRequest', '=', changeRequest ?? ''))
    .$if(status !== undefined, (rows) =>
      rows.where('runs.status', 'in', STORED_STATUSES[status ?? 'active']),
    );

/**
 * Finds an import run of an organization, and requires a permission on its space.
 *
 * @throws ContractError 404 if it does not exist for the caller, 403 if the caller lacks the permission
 */
export async function importRunFor(
  queries: Queries,
  caller: CallerId,
  { organization, run }: { organization: string; run: string },
  permission: SpacePermission = 'view',
): Promise<RunRow> {
  await requireMember(queries, caller, organization);
  const row = await queries
    .selectFrom('runs')
    .selectAll()
    .where('id', '=', run)
    .where('organization', '=', organization)
    .where('kind', '=', 'import')
    .executeTakeFirst();
  if (!row || !(await unlessNotFound(spaceFor(queries, caller, row.space, permission)))) {
    throw notFound('import run');
  }
  return row;
}

/** Converts an import run to its representation in the API. */
export function presentImportRun(row: RunRow, resourceUrls: ResourceUrls): Schemas['ImportRun'] {
  const request = readJson(row.request);
  if (!request || row.createdBy === null) {
    throw new Error(`The import run ${row.id} has no request.`);
  }
  return {
    object: 'import-run',
    id: row.id,
    status: row.status === 'running' ? 'in-progress' : row.status,
    ...(row.status === 'failed' && { reason: row.failureMessage ?? 'The import was interrupted.' }),
    source: request.source,
    target: {
      space: row.space,
      ...(row.changeRequest !== null && { changeRequest: row.changeRequest }),
      ...(request.page !== undefined && { page: request.page }),
    },
    createdBy: row.createdBy,
    createdAt: row.createdAt,
    updatedAt: row.endedAt ?? row.startedAt ?? row.createdAt,
    ...(row.startedAt !== null && { startedAt: row.startedAt }),
    ...(row.status === 'completed' && row.endedAt !== null && { completedAt: row.endedAt }),
    counts: { pages: row.pages, files: row.files, problems: row.problemCount },
    problems: readJson(row.problems),
    ...(row.revision !== null && { revision: row.revision }),
    urls: resourceUrls.importRun(row.organization, row.id),
  };
}
