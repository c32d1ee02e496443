import { type Kysely, sql } from 'kysely';
import { createVersionTriggers } from './version-triggers.ts';

/** Version of the OpenAPI specifications of an organization: pages that are computed from them depend on it. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await createVersionTriggers(db, 'specs', [
    {
      table: 'openAPISpecs',
      columns: ['organization', 'slug', 'lastVersion'],
      owner: () => sql`'OpenAPI specs'`,
    },
  ]);
}
