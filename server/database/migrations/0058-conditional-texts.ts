import type { Kysely } from 'kysely';
import { indexAllSpaces } from './index-spaces.ts';

/** Search no longer finds texts under conditions that are not blocks, such as those in lines and cells. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await indexAllSpaces(db, 'job_conditional_texts_');
}
