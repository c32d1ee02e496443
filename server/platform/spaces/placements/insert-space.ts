import type { Selectable } from 'kysely';
import type { Transaction } from '../../../database/database.ts';
import type { SpacesTable } from '../../../database/schema/spaces/spaces.ts';
import { positionAtEnd } from './queries.ts';

type Columns = Selectable<SpacesTable>;

/** A new space. Settings that are omitted have no value. */
export interface NewSpace
  extends Pick<Columns, 'id' | 'organization' | 'parent' | 'title' | 'revision'>,
    Partial<
      Pick<
        Columns,
        | 'emoji'
        | 'icon'
        | 'editMode'
        | 'language'
        | 'contentLanguage'
        | 'defaultLevel'
        | 'searchedRevision'
        | 'computedSource'
        | 'pageCount'
      >
    > {
  now: Date;
}

/** Inserts a space at the end of its parent. The caller writes its revision. */
export async function insertSpace(trx: Transaction, { now, ...space }: NewSpace): Promise<Columns> {
  return await trx
    .insertInto('spaces')
    .values({
      emoji: null,
      icon: null,
      editMode: 'live',
      language: null,
      contentLanguage: null,
      defaultLevel: null,
      searchedRevision: null,
      computedSource: null,
      ...space,
      position: await positionAtEnd(trx, space),
      createdAt: now.toISOString(),
      updatedAt: now.toISOString(),
      deletedAt: null,
      deletedBy: null,
      searchedEntries: null,
      git: null,
      template: null,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
}
