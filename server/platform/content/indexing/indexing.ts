import type { CommitServices } from '../../../content/branch.ts';
import { entriesFrom } from '../../../content/computed/entries.ts';
import { indexSpace } from '../../../content/search.ts';
import { openContent } from '../../../content/store/content.ts';
import { entryComputer } from '../../../content/threads/computed.ts';
import { Documents } from '../../../content/threads/documents.ts';
import type { Queries } from '../../../database/database.ts';
import { readUsers } from '../../accounts/users/queries.ts';
import { hasRecipients, storeEvents } from '../../kit/events/raise.ts';
import {
  enqueueIndexing,
  type IndexedSpace,
  indexDependentsJob,
  indexSpaceJob,
} from '../../kit/indexing-jobs.ts';
import type { Services } from '../../kit/slice.ts';
import { specificationNames, storedSpecificationFinder } from '../openapi-specs/queries/find.ts';

/** Returns the services of a commit, which enqueue the indexing of new main content, and raise its event. */
export function commitServices(services: Services): CommitServices {
  const { database, objectStorage, clock, createId, threads, log, quotas } = services;
  return {
    database,
    objectStorage,
    clock,
    createId,
    threads,
    log,
    quotas,
    enqueueIndexing: (trx, space) => enqueueIndexing(trx, services, space),
    raiseContentUpdated: async (trx, { id, organization }, revision) => {
      const type = 'space_content_updated';
      // The user is read only for an event that can be received.
      if (await hasRecipients(trx, organization, type)) {
        const authors = revision.createdBy === null ? [] : [revision.createdBy];
        const userById = await readUsers({ ...services, database: { query: trx } }, authors);
        const fields = { spaceId: id, revisionId: revision.id, updatedBy: authors.map(userById) };
        await storeEvents(trx, services, [{ organization, type, fields }]);
      }
    },
  };
}

/**
 * Updates the search index of a space to its active revision. Without a time limit, so only jobs call it. After an
 * abort, the next call continues.
 */
export async function updateSearchIndex(
  services: Services,
  space: string,
  signal?: AbortSignal,
): Promise<void> {
  const { query } = services.database;
  await indexSpace(
    services.database,
    space,
    (organization) => {
      const compute = entryComputer(services, organization, storedSpecificationFinder(query, organization));
      return {
        compute: async (entry) => {
          signal?.throwIfAborted();
          return await compute(entry);
        },
        names: () => specificationNames(query, organization),
      };
    },
    (organization) => {
      const documents = new Documents(services.threads, organization);
      return (markdown) => documents.divide(markdown);
    },
    signal,
  );
}

/** Registers the workers of the indexing jobs. */
export function registerIndexing(services: Services): void {
  const { queue, database } = services;
  queue.register(indexSpaceJob, ({ payload }, signal) => updateSearchIndex(services, payload.space, signal));
  queue.register(indexDependentsJob, async ({ payload }, signal) => {
    const spaces = await dependentSpaces(database.query, payload, signal);
    await database.transaction(async (trx) => {
      for (const space of spaces) {
        await enqueueIndexing(trx, services, space);
      }
    });
  });
}

/**
 * Finds the spaces with an active revision that is computed from a specification, in whole or in part. Includes deleted
 * spaces: their index is used again when they are restored.
 */
async function dependentSpaces(
  queries: Queries,
  { organization, names }: { organization: string; names: readonly string[] },
  signal: AbortSignal,
): Promise<IndexedSpace[]> {
  const spaces = await queries
    .selectFrom('spaces')
    .innerJoin('revisions', 'revisions.id', 'spaces.revision')
    .select(['spaces.id', 'spaces.organization', 'revisions.root'])
    .where('spaces.organization', '=', organization)
    .execute();
  const dependents: IndexedSpace[] = [];
  for (const space of spaces) {
    signal.throwIfAborted();
    const entries = await entriesFrom(await openContent(queries, space), names);
    if (entries.length > 0) {
      dependents.push(space);
    }
  }
  return dependents;
}
