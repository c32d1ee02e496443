import { availableParallelism } from 'node:os';
import { setImmediate } from 'node:timers/promises';
import { CompiledQuery, isExpression, sql } from 'kysely';
import type { QueueBounds } from '../../threads/fair-queue.ts';
import { createThreads, type RunOptions, TaskLimitError, type Threads } from '../../threads/threads.ts';
import { batches } from '../batches.ts';
import type { Database, Queries } from '../database.ts';
import { DatabaseUnavailableError } from '../errors.ts';
import type { Log } from '../log.ts';
import { isInTransaction } from '../transactions.ts';
import type { Outcome, SearchTasks, StatementHost } from './thread.ts';
import type { SearchedContent, SearchHit, SearchRequest, SearchResult } from './types.ts';

/*
 * Runs searches in threads, because ranking the sections of a large index takes up to some hundred milliseconds. On
 * SQLite a thread reads the file with a connection of its own. On PostgreSQL its statements run on a connection of
 * the main thread, and it compares titles and words.
 */

/** Maximum number of threads of searches per process: two to four, one for each core. */
export const MAX_SEARCH_THREADS = Math.max(2, Math.min(4, availableParallelism()));
/** Maximum number and size of the waiting searches of the members of an organization, or of the visitors of its sites. */
export const MAX_QUEUED_SEARCHES_PER_OWNER: QueueBounds = { tasks: 50, bytes: 4 * 1024 * 1024 };
/** Maximum number and size of all waiting searches per process. */
export const MAX_QUEUED_SEARCHES: QueueBounds = { tasks: 500, bytes: 32 * 1024 * 1024 };
/** Maximum time that a search waits for a thread. */
export const MAX_SEARCH_WAIT_MS = 10_000;
/** Maximum time of a search, including the time that it waits. */
export const SEARCH_TIMEOUT_MS = 30_000;
/** Maximum memory of a search in a thread, in bytes. */
export const MAX_SEARCH_MEMORY_BYTES = 256 * 1024 * 1024;
/** Idle time before a thread ends. */
const IDLE_MS = 60_000;
/** Maximum number of section texts that are read before other work gets its turn. */
const MAX_READ_SECTIONS = 50;
/** Maximum number of pages of a space in a result that is grouped by space: the best ones. */
export const MAX_RESULT_PAGES = 10;
/** Maximum number of sections of a page in a result: the best ones. */
export const MAX_RESULT_SECTIONS = 3;
/** Maximum length of the text of a section in a result, in characters. The rest is not read. */
export const MAX_RESULT_TEXT_CHARACTERS = 5000;

/** A list of the conditions of sections. */
interface ConditionsRequest extends Pick<SearchRequest, 'organization' | 'searcher'> {
  spaces: readonly string[];
}

/** Runs a task in one of the threads. */
type Task<T> = (
  threads: Threads<SearchTasks>,
  file: string | undefined,
  options: RunOptions<StatementHost>,
) => Promise<Outcome<T>>;

/** Full-text search in threads. They start with the first search. */
export class Searches {
  readonly #database: Pick<Database, 'query' | 'threadAccess'>;
  readonly #log: Log;
  #threads: Threads<SearchTasks> | undefined;

  constructor({ database, log }: { database: Pick<Database, 'query' | 'threadAccess'>; log: Log }) {
    this.#database = database;
    this.#log = log;
  }

