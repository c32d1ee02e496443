import type { components } from '../../../../generated/schema.d.ts';
import { readJson } from '../../../database/json.ts';
import type { ResourceUrls } from '../../kit/resource-urls.ts';
import type { RunRow } from './queries.ts';

type Schemas = components['schemas'];

/** Fields that all runs have in common. */
type RunFields = Omit<
  Schemas['GitRun'],
  'object' | 'id' | 'direction' | 'url' | 'ref' | 'commit' | 'changeRequest' | 'urls'
>;

/** What the presentation of a run depends on. */
export interface RunContext {
  resourceUrls: ResourceUrls;
  /** The current time, to recognize an interrupted run. */
  now: Date;
}

/** Failure of a run that recorded no result before its process ended. */
export const INTERRUPTED = {
  reason: 'interrupted',
  message: 'The service was interrupted before the operation ended. Start it again.',
} as const;

/** Converts a Git run to its representation in the API. */
export function presentGitRun(row: RunRow, context: RunContext): Schemas['GitRun'] {
  return {
    object: 'git-run',
    id: row.id,
    direction: row.kind === 'git-export' ? 'export' : 'import',
    url: row.url,
    ref: row.ref ?? '',
    ...(row.oid !== null && { commit: row.oid }),
    ...(row.changeRequest !== null && { changeRequest: row.changeRequest }),
    ...presentFields(row, context),
    urls: context.resourceUrls.gitRun(row.space, row.id),
  };
}

/** Converts a content import run to its representation in the API. */
export function presentContentImportRun(row: RunRow, context: RunContext): Schemas['ContentImportRun'] {
  if (row.source === null) {
    throw new Error(`The content import run ${row.id} has no source.`);
  }
  return {
    object: 'content-import-run',
    id: row.id,
    url: row.url,
    source: row.source,
    ...(row.changeRequest !== null && { changeRequest: row.changeRequest }),
    ...presentFields(row, context),
    urls: context.resourceUrls.contentImportRun(row.space, row.id),
  };
}

function presentFields(row: RunRow, { now }: RunContext): RunFields {
  const isExpired = row.endedAt === null && row.expiresAt !== null && row.expiresAt <= now.toISOString();
  // Only imports can be cancelled, which are presented by themselves.
  const status = isExpired || row.status === 'cancelled' ? 'failed' : row.status;
  const endedAt = isExpired ? row.expiresAt : row.endedAt;
  return {
    status,
    progress: row.progress,
    counts: { pages: row.pages, files: row.files, problems: row.problemCount },
    problems: readJson(row.problems),
    ...(status === 'failed' && { failure: failureOf(row) }),
    ...(row.revision !== null && { revision: row.revision }),
    createdAt: row.createdAt,
    ...(row.startedAt !== null && { startedAt: row.startedAt }),
    ...(endedAt !== null && { endedAt }),
  };
}

function failureOf({ failureReason, failureMessage }: RunRow): Schemas['RunFailure'] {
  return failureReason === null || failureMessage === null
    ? INTERRUPTED
    : { reason: failureReason, message: failureMessage };
}
