import { openContent } from '../../../../content/store/content.ts';
import { requireRevision } from '../../../../content/store/revisions.ts';
import { glossaryDigest, readGlossary } from '../../../../content/translation/glossary.ts';
import type { PageTexts } from '../../../../content/translation/page.ts';
import { textSources, textsOf } from '../../../../content/translation/result.ts';
import type { Segment } from '../../../../content/translation/segments.ts';
import { ContractError } from '../../../../contract/errors.ts';
import type { Queries } from '../../../../database/database.ts';
import type { Job } from '../../../../jobs/queue.ts';
import { exponentialBackOff } from '../../../../jobs/runner.ts';
import { TaskLimitError } from '../../../../threads/threads.ts';
import { runFailureOfProcess } from '../../../content/runs/failures.ts';
import type { RunFailure } from '../../../content/runs/record.ts';
import type { Services } from '../../../kit/slice.ts';
import { instructionsOf, type TranslationRow } from '../queries.ts';
import { enqueueRunPart, type RunPart, translationRemoval, translationRun } from '../rules.ts';
import { commitRun, type RunContent } from './commit.ts';
import { deleteSegments, findSegments, MAX_STORED_SEGMENTS, storeSegments } from './segments.ts';
import { TranslationService, TranslationServiceError } from './service.ts';
import { endFailedRun, sourceMissing, startRun, TranslationFailure } from './state.ts';

/** Maximum length of the segments in one request to the translation service, in characters. */
export const MAX_BATCH_CHARACTERS = 4000;
/** Maximum number of segments in one request to the translation service. */
export const MAX_BATCH_SEGMENTS = 25;
/** Time before a run lets other jobs run. */
export const RUN_PART_MS = 20_000;
/** Maximum number of successive failures of the translation service in a run. */
export const MAX_SERVICE_FAILURES = 10;

const NO_SERVICE =
  'the translation run ended: no translation service is configured. Set COLOPHON_TRANSLATE_URL to the URL of a LibreTranslate-compatible service';

/** Failures of runs, for members. The log has the causes, which are for the operator. */
const SERVICE_MISSING: RunFailure = {
  reason: 'unreachable',
  message: 'This server has no translation service. Ask its operator.',
};
const SERVICE_FAILED: RunFailure = {
  reason: 'remote_error',
  message: 'The translation service failed. Start another run later.',
};

/** Registers the workers of translations. */
export function registerTranslations(services: Services): void {
  const { queue, database } = services;
  queue.register(
    translationRun,
    (job, signal) => performPart(services, job, signal),
    ({ payload }, cause) => endRun(services, payload, runFailureOfProcess(cause)),
  );
  queue.register(translationRemoval, ({ payload }, signal) =>
    deleteSegments(database, payload.translation, { signal }),
  );
}

/**
 * Runs a part of a translation. Every translated batch is stored, so that a part that is repeated after a crash sends
 * one batch at most again. A long run is divided into jobs, between which other jobs run.
 */
async function performPart(services: Services, job: Job<RunPart>, signal: AbortSignal): Promise<void> {
  const { database, log, translateUrl } = services;
  const { payload: part } = job;
  if (translateUrl === undefined) {
    log.error(detailsOf(part), NO_SERVICE);
    return await endRun(services, part, SERVICE_MISSING);
  }
  const row = await database.transaction((trx) => startRun(trx, services, part));
  if (!row) {
    return;
  }
  let { next } = part;
  try {
    const content = await openRun(services, row, signal);
    const languages = { source: row.sourceLanguage, target: row.language };
    await using service = new TranslationService(translateUrl, languages, signal);
    const translator = new SourceTranslator(services, content, service);
    const isDone = await translator.translateFrom(next, (translated) => {
      next = translated;
    });
    if (isDone === false) {
      await continueRun(services, job, { next, failures: 0, delayMs: 0 });
    } else if (isDone) {
      await finishRun(services, content, part);
    }
  } catch (error) {
    await handleFailure(services, job, next, error);
  }
}

const detailsOf = ({ translation, run }: RunPart) => ({ translation, run });

const endRun = (services: Services, part: RunPart, failure: RunFailure): Promise<void> =>
  services.database.transaction((trx) => endFailedRun(trx, services, part, failure));

/** Enqueues the next part of a run. */
async function continueRun(
  { database, queue, clock }: Services,
  { payload, organization }: Job<RunPart>,
  { delayMs, ...progress }: Pick<RunPart, 'next' | 'failures'> & { delayMs: number },
): Promise<void> {
  const runAt = new Date(clock().getTime() + delayMs);
  await database.transaction((trx) =>
    enqueueRunPart(trx, queue, { ...payload, ...progress, organization, runAt }),
  );
}

/** Commits the result of a run. All its segments must be stored. */
async function finishRun(services: Services, content: RunContent, part: RunPart): Promise<void> {
  const { database, log } = services;
  const counts = await commitRun(services, content);
  if (!counts) {
    return;
  }
  const { pages, problems } = counts;
  if (problems > 0) {
    log.warn({ ...detailsOf(part), problems }, 'texts remain in the source language');
  }
  log.info({ ...detailsOf(part), pages }, 'translation run completed');
  // If this is aborted, the next run deletes them.
  const { row, signal } = content;
  await deleteSegments(database, row.id, { retained: MAX_STORED_SEGMENTS, signal });
}

