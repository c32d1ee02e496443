import { setTimeout as delay } from 'node:timers/promises';
import type { Kysely } from 'kysely';
import type { Log } from '../log.ts';
import type { Schema } from '../schema.ts';

/*
 * The servers of a PostgreSQL database register in the table `countingProcesses`. A server of a later release with a
 * migration that the others could not work with asks them to stop, and migrates when they have.
 */

/** Time without a renewal before a server is considered ended. */
export const REGISTRATION_TIMEOUT_MS = 10_000;
/** Maximum time to wait for servers of an earlier release: longer than they wait for requests and jobs. */
export const STOP_TIMEOUT_MS = 60_000;
const STOP_POLL_MS = 250;
/** Key of the setting with the name of a migration: servers whose release does not have it stop. */
export const STOP_KEY = 'servers stop before';

/** Servers of an earlier release still run, which a migration would break. */
export class ServersRunningError extends Error {
  override readonly name = 'ServersRunningError';

  constructor() {
    super(
      'Servers of an earlier release still use the database, and did not stop when asked. Stop them, then start this ' +
        'release again. Nothing was changed.',
    );
  }
}

/** Returns the time of the last renewal of servers that are considered ended. */
export const expiredBefore = (now: Date): string =>
  new Date(now.getTime() - REGISTRATION_TIMEOUT_MS).toISOString();

/** Returns whether servers are registered in a PostgreSQL database. */
export async function hasServers(queries: Kysely<Schema>, now: Date): Promise<boolean> {
  const registered = await queries
    .selectFrom('countingProcesses')
    .select('id')
    .where('seenAt', '>', expiredBefore(now))
    .limit(1)
    .execute();
  return registered.length > 0;
}

/**
 * Asks the servers of a PostgreSQL database to stop, and waits until they have. Servers that start meanwhile wait for
 * the lock of migrations, which the caller holds until it has migrated. The request remains, for servers that could not
 * read it meanwhile.
 *
 * @param migration name of the migration that they could not work with
 * @throws ServersRunningError if some still run after `timeoutMs`
 */
export async function stopServers(
  queries: Kysely<Schema>,
  migration: string,
  log: Log,
  timeoutMs: number = STOP_TIMEOUT_MS,
): Promise<void> {
  const startedAt = Date.now();
  try {
    for (let isLogged = false; ; isLogged = true) {
      // Repeated: a server that registers just now withdraws it.
      await requestStop(queries, migration);
      if (!(await hasServers(queries, new Date()))) {
        return;
      }
      if (Date.now() - startedAt > timeoutMs) {
        throw new ServersRunningError();
      }
      if (!isLogged) {
        log.info({ migration }, 'waiting for servers of an earlier release to stop');
      }
      await delay(STOP_POLL_MS);
    }
  } catch (error) {
    await withdrawStop(queries);
    throw error;
  }
}

const requestStop = (queries: Kysely<Schema>, value: string) =>
  queries
    .insertInto('settings')
    .values({ key: STOP_KEY, value })
    .onConflict((conflict) => conflict.column('key').doUpdateSet({ value }))
    .execute();

/** Withdraws a request to stop. */
export const withdrawStop = (queries: Kysely<Schema>) =>
  queries.deleteFrom('settings').where('key', '=', STOP_KEY).execute();

/** Reads the name of the migration before which servers are asked to stop. */
export async function readStop(queries: Kysely<Schema>): Promise<string | undefined> {
  const row = await queries
    .selectFrom('settings')
    .select('value')
    .where('key', '=', STOP_KEY)
    .executeTakeFirst();
  return row?.value;
}
