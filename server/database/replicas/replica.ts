import type pg from 'pg';
import {
  CONNECTION_WAIT_MS,
  createClient,
  MAX_CONNECTIONS,
  MAX_WAITING_CALLS,
  openPool,
  PooledConnection,
} from '../engines/postgres-pool.ts';
import { PreparedStatements } from '../engines/prepared-statements.ts';
import { Semaphore } from '../engines/semaphore.ts';
import { classify, DatabaseUnavailableError } from '../errors.ts';
import type { Log } from '../log.ts';

/** Time by which a replica may lag behind the primary. With more, it is not used. */
export const MAX_REPLICA_LAG_MS = 5000;
/** Time limit for a replica to report its position, after which it counts as unreachable. */
export const POSITION_TIMEOUT_MS = 2000;

/** A position of the primary in its write-ahead log. */
export interface Sample {
  /** Time before it was read, on the clock of `performance.now()`. */
  at: number;
  position: number;
}

export interface ReplicaOptions {
  url: string;
  /** Name in log lines, without a password. */
  name: string;
  preparesStatements: boolean;
  log: Log;
}

/** Why a replica is not used. */
type Problem = 'unreachable' | 'lagging' | 'not a replica of the primary';

/** A replica of the primary, with connections of its own. It fails without affecting the primary. */
export class Replica {
  readonly #options: ReplicaOptions;
  readonly #statements: PreparedStatements | undefined;
  #pool: pg.Pool;
  #semaphore = newSemaphore();
  #client: pg.Client | undefined;
  #position = 0;
  #readAt = 0;
  /** Undefined while it is used; at first, it is not known yet. */
  #problem: Problem | 'unknown' | undefined = 'unknown';
  /** Rejects the calls that run. */
  readonly #running = new Set<(error: unknown) => void>();
  #isClosed = false;

  constructor(options: ReplicaOptions) {
    this.#options = options;
    this.#statements = options.preparesStatements ? new PreparedStatements() : undefined;
    this.#pool = openPool(options.url, options.log, 0);
  }

  /** Whether reads can be executed that require the log of the primary up to a position. */
  has(position: number): boolean {
    return this.#problem === undefined && this.#position >= position;
  }

  get connections(): number {
    return this.#pool.totalCount;
  }

  /** Runs `work` with a connection. It is rejected if the replica fails meanwhile, or has failed since it was chosen. */
  async withConnection<T>(work: (connection: PooledConnection) => Promise<T>): Promise<T> {
    if (this.#problem === 'unreachable') {
      throw new DatabaseUnavailableError('unreachable');
    }
    const { promise: failed, reject } = Promise.withResolvers<never>();
    this.#running.add(reject);
    try {
      return await Promise.race([failed, this.#run(work)]);
    } catch (error) {
      throw classify(error);
    } finally {
      this.#running.delete(reject);
    }
  }

  /**
   * Reads how far it is. Never rejects.
   *
   * @param samples of the primary, the latest one last
   */
  async check(samples: readonly Sample[]): Promise<void> {
    if (this.#isClosed) {
      return;
    }
    try {
      const position = await this.#readPosition();
      // Ahead of the primary: that of another one, such as from before a failover.
      const isAhead = samples.some(({ at, position }) => at >= this.#readAt && position < this.#position);
      const isForeign = position === undefined || isAhead;
      this.#position = position ?? 0;
      this.#readAt = performance.now();
      const reached = samples.findLast((sample) => sample.position <= this.#position);
      const isLagging = !reached || this.#readAt - reached.at > MAX_REPLICA_LAG_MS;
      this.#note(isForeign ? 'not a replica of the primary' : isLagging ? 'lagging' : undefined);
    } catch (error) {
      this.fail(error);
    }
  }

  /** Ends its use until the next successful check. */
  fail(error: unknown): void {
    this.#client?.end().catch(() => {});
    this.#client = undefined;
    // Another server may have its address next.
    this.#position = 0;
    if (this.#isClosed || this.#problem === 'unreachable') {
      return;
    }
    this.#note('unreachable', error);
    for (const reject of this.#running) {
      reject(new DatabaseUnavailableError('unreachable', { cause: error }));
    }
    // Connections of the old pool may never respond again.
    const { url, log } = this.#options;
    const pool = this.#pool;
    this.#pool = openPool(url, log, 0);
    this.#semaphore = newSemaphore();
    pool.end().catch(() => {});
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#client?.end().catch(() => {});
    await this.#pool.end();
  }

  async #run<T>(work: (connection: PooledConnection) => Promise<T>): Promise<T> {
    const pool = this.#pool;
    const release = await this.#semaphore.acquire(performance.now() + CONNECTION_WAIT_MS);
    let connection: PooledConnection;
    try {
      connection = new PooledConnection(
        await pool.connect(),
        release,
        { recordError: classify },
        this.#statements,
      );
    } catch (error) {
      release();
      throw error;
    }
    try {
      return await work(connection);
    } finally {
      connection.release();
    }
  }

  /** Returns how far it has replayed the log of the primary; undefined if it does not replay any. */
  async #readPosition(): Promise<number | undefined> {
    if (!this.#client) {
      this.#client = createClient(this.#options.url);
      await this.#client.connect();
    }
    const { rows } = await this.#client.query<{ position: number | null }>({
      text: `select case when pg_is_in_recovery() then pg_wal_lsn_diff(pg_last_wal_replay_lsn(), '0/0') end as position`,
      // A setting of the driver that its types lack.
      ...{ query_timeout: POSITION_TIMEOUT_MS },
    });
    return rows[0]?.position ?? undefined;
  }

  #note(problem: Problem | undefined, err?: unknown): void {
    const previous = this.#problem;
    if (previous === problem || this.#isClosed) {
      return;
    }
    this.#problem = problem;
    const { name, log } = this.#options;
    if (problem !== undefined && (previous === undefined || previous === 'unknown')) {
      log.warn(
        { replica: name, reason: problem, err },
        'a replica is not used: the primary serves its reads',
      );
    } else if (problem === undefined && previous !== 'unknown') {
      log.info({ replica: name }, 'the replica is used again');
    }
  }
}

const newSemaphore = () => new Semaphore({ permits: MAX_CONNECTIONS, maxWaiting: MAX_WAITING_CALLS });
