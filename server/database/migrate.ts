import type { Kysely } from 'kysely';
import { Migrator } from 'kysely/migration';
import type { Log } from './log.ts';

/**
 * Migrates the database to this release in one transaction.
 *
 * @throws Error if a step fails, or if the data is from a newer release
 */
export async function migrate<Schema>(kysely: Kysely<Schema>, log: Log): Promise<void> {
  // Job processes, which do not migrate, do not load the migrations. Not by the provider, which is called within the
  // transaction.
  const { migrations } = await import('./migrations/index.ts');
  const migrator = new Migrator({ db: kysely, provider: { getMigrations: async () => migrations } });
  const { error, results } = await migrator.migrateToLatest();
  if (error) {
    const step = results?.find((result) => result.status === 'Error');
    throw new Error(
      step
        ? `The migration ${step.migrationName} failed. Nothing was changed.`
        : 'The database could not be opened or migrated. Check that it is reachable, and that it was not ' +
            'migrated by a newer release.',
      { cause: error },
    );
  }
  for (const { migrationName } of results ?? []) {
    log.info({ migration: migrationName }, 'database migrated');
  }
}
