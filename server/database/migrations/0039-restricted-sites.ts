import type { Kysely } from 'kysely';
import { index } from './columns.ts';

/** The indexes that find sites with restricted visitors. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await index(db, 'sites', ['visibility', 'published']);
  await index(db, 'sites', ['adaptiveContent', 'published']);
}