  /**
   * Finds sections. The query has no operators except quotes. All items are counted, and each has the best of its pages
   * and sections: up to {@link MAX_RESULT_PAGES} and {@link MAX_RESULT_SECTIONS}.
   *
   * @throws ThreadsBusyError if too many searches are waiting, DatabaseUnavailableError also if the search exceeds its
   *   time limit
   */
  async find(request: SearchRequest): Promise<SearchResult> {
    const { organization, spaces, visibleSpace, conditions, languages, query } = request;
    const { shownPages, groupBy, offset, limit } = request;
    const searched = {
      organization,
      spaces: isExpression(spaces) ? spaces.toOperationNode() : spaces,
      visibleSpace: visibleSpace?.toOperationNode(),
      conditions,
      languages,
      query,
    };
    const matches = await this.#run(request, sizeOf(request), (threads, file, options) =>
      threads.run('rank', { file, searched }, options),
    );
    const isShown = await shownPages?.(new Set(matches.map(({ space }) => space)));
    const ranked = withPagePositions(isShown ? matches.filter(isShown) : matches);
    const groups = [...Map.groupBy(ranked, (hit) => hit[groupBy]).values()];
    const pageOfGroups = groups.slice(offset, offset + limit).map(bestOf);
    const texts = await readSections(
      this.#database.query,
      pageOfGroups.flat().map(({ id }) => id),
    );
    return {
      count: groups.length,
      groups: pageOfGroups.map((group) =>
        group.flatMap(({ id, rank, pagePosition }) => {
          // Omitted if it was deleted since the search.
          const text = texts.get(id);
          return text ? [{ ...text, rank, pagePosition }] : [];
        }),
      ),
    };
  }

  /**
   * Lists the conditions of the sections of spaces.
   *
   * @throws ThreadsBusyError, DatabaseUnavailableError
   */
  listConditions({ organization, spaces, searcher }: ConditionsRequest): Promise<string[]> {
    return this.#run({ organization, searcher }, sizeOf({ spaces }), (threads, file, options) =>
      threads.run('listConditions', { file, searched: { organization, spaces } }, options),
    );
  }

  /** Ends the threads. Running and waiting searches fail. */
  async close(): Promise<void> {
    await this.#threads?.close();
  }

  async #run<T>(
    { organization, searcher }: Pick<SearchRequest, 'organization' | 'searcher'>,
    bytes: number,
    task: Task<T>,
  ): Promise<T> {
    if (isInTransaction()) {
      throw new Error('A search does not see the writes of a transaction. Search before or after it.');
    }
    const { file, recordError } = this.#database.threadAccess;
    const { host, failureOf } = statementHost(this.#database.query);
    const timeout = new AbortController();
    const timer = setTimeout(() => {
      this.#log.warn({ organization, searcher }, 'a search exceeded its time limit');
      timeout.abort(new DatabaseUnavailableError('timeout'));
    }, SEARCH_TIMEOUT_MS);
    try {
      const outcome = await Promise.race([
        task(this.#pool(), file, {
          owner: `${searcher} ${organization}`,
          bytes,
          limits: { memoryBytes: MAX_SEARCH_MEMORY_BYTES },
          signal: timeout.signal,
          host,
        }),
        // A thread ends only after the statement that it runs.
        rejection(timeout.signal),
      ]);
      if ('unavailable' in outcome) {
        const cause = new Error(outcome.message);
        throw recordError(new DatabaseUnavailableError(outcome.unavailable, { cause }));
      }
      return outcome.value;
    } catch (error) {
      if (error instanceof TaskLimitError) {
        throw new DatabaseUnavailableError(error.limit === 'time' ? 'timeout' : 'overloaded', {
          cause: error,
        });
      }
      throw failureOf() ?? error;
    } finally {
      clearTimeout(timer);
    }
  }

  #pool(): Threads<SearchTasks> {
    this.#threads ??= createThreads<SearchTasks>({
      entry: new URL('./thread.ts', import.meta.url),
      threads: MAX_SEARCH_THREADS,
      perOwner: MAX_QUEUED_SEARCHES_PER_OWNER,
      total: MAX_QUEUED_SEARCHES,
      maxWaitMs: MAX_SEARCH_WAIT_MS,
      idleMs: IDLE_MS,
    });
    return this.#threads;
  }
}

/** Creates the host of a task, and a function that returns the error of its statement: threads receive a copy. */
function statementHost(queries: Queries) {
  let failure: unknown;
  const host: StatementHost = {
    run: async ({ sql, parameters }) => {
      try {
        return (await queries.executeQuery(CompiledQuery.raw(sql, [...parameters]))).rows;
      } catch (error) {
        failure = error;
        throw error;
      }
    },
  };
  return { host, failureOf: () => failure };
}

/** Returns the approximate size of a search in bytes. */
const sizeOf = ({ query = '', spaces }: Partial<SearchedContent>): number =>
  1000 + query.length + (Array.isArray(spaces) ? spaces.length * 30 : 0);

/** Rejects when a signal aborts, with its reason. */
const rejection = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });

/** Adds the position of the page of each section, by the best section of each page. */
function withPagePositions<Match extends { space: string; page: string }>(
  ranked: readonly Match[],
): Array<Match & Pick<SearchHit, 'pagePosition'>> {
  const positions = new Map<string, number>();
  return ranked.map((match) => {
    const key = `${match.space} ${match.page}`;
    const pagePosition = positions.get(key) ?? positions.size + 1;
    positions.set(key, pagePosition);
    return { ...match, pagePosition };
  });
}

/** Returns the best sections of the best pages of an item. */
const bestOf = <Match extends { page: string }>(ranked: readonly Match[]): Match[] => {
  const pages = [...Map.groupBy(ranked, ({ page }) => page).values()].slice(0, MAX_RESULT_PAGES);
  return pages.flatMap((sections) => sections.slice(0, MAX_RESULT_SECTIONS));
};

/** The columns of a section that results contain. */
type SectionTexts = Omit<SearchHit, 'rank' | 'pagePosition'>;

/** Reads sections in turns, by their IDs, with the start of their texts. */
async function readSections(queries: Queries, ids: readonly number[]): Promise<Map<number, SectionTexts>> {
  const sections = new Map<number, SectionTexts>();
  for (const batch of batches(ids, MAX_READ_SECTIONS)) {
    if (sections.size > 0) {
      await setImmediate();
    }
    const rows = await queries
      .selectFrom('searchSections')
      .select(['id', 'space', 'page', 'section', 'title', 'pageTitle', 'pagePath', 'anchor'])
      .select(sql<string>`substr("body", 1, ${sql.lit(MAX_RESULT_TEXT_CHARACTERS)})`.as('body'))
      .where('id', 'in', batch)
      .execute();
    for (const { id, ...row } of rows) {
      sections.set(id, row);
    }
  }
  return sections;
}
