import { indexSpace } from '../content/store/search-index.ts';
import type { Transaction } from '../database/database.ts';
import { jobKind } from '../jobs/queue.ts';
import type { Services } from './slice.ts';

/** Brings what search knows of a space to its active revision. */
const indexSpaceJob = jobKind<{ space: string }>('index-space');

/** Leaves it to the background to make new primary content known to search. */
export async function enqueueIndexing(
  trx: Transaction,
  { queue }: Services,
  { id, organization }: { id: string; organization: string },
): Promise<void> {
  await queue.enqueue(trx, {
    kind: indexSpaceJob,
    organization,
    key: `space ${id}`,
    payload: { space: id },
  });
}

/** Names the worker. */
export function registerIndexing({ queue, database }: Services): void {
  queue.register(indexSpaceJob, ({ payload }) =>
    database.transaction((trx) => indexSpace(trx, payload.space)),
  );
}
