/** Computes pages from OpenAPI specifications in threads. */
import { LRUCache } from 'lru-cache';
import type { Log } from '../../database/log.ts';
import { TaskLimitError } from '../../threads/threads.ts';
import type { ComputedEntry, ComputedPageRecord, ComputedPages, ComputeEntry } from '../computed/pages.ts';
import type { FindStoredSpecification, StoredSpecification } from '../computed/specification.ts';
import { canonicalJson } from '../tree/values.ts';
import type { ContentThreads } from './threads.ts';

/** Maximum number of pages with cached records. */
const MAX_CACHED_RECORDS = 20_000;
/** Maximum number of characters of cached page bodies. */
const MAX_CACHED_BODY_CHARACTERS = 32_000_000;
/** Size of a specification in the queue of the threads; the actual size is known only when it is read. */
const QUEUED_BYTES = 100_000;

/** Body of a page that is too expensive to print. */
const TOO_COSTLY =
  '{% hint style="danger" %}\nThis page cannot be displayed: printing this part of the specification exceeds a limit. ' +
  'Split it into several tags or specifications.\n{% endhint %}\n';

/** By version and entry; null for an entry that exceeds a limit or has a deleted specification. */
const records = new LRUCache<string, { pages: ComputedPages<ComputedPageRecord> | null }>({
  maxSize: MAX_CACHED_RECORDS,
});
/** By the seed of a page, which identifies everything that its body is printed from. */
const bodies = new LRUCache<string, string>({ maxSize: MAX_CACHED_BODY_CHARACTERS });

/**
 * Computes pages for an organization. An entry that exceeds a limit stays an entry, and a page that does shows the
 * problem instead of its text. Both are logged.
 */
export function entryComputer(
  { threads, log }: { threads: ContentThreads; log: Log },
  organization: string,
  find: FindStoredSpecification,
): ComputeEntry {
  const optionsFor = ({ readJson }: StoredSpecification) => ({
    owner: organization,
    bytes: QUEUED_BYTES,
    host: { readJson },
  });
  /** Returns the result of a task; undefined if it exceeds a limit. */
  const limited = async <Result>(task: Promise<Result>, entry: ComputedEntry, version: string) => {
    try {
      return await task;
    } catch (error) {
      if (!(error instanceof TaskLimitError)) {
        throw error;
      }
      const message = 'A page of an OpenAPI specification is not displayed: computing it exceeds a limit.';
      log.warn({ err: error, organization, entry: entry.id, version }, message);
      return undefined;
    }
  };
  const recordsOf = async (specification: StoredSpecification, entry: ComputedEntry) => {
    const { version } = specification;
    const key = canonicalJson([version, { ...entry }]);
    const cached = records.get(key);
    if (cached) {
      return cached.pages;
    }
    const computing = threads.run('computeEntry', { version, entry }, optionsFor(specification));
    const pages = (await limited(computing, entry, version)) ?? null;
    records.set(key, { pages }, { size: 1 + (pages?.children.length ?? 0) });
    return pages;
  };
  const print = async (
    specification: StoredSpecification,
    entry: ComputedEntry,
    page: ComputedPageRecord,
  ) => {
    const { version } = specification;
    const cached = bodies.get(page.computedSeed);
    if (cached !== undefined) {
      return cached;
    }
    const input = { version, entry, page: page.id };
    const printing = threads.run('printComputed', input, optionsFor(specification));
    const body = (await limited(printing, entry, version)) ?? TOO_COSTLY;
    bodies.set(page.computedSeed, body, { size: body.length + 1 });
    return body;
  };
  return async (entry) => {
    const specification = await find(entry.source.dependencies.spec.ref.spec);
    const pages = specification && (await recordsOf(specification, entry));
    if (!pages) {
      return undefined;
    }
    const printable = (record: ComputedPageRecord) => ({
      record,
      printBody: () => print(specification, entry, record),
    });
    return { overview: printable(pages.overview), children: pages.children.map(printable) };
  };
}