/**
 * Ends a run that cannot be completed, and repeats a part that the translation service failed.
 *
 * @param next progress of the failed part
 * @throws any other error
 */
async function handleFailure(
  services: Services,
  job: Job<RunPart>,
  next: number,
  error: unknown,
): Promise<void> {
  const { payload: part } = job;
  const { log } = services;
  if (error instanceof ContractError && error.reason === 'quota_exceeded') {
    log.warn({ ...detailsOf(part), err: error }, 'translation run exceeds a quota of the organization');
    return await endRun(services, part, { reason: 'quota_exceeded', message: error.message });
  }
  if (!(error instanceof TranslationFailure || error instanceof TranslationServiceError)) {
    throw error;
  }
  // Counted from the last progress.
  const failures = next > part.next ? 1 : part.failures + 1;
  if (error instanceof TranslationFailure || !error.isTransient || failures > MAX_SERVICE_FAILURES) {
    log.error({ ...detailsOf(part), err: error }, 'translation run failed');
    return await endRun(services, part, error instanceof TranslationFailure ? error : SERVICE_FAILED);
  }
  const delay = Math.max(exponentialBackOff(failures), error.retryAfterMs);
  log.warn({ ...detailsOf(part), failures, delay, err: error }, 'translation run continues after a failure');
  await continueRun(services, job, { next, failures, delayMs: delay });
}

/**
 * Reads what a run has to translate. It is the same for all parts of the run.
 *
 * @throws TranslationFailure if the source does not exist
 */
async function openRun(
  { database: { query } }: Services,
  row: TranslationRow,
  signal: AbortSignal,
): Promise<RunContent> {
  const { runSource, runInstructions, sourceSpace } = row;
  if (runSource === null || runInstructions === null) {
    throw sourceMissing();
  }
  const glossary = readGlossary(instructionsOf(runInstructions));
  const before =
    row.translatedSource === null ? null : await openSource(query, sourceSpace, row.translatedSource);
  const versions = { before, after: await openSource(query, sourceSpace, runSource) };
  const isComplete = before === null || row.translatedGlossary !== glossaryDigest(glossary);
  return { row, glossary, versions, sources: await textSources(versions, { isComplete }), signal };
}

const openSource = async (queries: Queries, space: string, revision: string) =>
  await openContent(queries, await requireRevision(queries, space, revision));

/** Translates the segments of texts that are not stored yet, in batches. */
class SourceTranslator {
  readonly #services: Services;
  readonly #content: RunContent;
  readonly #service: TranslationService;
  /** Segments to translate, by hash. */
  readonly #batch = new Map<string, Segment>();
  #characters = 0;

  constructor(services: Services, content: RunContent, service: TranslationService) {
    this.#services = services;
    this.#content = content;
    this.#service = service;
  }

  /**
   * @param onTranslated called with the number of texts with stored segments
   * @returns whether all texts are translated, or time is up; undefined if the translation was deleted
   */
  async translateFrom(first: number, onTranslated: (count: number) => void): Promise<boolean | undefined> {
    const { sources, versions, signal } = this.#content;
    const started = performance.now();
    for (let at = first; at < sources.length; at++) {
      const source = sources[at];
      signal.throwIfAborted();
      const segments = source ? await this.#listMissing(await textsOf(source, versions.after)) : [];
      for (const segment of segments) {
        this.#batch.set(segment.hash, segment);
        this.#characters += segment.html.length;
        if (this.#batch.size >= MAX_BATCH_SEGMENTS || this.#characters >= MAX_BATCH_CHARACTERS) {
          if (!(await this.#flush())) {
            return undefined;
          }
          onTranslated(at);
        }
      }
      if (performance.now() - started > RUN_PART_MS) {
        const isStored = await this.#flush();
        onTranslated(at + 1);
        return isStored ? false : undefined;
      }
    }
    return (await this.#flush()) ? true : undefined;
  }

  /** Lists the segments of a page that are neither stored nor in the batch. */
  async #listMissing(texts: PageTexts): Promise<Segment[]> {
    const { threads, database } = this.#services;
    const { row, glossary, signal } = this.#content;
    const options = { owner: row.organization, bytes: texts.markdown?.length ?? 0, signal };
    try {
      const input = { texts, glossary, language: row.sourceLanguage };
      const segments = await threads.run('listSegments', input, options);
      const hashes = segments.map(({ hash }) => hash);
      const stored = await findSegments(database.query, row.id, hashes);
      return segments.filter(({ hash }) => !stored.has(hash) && !this.#batch.has(hash));
    } catch (error) {
      // The page keeps its text.
      if (error instanceof TaskLimitError) {
        return [];
      }
      throw error;
    }
  }

  /** Translates and stores the batch. Returns false if the translation was deleted. */
  async #flush(): Promise<boolean> {
    const segments = [...this.#batch.values()];
    if (segments.length === 0) {
      return true;
    }
    const texts = await this.#service.translate(segments.map(({ html }) => html));
    this.#batch.clear();
    this.#characters = 0;
    return await storeSegments(this.#services.database, this.#content.row, segments, texts);
  }
}
