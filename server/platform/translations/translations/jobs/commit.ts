import { type CommitPlan, type ContentBranch, commitTo, mainBranch } from '../../../../content/branch.ts';
import { writeRevision } from '../../../../content/new-revision.ts';
import { type OpenRevision, openContent } from '../../../../content/store/content.ts';
import { TextWriter } from '../../../../content/store/objects.ts';
import { countSweeps, requireRevision } from '../../../../content/store/revisions.ts';
import { type Glossary, glossaryDigest } from '../../../../content/translation/glossary.ts';
import type { PageTexts } from '../../../../content/translation/page.ts';
import {
  planResult,
  type SourceVersions,
  type TextSource,
  textsOf,
  withTexts,
} from '../../../../content/translation/result.ts';
import type { Queries, Transaction } from '../../../../database/database.ts';
import { requireQuota } from '../../../../quotas/use.ts';
import { TaskLimitError } from '../../../../threads/threads.ts';
import { commitServices } from '../../../content/indexing/indexing.ts';
import { creationLock } from '../../../kit/locks.ts';
import type { Services } from '../../../kit/slice.ts';
import { insertSpace } from '../../../spaces/placements/insert-space.ts';
import type { TranslationRow } from '../queries.ts';
import { findSegments } from './segments.ts';
import { endOfRun, findRun, findSpace, sourceMissing, TranslationFailure } from './state.ts';

/** What a run translated. */
export interface RunContent {
  row: TranslationRow;
  glossary: Glossary;
  versions: SourceVersions;
  sources: readonly TextSource[];
  signal: AbortSignal;
}

/** Statistics of the texts of a run. */
interface TextCounts {
  /** Pages with a segment that this run translated. */
  pages: number;
  /** Segments and blocks that remain in the source language. */
  problems: number;
}

/** The translated pages and reusable contents of a run. Their texts are stored. */
interface TranslatedContent {
  sources: readonly TextSource[];
  counts: TextCounts;
  /** Number of sweeps before the first text was stored. */
  sweeps: number;
}

/**
 * Commits the translated pages to the result, which the first run creates, and ends the run. Texts are stored while
 * they are translated: only a batch of them is in memory.
 *
 * @returns undefined if the run ended meanwhile, because the translation was deleted
 */
export async function commitRun(services: Services, content: RunContent): Promise<TextCounts | undefined> {
  const { row, glossary, versions } = content;
  const { query } = services.database;
  let translated = await translateSources(services, content);
  const result = await openResult(services, row);
  if (!result) {
    return undefined;
  }
  const commit = await commitTo(
    commitServices(services),
    { find: (queries) => findResult(queries, row, result.space), optimistic: true },
    async ({ content: current, now }): Promise<CommitPlan<ContentBranch>> => {
      if ((await countSweeps(query, row.organization)) !== translated.sweeps) {
        // The sweep may have removed the texts.
        translated = await translateSources(services, content);
      }
      const { sources, counts, sweeps } = translated;
      const change = await planResult({
        source: versions,
        current,
        created: result.created.content,
        translated: sources,
        now: now.toISOString(),
      });
      const blobs = new Set([...(change?.files?.values() ?? [])].flatMap((file) => file?.blob ?? []));
      return {
        revision: change && { type: 'edits', createdBy: null, content: change, blobs: [...blobs], sweeps },
        also: (trx, { revision }) =>
          completeRun(trx, services, row, {
            revision: change ? revision.id : result.created.revision.id,
            glossary: glossaryDigest(glossary),
            pages: counts.pages,
          }),
      };
    },
  );
  return commit && translated.counts;
}

/** Translates what a run has to translate with the stored segments, and stores the texts. */
async function translateSources(services: Services, content: RunContent): Promise<TranslatedContent> {
  const { database } = services;
  const { organization } = content.row;
  const counts: TextCounts = { pages: 0, problems: 0 };
  const sources: TextSource[] = [];
  const sweeps = await countSweeps(database.query, organization);
  const writer = new TextWriter(database, organization);
  for (const source of content.sources) {
    const texts = await translateTexts(services, content, source, counts);
    const body = texts.markdown === undefined ? undefined : await writer.add(texts.markdown);
    sources.push(withTexts(source, texts, body));
  }
  await writer.flush();
  return { sources, counts, sweeps };
}

