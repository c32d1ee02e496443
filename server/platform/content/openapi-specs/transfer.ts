import { defineTransfer } from '../../kit/transfer/define.ts';
import {
  enumeration,
  id,
  integer,
  json,
  oneOf,
  optional,
  text,
  time,
  verbatim,
} from '../../kit/transfer/fields.ts';
import { processingOf } from './rules.ts';

/** How OpenAPI specifications travel. A source that was not processed yet is processed by the other server. */
export const openAPISpecTransfer = defineTransfer('openAPISpecs', {
  columns: {
    id,
    slug: text,
    visibility: enumeration('OpenAPIVisibility'),
    sourceURL: optional(verbatim),
    sourceText: optional(verbatim),
    generation: integer,
    processingState: enumeration('OpenAPIProcessingState'),
    lastVersion: optional(text),
    lastProcessedAt: optional(time),
    lastProcessErrorCode: optional(enumeration('OpenAPIProcessErrorCode')),
    createdAt: time,
    updatedAt: time,
  },
  key: ['id'],
  jobs: (spec) => (spec.processingState === 'complete' ? [] : [processingOf(spec)]),
});

/** How the versions of OpenAPI specifications travel. */
export const openAPISpecVersionTransfer = defineTransfer('openAPISpecVersions', {
  columns: {
    id,
    spec: text,
    hash: verbatim,
    format: oneOf('json', 'yaml'),
    text: verbatim,
    document: json('object', 'verbatim'),
    createdAt: time,
  },
  key: ['id'],
});
