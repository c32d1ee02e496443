/** The jobs that update the search index. */
import type { Transaction } from '../../database/database.ts';
import { jobKind, type NewJob } from '../../jobs/queue.ts';
import type { Services } from './slice.ts';

/** Updates the search index of a space to its active revision. */
export const indexSpaceJob = jobKind<{ space: string }>('index-space');

/** Enqueues indexing of the spaces with content computed from a specification, given by all its names. */
export const indexDependentsJob = jobKind<{ organization: string; names: string[] }>('index-dependents');

/** IDs of a space and its organization. */
export interface IndexedSpace {
  id: string;
  organization: string;
}

/** Enqueues the indexing of the main content of a space. */
export async function enqueueIndexing(
  trx: Transaction,
  { queue }: Pick<Services, 'queue'>,
  { id, organization }: IndexedSpace,
): Promise<void> {
  await queue.enqueue(trx, indexingOf({ id, organization }));
}

/** Returns the job that indexes the main content of a space. */
export const indexingOf = ({ id, organization }: IndexedSpace): NewJob<{ space: string }> => ({
  kind: indexSpaceJob,
  organization,
  key: `space ${id}`,
  payload: { space: id },
});

/** Enqueues the indexing of the spaces that depend on a specification that was changed or deleted. */
export async function enqueueDependentIndexing(
  trx: Transaction,
  { queue }: Pick<Services, 'queue'>,
  { id, slug, organization }: { id: string; slug: string; organization: string },
): Promise<void> {
  await queue.enqueue(trx, {
    kind: indexDependentsJob,
    organization,
    key: `openapi-dependents ${id}`,
    payload: { organization, names: [slug, id] },
  });
}
