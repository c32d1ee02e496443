import { isIndexed, pageVersions } from '../../../content/search-sections.ts';
import { openContent } from '../../../content/store/content.ts';
import { requireRevision } from '../../../content/store/revisions.ts';
import { walk } from '../../../content/tree/records.ts';
import type { Check, CheckContext, Findings } from '../../../database/checks/findings.ts';
import { incompletePages, markIncomplete, strayedSpaces } from '../../../database/checks/search-index.ts';
import { createId } from '../../../database/seams.ts';
import { findPages } from '../../../database/search/search.ts';
import { removeFromSpace } from '../../../database/search/writes.ts';
import { insertJob } from '../../../jobs/store.ts';
import { type IndexedSpace, indexingOf, indexSpaceJob } from '../../kit/indexing-jobs.ts';

/** Number of spaces that are read at a time. */
const BATCH_SPACES = 100;

interface SearchedSpace extends IndexedSpace {
  revision: string;
  searchedRevision: string | null;
  searchRun: number;
  language: string | null;
}

/** Compares the search index with the content of the spaces, and has the spaces indexed again that differ. */
export const checkSearch: Check = {
  name: 'search',
  async run(context, findings) {
    const { query } = context.database;
    const pending = await pendingSpaces(context);
    const incomplete = new Set((await incompletePages(query)).map(({ space }) => space));
    for (let after = ''; ; ) {
      const spaces = await query
        .selectFrom('spaces')
        .select(['id', 'organization', 'revision', 'searchedRevision', 'searchRun', 'language'])
        .where('id', '>', after)
        .orderBy('id')
        .limit(BATCH_SPACES)
        .execute();
      for (const space of spaces) {
        if (pending.has(space.id)) {
          continue;
        }
        const outdated = await outdatedPages(context, space, findings);
        if ((outdated === 0 && !incomplete.has(space.id)) || (await isChanged(context, space))) {
          continue;
        }
        // Again, since the space may have been indexed meanwhile.
        const pages = await incompletePages(query, space.id);
        if (pages.length + outdated === 0) {
          continue;
        }
        findings.add(
          `${pages.length + outdated} pages of the space ${space.id} (${space.organization}) are missing, ` +
            'incomplete or outdated in the search index.',
        );
        if (context.repair) {
          await repair(context, space, pages);
          findings.repaired++;
        }
      }
      const last = spaces.at(-1);
      if (!last) {
        break;
      }
      after = last.id;
    }
    if (context.repair && findings.repaired > 0) {
      findings.notes.push('The server indexes the spaces again in the background.');
    }
    await checkStrayed(context, findings);
  },
};

/** Finds what remains in the index of spaces that were deleted, unless a deletion is not finished. */
async function checkStrayed({ database, repair }: CheckContext, findings: Findings): Promise<void> {
  const strayed = await strayedSpaces(database.query);
  const deletion = await database.query
    .selectFrom('jobs')
    .select('id')
    .where('kind', '=', 'purge-space')
    .where('state', 'in', ['queued', 'running'])
    .executeTakeFirst();
  for (const space of deletion ? [] : strayed) {
    findings.add(
      `The search index contains the space ${space.space}, which ${space.organization} does not have.`,
    );
    if (repair) {
      while (!(await database.transaction((trx) => removeFromSpace(trx, space)))) {
        // Each transaction removes a part.
      }
      findings.repaired++;
    }
  }
}

async function repair(
  { database, now }: CheckContext,
  space: IndexedSpace,
  pages: Parameters<typeof markIncomplete>[1],
): Promise<void> {
  await database.transaction(async (trx) => {
    await markIncomplete(trx, pages);
    // Without an indexed revision, the versions of all pages are compared.
    await trx
      .updateTable('spaces')
      .set({ searchedRevision: null, searchedEntries: null })
      .where('id', '=', space.id)
      .execute();
    await insertJob(trx, createId('job'), indexingOf(space), now.toISOString());
  });
}

/** Returns whether a space was written to or indexed since it was read, or will be indexed. */
async function isChanged(context: CheckContext, space: SearchedSpace): Promise<boolean> {
  // First, since a job ends after it has written.
  const isPending = (await pendingSpaces(context)).has(space.id);
  const now = await context.database.query
    .selectFrom('spaces')
    .select(['revision', 'searchRun', 'searchedRevision'])
    .where('id', '=', space.id)
    .executeTakeFirst();
  // The last of several steps sets the indexed revision.
  const isSame =
    now?.revision === space.revision &&
    now.searchRun === space.searchRun &&
    now.searchedRevision === space.searchedRevision;
  return isPending || !isSame;
}

/** Returns the spaces that will be indexed. */
async function pendingSpaces({ database: { query } }: CheckContext): Promise<Set<string>> {
  const rows = await query
    .selectFrom('jobs')
    .select('key')
    .where('kind', '=', indexSpaceJob.name)
    .where('state', 'in', ['queued', 'running'])
    .execute();
  return new Set(rows.map(({ key }) => (key ?? '').replace(/^space /, '')));
}

/** Counts the pages whose version in the index is not the current one. Computed pages are not compared. */
async function outdatedPages(
  { database: { query } }: CheckContext,
  { id, organization, revision, language }: SearchedSpace,
  findings: Findings,
): Promise<number> {
  try {
    const content = await openContent(query, await requireRevision(query, id, revision));
    const indexed = await findPages(query, { organization, space: id, prefix: '' });
    const versionOf = await pageVersions(content, language);
    let outdated = 0;
    for (const { record, path } of walk(await content.readTree())) {
      if (!isIndexed(record)) {
        continue;
      }
      findings.examined++;
      if (indexed.get(record.id) !== versionOf({ record, path })) {
        outdated++;
      }
    }
    return outdated;
  } catch {
    // Reported by the checks of references and of revisions.
    return 0;
  }
}