/** Translates the texts of a page or reusable content with the stored segments. */
async function translateTexts(
  { database, threads }: Services,
  { row, glossary, versions, signal }: RunContent,
  source: TextSource,
  counts: TextCounts,
): Promise<PageTexts> {
  const texts = await textsOf(source, versions.after);
  const options = { owner: row.organization, bytes: texts.markdown?.length ?? 0, signal };
  try {
    const input = { texts, glossary, language: row.sourceLanguage };
    const segments = await threads.run('listSegments', input, options);
    const stored = await findSegments(
      database.query,
      row.id,
      segments.map(({ hash }) => hash),
    );
    const isNew = [...stored.values()].some(({ run, text }) => run === row.run && text !== null);
    counts.pages += source.kind === 'page' && isNew ? 1 : 0;
    const translations = new Map<string, string>();
    for (const [hash, { text }] of stored) {
      if (text !== null) {
        translations.set(hash, text);
      }
    }
    const translated = await threads.run('translatePage', { texts, glossary, translations }, options);
    counts.problems += translated.problems + segments.length - translations.size;
    return translated;
  } catch (error) {
    if (!(error instanceof TaskLimitError)) {
      throw error;
    }
    counts.problems++;
    return texts;
  }
}

/** Opens the revision that the last run created, or that of a new space; undefined if the run ended meanwhile. */
async function openResult(
  services: Services,
  row: TranslationRow,
): Promise<{ space: string; created: OpenRevision } | undefined> {
  const { database } = services;
  const current = await findRun(database.query, { translation: row.id, run: row.run });
  if (!current) {
    return undefined;
  }
  const { resultSpace, resultRevision } =
    current.resultSpace === null
      ? await database.transaction((trx) => createResult(trx, services, current), {
          lock: creationLock(row.organization),
        })
      : current;
  if (resultSpace === null || resultRevision === null) {
    throw new Error(`The translation ${row.id} has a result without a revision.`);
  }
  const revision = await requireRevision(database.query, resultSpace, resultRevision);
  return { space: resultSpace, created: { revision, content: await openContent(database.query, revision) } };
}

/** Creates an empty space in the parent of the source, with its default level, so that it is not more visible. */
async function createResult(
  trx: Transaction,
  { clock, createId, quotas }: Services,
  { id, organization, sourceSpace, language }: TranslationRow,
): Promise<{ resultSpace: string; resultRevision: string }> {
  const source = await findSpace(trx, organization, sourceSpace);
  if (!source) {
    throw sourceMissing();
  }
  // Its pages are added later, but without room for them, the space would remain empty.
  await requireQuota(trx, quotas, organization, { spaces: 1, pages: source.pageCount });
  const now = clock();
  const [space, revision] = [createId('spc'), createId('rev')];
  await insertSpace(trx, {
    id: space,
    organization,
    parent: source.parent,
    title: `${source.title} (${language})`,
    emoji: source.emoji,
    icon: source.icon,
    language,
    defaultLevel: source.defaultLevel,
    revision,
    searchedRevision: revision,
    computedSource: source.computedSource,
    now,
  });
  const properties = { id: revision, organization, space, createdBy: null, now };
  await writeRevision(trx, { ...properties, type: 'edits', parents: [], base: null, change: {} });
  const result = { resultSpace: space, resultRevision: revision };
  await trx.updateTable('translations').set(result).where('id', '=', id).execute();
  return result;
}

/** Finds the result that a run writes to; undefined if the run ended. */
async function findResult(
  queries: Queries,
  { id, organization, run }: TranslationRow,
  space: string,
): Promise<ContentBranch | undefined> {
  if (!(await findRun(queries, { translation: id, run }))) {
    return undefined;
  }
  const result = await findSpace(queries, organization, space);
  if (!result) {
    throw new TranslationFailure(
      'superseded',
      'The translated space was deleted during the run. Start another run.',
    );
  }
  if (result.editMode === 'locked') {
    throw new TranslationFailure(
      'space_locked',
      'The translated space is locked. Unlock it, and start another run.',
    );
  }
  return mainBranch(result);
}

async function completeRun(
  trx: Transaction,
  { clock }: Services,
  { id, run }: TranslationRow,
  { revision, glossary, pages }: { revision: string; glossary: string; pages: number },
): Promise<void> {
  const row = await findRun(trx, { translation: id, run });
  if (row) {
    await trx
      .updateTable('translations')
      .set({
        status: row.requestedRun > row.run ? 'pending' : 'completed',
        translatedSource: row.runSource,
        translatedGlossary: glossary,
        resultRevision: revision,
        latestPages: pages,
        totalPages: row.totalPages + pages,
        ...endOfRun(row, clock()),
      })
      .where('id', '=', id)
      .execute();
  }
}
