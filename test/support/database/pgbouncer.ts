import { once } from 'node:events';
import { chownSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { TEMPORARY_FOLDER } from '../processes/temporary.ts';
import { launch, ordinaryUser, type Server } from './postgres.ts';

/** Where Debian installs PgBouncer. */
const PROGRAM = '/usr/sbin/pgbouncer';

/** Whether PgBouncer is installed. */
export const hasPgBouncer = existsSync(PROGRAM);

/** A running PgBouncer. */
export interface PgBouncer extends AsyncDisposable {
  /** URL of the database through it. */
  url: string;
  /** Ends it, with all connections, and starts it again. */
  restart(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Starts PgBouncer in transaction mode, in front of a server: consecutive transactions of a client use any of its
 * connections, and those of several clients the same one.
 *
 * @param connections its connections to the server
 */
export async function startPgBouncer(server: Server, connections: number): Promise<PgBouncer> {
  const folder = mkdtempSync(join(TEMPORARY_FOLDER, 'colophon-pgbouncer-'));
  const user = ordinaryUser();
  if (user) {
    chownSync(folder, user.uid, user.gid);
  }
  const configuration = join(folder, 'pgbouncer.ini');
  writeFileSync(
    configuration,
    `[databases]
* = host=${dirname(server.socket)} user=postgres
[pgbouncer]
listen_addr =
unix_socket_dir = ${folder}
auth_type = any
pool_mode = transaction
default_pool_size = ${connections}
ignore_startup_parameters = extra_float_digits,options,statement_timeout,idle_in_transaction_session_timeout
`,
  );
  const url = `postgres://postgres@/postgres?host=${encodeURIComponent(folder)}&port=6432`;
  const open = () => launch(PROGRAM, [configuration], { cwd: folder, env: process.env, ...user }, url);
  let pooler = await open();
  const end = async () => {
    const exited = once(pooler, 'exit');
    pooler.kill('SIGTERM');
    await exited;
  };
  const close = async () => {
    await end();
    rmSync(folder, { recursive: true, force: true });
  };
  return {
    url,
    restart: async () => {
      await end();
      pooler = await open();
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}
