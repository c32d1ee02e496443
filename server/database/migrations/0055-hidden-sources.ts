import type { Kysely } from 'kysely';
import { indexAllSpaces } from './index-spaces.ts';

/** Search no longer finds the source of a block with conditions that exceeds a limit of the parser. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await indexAllSpaces(db, 'job_hidden_sources_');
}
