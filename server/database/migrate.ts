import { type Kysely, type QueryExecutorProvider, sql } from 'kysely';
import { tableNames } from './catalog.ts';
import { engineOf } from './engine.ts';
import { classify, DatabaseUnavailableError } from './errors.ts';
import type { Log } from './log.ts';
import type { NamedMigration } from './migrations/migration.ts';
import type { Schema } from './schema.ts';

/*
 * Kysely's `Migrator` sorts migrations by name, and requires that a database has run them in this order. Migrations
 * that are developed in parallel land in another order, so that databases exist that lack one from the middle. These
 * functions use its table and its lock, so that they agree with releases that used it. The lock is that of a
 * transaction: a pooler in transaction mode has no sessions, and if those that wait for the lock of another session held
 * all of its connections, that session would not get one to go on with.
 */

const MIGRATION_TABLE = 'kysely_migration';
/** The advisory lock of Kysely. */
const LOCK_ID = '3853314791062309107';
/** Maximum time that a server waits for the migrations of another one. */
export const MIGRATION_LOCK_WAIT_MS = 3_600_000;
/** Maximum number of names in a message. */
const MAX_LISTED_NAMES = 3;

/** The data was created by an earlier release, and only servers migrate data. */
class EarlierReleaseError extends Error {
  override readonly name = 'EarlierReleaseError';

  constructor() {
    super(
      'The data is from an earlier release. Create a backup, then start the server of this release, which migrates it.',
    );
  }
}

/** The data was migrated by a release with migrations that this one does not have. */
class NewerReleaseError extends Error {
  override readonly name = 'NewerReleaseError';

  constructor(migrations: readonly string[]) {
    const listed = migrations.slice(0, MAX_LISTED_NAMES).join(', ');
    const more =
      migrations.length > MAX_LISTED_NAMES ? ` and ${migrations.length - MAX_LISTED_NAMES} more` : '';
    super(
      `The data is from a newer release: this release does not have its migrations (${listed}${more}). ` +
        'Start that release or a later one, or restore the backup from before the upgrade.',
    );
  }
}

/** The data was created before the baseline, the first of the migrations, which the data of every release has run. */
class UnreleasedDataError extends Error {
  override readonly name = 'UnreleasedDataError';

  constructor() {
    super(
      'The data was created by a development version from before the first release, which no release can upgrade: ' +
        'start with an empty data folder or database, and to keep the content, export each space to a Git repository ' +
        'with that version, and import it with this one.',
    );
  }
}

/**
 * Migrates the database to this release in one transaction. Safe to call in several processes at once.
 *
 * @param options.upgrades whether data of an earlier release is migrated
 * @throws UnreleasedDataError; NewerReleaseError if the data is from a newer release; EarlierReleaseError;
 *   ServersRunningError; DatabaseUnavailableError; Error if a step fails
 */
export async function migrate(
  kysely: Kysely<Schema>,
  log: Log,
  { upgrades }: { upgrades: boolean },
): Promise<void> {
  // Job processes, which do not migrate, do not load the migrations. Not in the transaction, which must not wait.
  const { migrations } = await import('./migrations/index.ts');
  const prepare = async (pending: readonly NamedMigration[]) => {
    if (!upgrades) {
      throw new EarlierReleaseError();
    }
    await prepareUpgrade(kysely, pending, log);
  };
  for (const migration of await runMigrations(kysely, migrations, prepare)) {
    log.info({ migration }, 'database migrated');
  }
}

/**
 * Prepares data of an earlier release for migrations: servers of that release are stopped, if necessary. Of the embedded
 * database, the server that migrates is the only one, since it has locked the data folder.
 *
 * @throws ServersRunningError
 */
export async function prepareUpgrade(
  queries: Kysely<Schema>,
  pending: readonly NamedMigration[],
  log: Log,
  timeoutMs?: number,
): Promise<void> {
  const [stopping] = pending.filter(([, { stopsServers = false }]) => stopsServers).at(-1) ?? [];
  if (stopping !== undefined && engineOf(queries) === 'postgres') {
    const { stopServers } = await import('./servers/stops.ts');
    await stopServers(queries, stopping, log, timeoutMs);
  }
}

/**
 * Runs the migrations that the database has not run, in the order of the list, in one transaction.
 *
 * @param migrations the baseline, and those that landed after it
 * @param prepare called before data of an earlier release is migrated, while no other process migrates
 * @returns the names of those that ran
 */
