import type { Kysely } from 'kysely';
import { columnTypes, index, key, ownedBy, required, table } from './columns.ts';

/** Opinions of readers about the pages of sites. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { text } = columnTypes(db);

  await table(db, 'siteFeedback')
    .addColumn('id', text, key)
    .addColumn('organization', text, required)
    .addColumn('site', text, ownedBy('sites.id'))
    .addColumn('siteSpace', text, required)
    .addColumn('space', text, required)
    .addColumn('page', text, required)
    .addColumn('url', text, required)
    .addColumn('rating', text, required)
    .addColumn('comment', text)
    .addColumn('createdAt', text, required)
    .execute();
  await index(db, 'siteFeedback', ['site', 'createdAt', 'id']);
  await index(db, 'siteFeedback', ['createdAt']);
}
