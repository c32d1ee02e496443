import { type Kysely, type Transaction as KyselyTransaction, sql } from 'kysely';
import { tableNames } from '../catalog.ts';
import { withMaintenance } from '../engines/postgres.ts';
import { lockMigrations, runPendingMigrations } from '../migrate.ts';
import type { Schema } from '../schema.ts';
import { hasServers } from '../servers/stops.ts';
import { BackupError } from './errors.ts';
import { loadBackup } from './load.ts';
import { nameOfReplaced, type Restored, type RestoreOptions } from './restore.ts';

/** Tables that exist without data of a server. */
const EMPTY_TABLES: ReadonlySet<string> = new Set(['transaction_outcomes']);

/**
 * Restores a backup to a database of PostgreSQL in one transaction. Tables that are replaced are moved to another schema.
 */
export async function restoreToServer(url: string, options: RestoreOptions): Promise<Restored> {
  return await withMaintenance<Restored, Schema>(url, (kysely) =>
    kysely.transaction().execute((trx) => restore(trx, options)),
  );
}

async function restore(trx: KyselyTransaction<Schema>, options: RestoreOptions): Promise<Restored> {
  // Servers that are started meanwhile wait for it before they create the tables.
  await lockMigrations(trx);
  const tables = (await tableNames(trx)).difference(EMPTY_TABLES);
  await rejectServers(trx, tables, options.now);
  const replaced = tables.size > 0 ? nameOfReplaced(options.now) : undefined;
  if (replaced !== undefined) {
    requireReplaceable(tables, options.replace);
    await moveToSchema(trx, replaced);
  }
  const content = await loadBackup(trx, {
    ...options,
    migrate: (migrations) => runPendingMigrations<Schema>(trx, migrations),
  });
  return { ...content, replaced: replaced === undefined ? undefined : `the schema "${replaced}"` };
}

function requireReplaceable(tables: ReadonlySet<string>, replace: boolean): void {
  if (!tables.has('kysely_migration')) {
    throw new BackupError(
      'The database contains tables of another program. Set DATABASE_URL to a database of its own.',
    );
  }
  if (!replace) {
    throw new BackupError(
      'The database contains data. Set DATABASE_URL to an empty database, or add --replace: the tables are then ' +
        'moved to another schema of the database.',
    );
  }
}

/** Rejects a database that servers use: by their connections, and by their registrations, which poolers do not hide. */
async function rejectServers(
  trx: KyselyTransaction<Schema>,
  tables: ReadonlySet<string>,
  now: Date,
): Promise<void> {
  const { rows } = await sql<{ pid: number }>`
    select pid from pg_stat_activity
    where datname = current_database() and application_name = 'colophon' and pid <> pg_backend_pid()`.execute(
    trx,
  );
  if (rows.length > 0 || (tables.has('countingProcesses') && (await hasServers(trx, now)))) {
    throw new BackupError(
      'The database is in use: stop all servers and commands first. If they were killed, try again after 10 seconds. ' +
        'A pooler may keep their connections longer: restore without it.',
    );
  }
}

/** Moves all tables and functions to a new schema. Their indexes, triggers and sequences follow. */
async function moveToSchema(trx: Kysely<Schema>, schema: string): Promise<void> {
  const { rows } = await sql<{ kind: string; name: string }>`
    select 'table' as "kind", format('%I', relname) as "name" from pg_class
    where relkind = 'r' and relnamespace = current_schema()::regnamespace
      and not exists (select 1 from pg_depend where objid = pg_class.oid and deptype = 'e')
    union all
    select 'function', oid::regprocedure::text from pg_proc
    where pronamespace = current_schema()::regnamespace
      and not exists (select 1 from pg_depend where objid = pg_proc.oid and deptype = 'e')`.execute(trx);
  await sql`create schema ${sql.ref(schema)}`.execute(trx);
  for (const { kind, name } of rows) {
    await sql`alter ${sql.raw(kind)} ${sql.raw(name)} set schema ${sql.ref(schema)}`.execute(trx);
  }
}