export async function runMigrations<Schema>(
  kysely: Kysely<Schema>,
  migrations: readonly NamedMigration[],
  prepare?: (pending: readonly NamedMigration[]) => Promise<void>,
): Promise<string[]> {
  return await kysely.transaction().execute(async (trx) => {
    await lockMigrations(trx);
    if (prepare) {
      const executed = await readExecuted(trx);
      const pending = pendingOf(executed, migrations);
      if (executed.size > 0 && pending.length > 0) {
        await prepare(pending);
      }
    }
    return await runPendingMigrations(trx, migrations);
  });
}

/**
 * Waits for the lock of migrations on PostgreSQL, which the transaction holds to its end: its statements have no time
 * limits. SQLite needs no lock: the transaction locks the file.
 */
export async function lockMigrations(trx: QueryExecutorProvider): Promise<void> {
  if (engineOf(trx) === 'postgres') {
    // The role may have these limits, as those of a pooler.
    await sql`set local lock_timeout = ${sql.lit(MIGRATION_LOCK_WAIT_MS)}`.execute(trx);
    for (const limit of ['statement_timeout', 'idle_in_transaction_session_timeout']) {
      await sql`set local ${sql.raw(limit)} = 0`.execute(trx);
    }
    await sql`select pg_advisory_xact_lock(${sql.raw(LOCK_ID)})`.execute(trx);
  }
}

/**
 * Checks that this release has all migrations that some data have run.
 *
 * @throws UnreleasedDataError; NewerReleaseError
 */
export async function requireKnown(executed: readonly string[]): Promise<void> {
  const { migrations } = await import('./migrations/index.ts');
  rejectUnknown(executed, migrations);
}

function rejectUnknown(executed: readonly string[], migrations: readonly NamedMigration[]): void {
  const known = new Set(migrations.map(([name]) => name));
  const unknown = executed.filter((name) => !known.has(name));
  if (unknown.length > 0) {
    const isReleased = executed.includes(migrations[0]?.[0] ?? '');
    throw isReleased ? new NewerReleaseError(unknown) : new UnreleasedDataError();
  }
}

/** Runs pending migrations in a transaction that holds the lock of migrations. Returns the names of those that ran. */
export async function runPendingMigrations<Schema>(
  trx: Kysely<Schema>,
  migrations: readonly NamedMigration[],
): Promise<string[]> {
  const executed = await readExecuted(trx);
  const pending = pendingOf(executed, migrations);
  // Increasing times record the execution order, even if the clock was set back.
  let time = Math.max(0, ...executed.values());
  for (const [name, migration] of pending) {
    try {
      await migration.up(trx);
    } catch (error) {
      throw classify(error) instanceof DatabaseUnavailableError
        ? error
        : new Error(`The migration ${name} failed. Nothing was changed.`, { cause: error });
    }
    time = Math.max(time + 1, Date.now());
    const timestamp = new Date(time).toISOString();
    await sql`
      insert into ${sql.table(MIGRATION_TABLE)} ("name", "timestamp") values (${name}, ${timestamp})`.execute(
      trx,
    );
  }
  return pending.map(([name]) => name);
}

/** Returns the migrations that have not run. @throws UnreleasedDataError; NewerReleaseError */
function pendingOf(
  executed: ReadonlyMap<string, number>,
  migrations: readonly NamedMigration[],
): readonly NamedMigration[] {
  rejectUnknown([...executed.keys()], migrations);
  return migrations.filter(([name]) => !executed.has(name));
}

/** Reads the times of the migrations that have run, and creates their table if it is missing. */
async function readExecuted(trx: QueryExecutorProvider): Promise<Map<string, number>> {
  const tables = await tableNames(trx);
  if (!tables.has(MIGRATION_TABLE)) {
    await sql`
      create table ${sql.table(MIGRATION_TABLE)}
        ("name" varchar(255) not null primary key, "timestamp" varchar(255) not null)`.execute(trx);
    return new Map();
  }
  const { rows } = await sql<{ name: string; timestamp: string }>`
    select "name", "timestamp" from ${sql.table(MIGRATION_TABLE)}`.execute(trx);
  return new Map(rows.map(({ name, timestamp }) => [name, Date.parse(timestamp) || 0]));
}
