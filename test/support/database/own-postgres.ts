import type { Database } from '../../../server/database/database.ts';
import { administer, findPostgres, type Server, start } from './postgres.ts';
import { startProxy, type TcpProxy } from './tcp-proxy.ts';

/** A PostgreSQL server of one test file, which it may stop and restart, behind a proxy that may fail. */
export interface OwnPostgres {
  server: Server;
  proxy: TcpProxy;
  /** URL of its database through the proxy. */
  url: string;
  close(): Promise<void>;
}

/** Whether this machine can run a PostgreSQL server for a test. */
export function hasOwnPostgres(): boolean {
  return binaries() !== undefined;
}

/** Starts a server whose acknowledged writes survive a crash. For the parameter see {@link start}. */
export async function startOwnPostgres(
  prepare?: (data: string) => Record<string, string>,
): Promise<OwnPostgres> {
  const folder = binaries();
  if (folder === undefined) {
    throw new Error('There is no PostgreSQL on this machine.');
  }
  const server = await start(folder, { durable: true, ...(prepare && { prepare }) });
  const proxy = await startProxy(server.socket);
  return {
    server,
    proxy,
    url: urlOf(proxy),
    close: closing(server, proxy),
  };
}

/** A replica of a server, behind a proxy that may fail. */
export type Replica = OwnPostgres;

/** Starts a streaming replica of a server. */
export async function startReplica({ server: primary }: OwnPostgres): Promise<Replica> {
  const server = await start(binaries() ?? '', { primary });
  const proxy = await startProxy(server.socket);
  return { server, proxy, url: urlOf(proxy), close: closing(server, proxy) };
}

/** Lets a replica fall behind. */
export const pauseReplay = ({ server }: Replica): Promise<void> =>
  administer(server.url, 'select pg_wal_replay_pause()');

/** Lets it catch up again. */
export const resumeReplay = ({ server }: Replica): Promise<void> =>
  administer(server.url, 'select pg_wal_replay_resume()');

const urlOf = ({ port }: TcpProxy): string => `postgres://postgres@127.0.0.1:${port}/postgres`;

const closing = (server: Server, proxy: TcpProxy) => async () => {
  await proxy.close();
  await server.stop();
};

function binaries(): string | undefined {
  // The server that DATABASE_URL names is shared with others.
  const postgres = findPostgres({ ...process.env, DATABASE_URL: undefined });
  return postgres && 'binaries' in postgres ? postgres.binaries : undefined;
}

/** A log that records its lines. */
export interface RecordedLog {
  lines: { level: string; reason?: unknown; message: string }[];
  debug(details: object, message: string): void;
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
  error(details: object, message: string): void;
}

export function recordLog(): RecordedLog {
  const lines: RecordedLog['lines'] = [];
  const at = (level: string) => (details: object, message: string) => {
    lines.push({ level, message, ...('reason' in details && { reason: details.reason }) });
  };
  return { lines, debug() {}, info: at('info'), warn: at('warn'), error: at('error') };
}

/** Increments a counter in a transaction, as a request does. */
export function increment(database: Database, name: string): Promise<void> {
  return database.transaction(async (trx) => {
    const row = await trx
      .selectFrom('counters')
      .select('value')
      .where('organization', '=', 'org_1')
      .where('name', '=', name)
      .executeTakeFirst();
    const value = (row?.value ?? 0) + 1;
    await trx
      .insertInto('counters')
      .values({ organization: 'org_1', name, value })
      .onConflict((conflict) => conflict.columns(['organization', 'name']).doUpdateSet({ value }))
      .execute();
  });
}

export async function readCount(database: Database, name: string): Promise<number> {
  const row = await database.query
    .selectFrom('counters')
    .select('value')
    .where('organization', '=', 'org_1')
    .where('name', '=', name)
    .executeTakeFirst();
  return row?.value ?? 0;
}
