import { randomUUID } from 'node:crypto';
import pg from 'pg';
import type { PooledConnection } from './postgres-pool.ts';

/*
 * If a connection is lost during a commit, the outcome is unknown. Therefore each writing transaction inserts a token
 * in the same message as its commit. After a lost connection, the waiting caller inserts the same token on another
 * connection: the key is unique, so either the commit came first, or it can no longer happen. This is also correct
 * while the lost connection is still active, and after a failover that lost the last commits.
 *
 * With a token, the caller of the transaction is recorded, see `../replicas/recent-writes.ts`.
 */

/** Retention of the outcomes of transactions on PostgreSQL: far longer than any caller waits. */
export const OUTCOME_RETENTION_MS = 60 * 60 * 1000;

/** SQLSTATE codes of an object that exists: unique_violation in a catalog, duplicate_object and duplicate_table. */
const ALREADY_EXISTS: ReadonlySet<unknown> = new Set(['23505', '42710', '42P07']);

/** A connection or a pool. */
interface Queryable {
  query(text: string): Promise<{ rows: unknown[] }>;
}

/** Creates the table of tokens if it is missing. Safe to call in several processes at once. */
export async function createOutcomes(queryable: Queryable): Promise<void> {
  const { rows } = await queryable.query(
    `select 1 from pg_class where oid = to_regclass('transaction_outcomes_callers')`,
  );
  if (rows.length > 0) {
    return;
  }
  try {
    // One message, so that they are created together.
    await queryable.query(
      `create table if not exists transaction_outcomes
         (token text primary key, committed boolean not null, at timestamptz not null default now());
       alter table transaction_outcomes
         add column if not exists caller text,
         add column if not exists number bigint generated always as identity;
       create index if not exists transaction_outcomes_callers on transaction_outcomes (caller, at)
         where caller is not null`,
    );
  } catch (error) {
    // Created concurrently by another process, which `if not exists` does not detect.
    if (!(error instanceof Error && 'code' in error && ALREADY_EXISTS.has(error.code))) {
      throw error;
    }
  }
}

/** Creates a token for an attempt of a transaction. */
export function newToken(): string {
  return randomUUID();
}

/**
 * Commits the open transaction and inserts its token.
 *
 * @param caller user whose request it is; undefined for others, such as jobs
 */
export async function recordOutcome(
  queryable: Queryable,
  token: string,
  caller: string | undefined,
): Promise<void> {
  const values = caller === undefined ? 'null, now()' : `${pg.escapeLiteral(caller)}, clock_timestamp()`;
  // One message, to save a round trip. Multiple statements support no parameters; the token is a generated UUID.
  await queryable.query(
    `insert into transaction_outcomes (token, committed, caller, at) values ('${token}', true, ${values}); commit`,
  );
}

/** Returns whether the transaction with a token was committed. If not, it can no longer be committed. */
export async function readOutcome(connection: PooledConnection, token: string): Promise<boolean> {
  // Blocks while the commit is in progress.
  await connection.execute(
    'insert into transaction_outcomes (token, committed) values ($1, false) on conflict (token) do nothing',
    [token],
  );
  const { rows } = await connection.execute(
    'select 1 from transaction_outcomes where token = $1 and committed',
    [token],
  );
  return rows.length > 0;
}

/** Deletes expired tokens. */
export async function deleteExpiredOutcomes(queryable: Queryable): Promise<void> {
  const retention = `interval '${OUTCOME_RETENTION_MS} milliseconds'`;
  await queryable.query(`delete from transaction_outcomes where at < now() - ${retention}`);
}
