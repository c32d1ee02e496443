import { indexingOf } from '../../kit/indexing-jobs.ts';
import { defineTransfer } from '../../kit/transfer/define.ts';
import {
  CREATED,
  enumeration,
  id,
  integer,
  json,
  MAINTAINED,
  optional,
  text,
  time,
} from '../../kit/transfer/fields.ts';

/** How the spaces of an organization travel. They are indexed again. */
export const spaceTransfer = defineTransfer('spaces', {
  columns: {
    id,
    parent: optional(text),
    title: text,
    emoji: optional(text),
    icon: optional(text),
    editMode: enumeration('SpaceEditMode'),
    language: optional(enumeration('Language')),
    contentLanguage: optional(text),
    defaultLevel: optional(enumeration('Role')),
    position: text,
    createdAt: time,
    updatedAt: time,
    deletedAt: optional(time),
    deletedBy: optional(text),
    revision: text,
    searchedRevision: CREATED,
    searchedEntries: CREATED,
    searchRun: MAINTAINED,
    git: optional(json('object')),
    computedSource: optional(json('object')),
    template: optional(json('object')),
    siteCount: MAINTAINED,
    pageCount: integer,
  },
  key: ['id'],
  create: () => ({ searchedRevision: null, searchedEntries: null }),
  jobs: (space) => [indexingOf(space)],
});
