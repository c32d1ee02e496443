import type { Kysely } from 'kysely';
import { Migrator } from 'kysely/migration';
import type { Log } from './log.ts';
import { migrations } from './migrations/index.ts';

/**
 * Brings the tables to this release's state, all steps in one transaction.
 *
 * @throws Error when a step fails, or when the data was already migrated by a newer release.
 */
export async function migrate<DB>(kysely: Kysely<DB>, log: Log): Promise<void> {
  const migrator = new Migrator({ db: kysely, provider: { getMigrations: async () => migrations } });
  const { error, results } = await migrator.migrateToLatest();
  if (error) {
    const step = results?.find((result) => result.status === 'Error');
    throw new Error(
      step
        ? `The database could not be migrated: step ${step.migrationName} failed, and nothing was changed.`
        : 'The database could not be opened or migrated. Check that it can be reached, and that it was not ' +
            'already used by a newer release, which this one cannot read.',
      { cause: error },
    );
  }
  for (const { migrationName } of results ?? []) log.info({ migration: migrationName }, 'database migrated');
}
