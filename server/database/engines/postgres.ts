import { Kysely, PostgresDialect, type QueryCompiler } from 'kysely';
import pg from 'pg';
import { hostAndPort } from '../../contract/request/address.ts';
import { Availability } from '../availability.ts';
import type { DatabaseLoad, WorkWatch } from '../engine.ts';
import { classify } from '../errors.ts';
import type { Log } from '../log.ts';
import { Replicas } from '../replicas/replicas.ts';
import { ServerCompiler } from './compilers.ts';
import { Notifications } from './notifications.ts';
import { createOutcomes, deleteExpiredOutcomes } from './outcomes.ts';
import { ConnectionSource } from './postgres-driver.ts';
import {
  CONNECTION_WAIT_MS,
  MAX_CONNECTIONS,
  MAX_WAITING_CALLS,
  MIN_CONNECTIONS,
  openPool,
  optionsOf,
  PooledConnection,
  readCatalog,
} from './postgres-pool.ts';
import { PreparedStatements } from './prepared-statements.ts';
import { Semaphore } from './semaphore.ts';
import { TicketSignals } from './ticket-signals.ts';
import { WorkSignals } from './work-signals.ts';

/*
 * Kysely over a connection pool of PostgreSQL. A connection is acquired when a query is sent or a transaction begins,
 * so that a call that lost its connection can be retried on another one.
 */

/**
 * Runs work on PostgreSQL before serving, such as migrations, without time limits.
 *
 * @throws DatabaseUnavailableError, and errors of the work
 */
export async function withMaintenance<T, Tables = unknown>(
  url: string,
  work: (kysely: Kysely<Tables>) => Promise<T>,
): Promise<T> {
  const pool = new pg.Pool({ ...optionsOf(url), max: 2 });
  pool.on('error', () => {});
  const kysely = new Kysely<Tables>({ dialect: new StorableDialect({ pool }) });
  try {
    const result = await work(kysely);
    await createOutcomes(pool);
    return result;
  } catch (error) {
    throw classify(error);
  } finally {
    await kysely.destroy();
  }
}

/** Names the database and the server of a URL, with what the driver adds: its defaults, and variables such as PGHOST. */
export function nameServer(url: string): string {
  // Not connected. A host that starts with a slash is the folder of a socket.
  const { database, host, port } = new pg.Client({ connectionString: url });
  return `${database} at ${host.startsWith('/') ? host : hostAndPort(host, port)}`;
}

class StorableDialect extends PostgresDialect {
  override createQueryCompiler(): QueryCompiler {
    return new ServerCompiler();
  }
}

export interface PostgresOptions {
  /** Whether connections are opened in advance, so that requests do not wait for them. */
  keepsConnections: boolean;
  /**
   * Whether connections prepare statements and receive notifications, which poolers that share a connection between
   * transactions may not support.
   */
  preparesStatements: boolean;
  /** URLs of replicas. */
  replicas: readonly string[];
}

/** PostgreSQL for serving requests: all waiting is limited, and calls are retried after a lost connection. */
export class PostgresServer extends ConnectionSource {
  readonly #pool: pg.Pool;
  readonly #semaphore = new Semaphore({ permits: MAX_CONNECTIONS, maxWaiting: MAX_WAITING_CALLS });
  readonly #minConnections: number;
  readonly #statements: PreparedStatements | undefined;
  readonly availability: Availability;
  readonly signals: TicketSignals;
  readonly replicas: Replicas | undefined;
  readonly #notifications: Notifications;
  readonly #work: WorkSignals;

  constructor(url: string, log: Log, { keepsConnections, preparesStatements, replicas }: PostgresOptions) {
    super();
    this.#minConnections = keepsConnections ? MIN_CONNECTIONS : 0;
    this.#statements = preparesStatements ? new PreparedStatements() : undefined;
    this.#pool = openPool(url, log, this.#minConnections);
    this.availability = new Availability(log, () => this.#probe());
    // A pooler that shares connections between transactions delivers no notifications.
    this.#notifications = new Notifications(
      preparesStatements ? url : undefined,
      (text, values) => this.withConnection((connection) => connection.execute(text, values)),
      log,
    );
    this.signals = new TicketSignals(this.#notifications);
    this.#work = new WorkSignals(this.#notifications);
    this.replicas =
      replicas.length > 0
        ? new Replicas(
            this,
            replicas.map((url) => ({ url, name: nameServer(url), preparesStatements, log })),
          )
        : undefined;
  }

  watchWork(onChange: () => void): WorkWatch {
    return this.#work.watch(onChange);
  }

  load(): DatabaseLoad {
    const { connections = 0, reads } = this.replicas?.load() ?? {};
    return {
      connections: this.#pool.totalCount + connections,
      waiting: this.#semaphore.waiting,
      ...(reads && { reads }),
    };
  }

  /** Runs periodic maintenance. */
  async maintain(): Promise<void> {
    await this.withConnection((connection) => deleteExpiredOutcomes(connection));
    // At the same time, so that each is another connection.
    await Promise.all(Array.from({ length: this.#minConnections }, () => this.withConnection(readCatalog)));
  }

  /**
   * Acquires a connection of the pool.
   *
   * @throws DatabaseUnavailableError
   */
  async acquire(): Promise<PooledConnection> {
    this.availability.requireAvailable();
    try {
      const release = await this.#semaphore.acquire(performance.now() + CONNECTION_WAIT_MS);
      try {
        return new PooledConnection(await this.#pool.connect(), release, this.availability, this.#statements);
      } catch (error) {
        release();
        throw error;
      }
    } catch (error) {
      throw this.availability.recordError(error);
    }
  }

  /** Runs `work` with a connection of the pool. */
  async withConnection<T>(work: (connection: PooledConnection) => Promise<T>): Promise<T> {
    const connection = await this.acquire();
    try {
      return await work(connection);
    } finally {
      connection.release();
    }
  }

  /** Runs idempotent `work` with a connection and retries it after a lost connection. */
  async retry<T>(work: (connection: PooledConnection) => Promise<T>): Promise<T> {
    const startedAt = performance.now();
    for (;;) {
      try {
        return await this.withConnection(work);
      } catch (error) {
        if (!(await this.availability.mayRetry(error, startedAt))) {
          throw error;
        }
      }
    }
  }

  /** Closes all connections. Idempotent. */
  async close(): Promise<void> {
    this.availability.close();
    this.#notifications.close();
    await this.replicas?.close();
    if (!this.#pool.ending) {
      await this.#pool.end();
    }
  }

  async #probe(): Promise<void> {
    const release = await this.#semaphore.acquire(performance.now() + CONNECTION_WAIT_MS);
    try {
      const client = await this.#pool.connect();
      let failed: true | undefined = true;
      try {
        await client.query({
          text: `insert into settings (key, value) values ('write test', $1)
                 on conflict (key) do update set value = excluded.value`,
          values: [new Date().toISOString()],
        });
        failed = undefined;
      } finally {
        client.release(failed);
      }
    } finally {
      release();
    }
  }
}
