import { randomUUID } from 'node:crypto';

/*
 * A connection that is lost during a commit leaves open whether the commit happened. Each transaction that wrote
 * something therefore leaves a token, inserted by the same message that commits. Afterwards whoever waited for
 * that commit inserts the token, too, on another connection: a key can only be taken once, so either the commit
 * was first, and is there, or it never happens. PostgreSQL decides, also while the lost connection is still
 * working, and after a failover that forgot the last commits.
 */

/** How long tokens are kept: far longer than anybody waits for one. */
const RETENTION = '1 hour';

interface Queryable {
  query(text: string, values?: unknown[]): Promise<{ rows: unknown[] }>;
}

/** Creates the table of tokens where it is missing. Safe when several processes do so at once. */
export async function createOutcomes(queryable: Queryable): Promise<void> {
  const { rows } = await queryable.query(
    `select 1 from pg_class where oid = to_regclass('transaction_outcomes')`,
  );
  if (rows.length > 0) return;
  try {
    await queryable.query(
      `create table if not exists transaction_outcomes
         (token text primary key, committed boolean not null, at timestamptz not null default now())`,
    );
  } catch (error) {
    // Another process created it at the same moment, which `if not exists` does not see.
    if (!(error instanceof Error && 'code' in error && error.code === '23505')) throw error;
  }
}

/** A token for one attempt at one transaction. */
export function newToken(): string {
  return randomUUID();
}

/** Commits the transaction that is open, and leaves its token. */
export async function recordOutcome(queryable: Queryable, token: string): Promise<void> {
  // One message: no round trip is added. The token is a UUID of ours, and several statements take no parameters.
  await queryable.query(
    `insert into transaction_outcomes (token, committed) values ('${token}', true); commit`,
  );
}

/** Whether the transaction with this token was committed; where it was not, it cannot be any more. */
export async function readOutcome(queryable: Queryable, token: string): Promise<boolean> {
  // Waits while the transaction is still being committed.
  await queryable.query(
    'insert into transaction_outcomes (token, committed) values ($1, false) on conflict (token) do nothing',
    [token],
  );
  const { rows } = await queryable.query(
    'select 1 from transaction_outcomes where token = $1 and committed',
    [token],
  );
  return rows.length > 0;
}

/** Deletes the tokens that nobody waits for any more. */
export async function forgetOutcomes(queryable: Queryable): Promise<void> {
  await queryable.query(`delete from transaction_outcomes where at < now() - interval '${RETENTION}'`);
}
