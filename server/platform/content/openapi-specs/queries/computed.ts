import { withComputed } from '../../../../content/computed/content.ts';
import { entryComputer } from '../../../../content/threads/computed.ts';
import type { ContentThreads } from '../../../../content/threads/threads.ts';
import type { Content } from '../../../../content/tree/content.ts';
import type { Database } from '../../../../database/database.ts';
import type { Log } from '../../../../database/log.ts';
import { storedSpecificationFinder } from './find.ts';

/**
 * Returns content as readers see it, with pages that are computed from the specifications of its organization in place
 * of their entries. They are computed when they are read.
 */
export function withComputedPages(
  { database, threads, log }: { database: Database; threads: ContentThreads; log: Log },
  organization: string,
  content: Content,
): Content {
  const find = storedSpecificationFinder(database.query, organization);
  return withComputed(content, entryComputer({ threads, log }, organization, find));
}
