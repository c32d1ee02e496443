import { defineTransfer } from '../../kit/transfer/define.ts';
import {
  CREATED,
  enumeration,
  id,
  integer,
  json,
  optional,
  text,
  time,
  verbatim,
} from '../../kit/transfer/fields.ts';
import { firstPart, runPartOf } from './rules.ts';

/** How translations travel. A run that has not ended starts again at the other server. */
export const translationTransfer = defineTransfer('translations', {
  columns: {
    id,
    sourceSpace: text,
    sourceLanguage: enumeration('Language'),
    language: enumeration('Language'),
    instructions: json('object'),
    status: enumeration('TranslationStatus'),
    requestedRun: integer,
    run: integer,
    running: CREATED,
    runStartedAt: optional(time),
    runSource: optional(text),
    runInstructions: optional(json('object')),
    translatedSource: optional(text),
    translatedGlossary: optional(text),
    resultSpace: optional(text),
    resultRevision: optional(text),
    runs: integer,
    totalWords: integer,
    totalPages: integer,
    totalDuration: integer,
    latestDuration: integer,
    latestPages: integer,
    latestWords: integer,
    failureReason: optional(enumeration('RunFailureReason')),
    failureMessage: optional(text),
    createdBy: text,
    createdAt: time,
    updatedAt: time,
  },
  key: ['id'],
  create: () => ({ running: 0 }),
  jobs: (translation) => (translation.status === 'completed' ? [] : [runPartOf(firstPart(translation))]),
});

/** How translated texts travel, so that they are not translated again. */
export const translationSegmentTransfer = defineTransfer('translationSegments', {
  columns: { translation: text, hash: verbatim, run: integer, text: optional(text) },
  key: ['translation', 'hash'],
});
