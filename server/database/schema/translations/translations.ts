import type { JsonText } from '../../json.ts';
import type { StoredFailureReason } from '../content/runs.ts';
import type { StoredLanguage } from '../spaces/spaces.ts';

type StoredStatus = 'pending' | 'running' | 'completed';

/** A translation of a space, with the state and the statistics of its runs. */
export interface TranslationsTable {
  id: string;
  organization: string;
  /** The space to translate. */
  sourceSpace: string;
  sourceLanguage: StoredLanguage;
  language: StoredLanguage;
  /** The instructions, a document. */
  instructions: JsonText<unknown>;
  status: StoredStatus;
  /** Number of the run that was requested last. */
  requestedRun: number;
  /** Number of the run that started last, and whether it has not ended. */
  run: number;
  running: number;
  runStartedAt: string | null;
  /** The revision of the source that the run translates, and its instructions. */
  runSource: string | null;
  runInstructions: JsonText<unknown> | null;
  /** The same of the last completed run, with the digest of its glossary. */
  translatedSource: string | null;
  translatedGlossary: string | null;
  resultSpace: string | null;
  resultRevision: string | null;
  /** Why the last run failed; null if it has not failed. */
  failureReason: StoredFailureReason | null;
  failureMessage: string | null;
  /** Number of runs that started. */
  runs: number;
  totalWords: number;
  totalPages: number;
  /** In milliseconds, without the current run. */
  totalDuration: number;
  latestDuration: number;
  latestPages: number;
  latestWords: number;
  /** The user who created it. */
  createdBy: string;
  createdAt: string;
  updatedAt: string;
}

/** A translated segment of text, so that only new segments are sent to the translation service. */
export interface TranslationSegmentsTable {
  organization: string;
  translation: string;
  /** Identifies the text in the source language, with its formatting and glossary terms. */
  hash: string;
  /** Number of the run that translated it. */
  run: number;
  /** HTML; null if no translation has the structure of the source. */
  text: string | null;
}
