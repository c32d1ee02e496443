/**
 * Refuses statements of the service that a sharded database could not execute, see `rules.ts`, except for those in
 * `statement-exceptions.ts`. A setup file of the project `postgres` with `COLOPHON_TEST_SHARDED=on`; with the path of a file
 * instead of `on`, statements that are no exceptions are appended to this file and executed.
 */
import { appendFileSync } from 'node:fs';
import pg from 'pg';
import { inject } from 'vitest';
import { withDatabase } from '../postgres.ts';
import { withUnmigrated } from '../unmigrated.ts';
import { distributedTables, violationsOf } from './rules.ts';
import { STATEMENT_EXCEPTIONS } from './statement-exceptions.ts';

/** Frames of the service above the database: tests also write what they need to the database. */
const SERVICE_FRAME = /\/server\/(?!database\/)/;
/** Enough for the frames of a query builder between a statement and its caller. */
const STACK_FRAMES = 60;

const { url, template } = inject('postgres');
const location = { url: withDatabase(url, template) };
const distributed = await withUnmigrated(location, (database) => distributedTables(database));
const exceptions = new Set(Object.values(STATEMENT_EXCEPTIONS).flat());
const recorded = process.env.COLOPHON_TEST_SHARDED === 'on' ? undefined : process.env.COLOPHON_TEST_SHARDED;

function isOfService(): boolean {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = STACK_FRAMES;
  const { stack = '' } = new Error();
  Error.stackTraceLimit = stackTraceLimit;
  return SERVICE_FRAME.test(stack);
}

/** A statement that a sharded database would refuse. */
class ShardingError extends Error {
  override readonly name = 'ShardingError';
}

const { query } = pg.Client.prototype;
// The service uses one of its many signatures, with a text and its values.
type Query = (config: pg.QueryConfig | string, ...rest: unknown[]) => unknown;
const send = query as unknown as Query;
const checkedQuery: Query = function (this: pg.Client, config, ...rest) {
  if (typeof config === 'object') {
    check(config.text);
  }
  return send.call(this, config, ...rest);
};
pg.Client.prototype.query = checkedQuery as unknown as typeof query;

/** @throws ShardingError */
function check(text: string): void {
  const violations = violationsOf(text, distributed).filter((violation) => !exceptions.has(violation));
  if (violations.length === 0 || !isOfService()) {
    return;
  }
  if (recorded === undefined) {
    throw new ShardingError(`${violations.join(', ')}: ${text}`);
  }
  for (const violation of violations) {
    exceptions.add(violation);
    appendFileSync(recorded, `${violation}\n`);
  }
}
