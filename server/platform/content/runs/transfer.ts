import { sql } from 'kysely';
import { defineTransfer } from '../../kit/transfer/define.ts';
import { enumeration, id, integer, json, oneOf, optional, text, time } from '../../kit/transfer/fields.ts';

/** How the finished imports and exports of spaces travel. */
export const runTransfer = defineTransfer('runs', {
  columns: {
    id,
    space: text,
    kind: oneOf('git-import', 'git-export', 'content-import', 'import'),
    changeRequest: optional(text),
    source: optional(enumeration('ImportSource')),
    url: text,
    ref: optional(text),
    oid: optional(text),
    revision: optional(text),
    status: oneOf('pending', 'running', 'completed', 'failed', 'cancelled'),
    progress: integer,
    pages: integer,
    files: integer,
    problemCount: integer,
    problems: json('array'),
    failureReason: optional(enumeration('RunFailureReason')),
    failureMessage: optional(text),
    createdAt: time,
    startedAt: optional(time),
    endedAt: optional(time),
    expiresAt: optional(time),
    request: optional(json('object')),
    createdBy: optional(text),
  },
  key: ['id'],
  where: sql<boolean>`"endedAt" is not null`,
});
