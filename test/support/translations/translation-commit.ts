import { openContent } from '../../../server/content/store/content.ts';
import { requireRevision } from '../../../server/content/store/revisions.ts';
import { textSources } from '../../../server/content/translation/result.ts';
import type { Database } from '../../../server/database/database.ts';
import { createId } from '../../../server/database/seams.ts';
import { createQueue } from '../../../server/jobs/queue.ts';
import type { Services } from '../../../server/platform/kit/slice.ts';
import { commitRun } from '../../../server/platform/translations/translations/jobs/commit.ts';
import { NO_QUOTAS } from '../../../server/quotas/quotas.ts';

/** A task of the thread of a translation, and the title of its page. */
interface Task {
  texts: { title: string };
}

/**
 * Commits the running run of the only translation of a database. Nothing is sent to a translation service.
 *
 * @param translate returns the translated Markdown of a page by its title
 */
export async function commitOnlyRun(
  database: Database,
  translate: (title: string) => string | Promise<string>,
): ReturnType<typeof commitRun> {
  const row = await database.query.selectFrom('translations').selectAll().executeTakeFirstOrThrow();
  const revision = await requireRevision(database.query, row.sourceSpace, row.runSource ?? '');
  const versions = { before: null, after: await openContent(database.query, revision) };
  const log = { debug() {}, info() {}, warn() {}, error() {} };
  const clock = () => new Date('2026-05-01T00:00:00.000Z');
  const tasks: Record<string, (input: Task) => unknown> = {
    listSegments: () => [],
    translatePage: async ({ texts }) => ({
      ...texts,
      markdown: await translate(texts.title),
      problems: 0,
    }),
    findAddresses: () => [],
  };
  const threads = { run: async (name: string, input: Task) => await tasks[name]?.(input) };
  const services = {
    database,
    threads,
    clock,
    createId,
    log,
    queue: createQueue({ database, clock, createId, log }),
    quotas: NO_QUOTAS,
  };
  return await commitRun(
    // The others are not used by commits.
    services as unknown as Services,
    {
      row,
      glossary: new Map(),
      versions,
      sources: await textSources(versions, { isComplete: true }),
      signal: new AbortController().signal,
    },
  );
}
