import type { Migration } from 'kysely/migration';

/**
 * A change of the schema. Servers of the release before it keep working while it runs and afterwards, so that servers
 * can be replaced one by one, unless it states the opposite.
 */
export interface SchemaMigration extends Migration {
  /** Whether servers of an earlier release could not work with the changed schema. They are then asked to stop first. */
  readonly stopsServers?: true;
}

/** A migration that a database records by its name. */
export type NamedMigration = readonly [name: string, migration: SchemaMigration];
