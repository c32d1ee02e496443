import { createHash } from 'node:crypto';
import type { DatabaseLoad } from '../engine.ts';
import { ConnectionSource } from '../engines/postgres-driver.ts';
import type { PooledConnection } from '../engines/postgres-pool.ts';
import { DatabaseUnavailableError } from '../errors.ts';
import { currentReplica, leaveReplica, readFrom } from './places.ts';
import { RecentWrites } from './recent-writes.ts';
import { MAX_REPLICA_LAG_MS, Replica, type ReplicaOptions, type Sample } from './replica.ts';

/** Interval of reading the positions of the primary and its replicas. */
export const REPLICA_CHECK_INTERVAL_MS = 500;

/** Who reads. */
export interface Reader {
  /** ID of a user, or the address of a visitor. */
  id: string;
  /** What {@link selectRecentWrites} selected for the user; undefined if it has written nothing. */
  recentWrites?: string | undefined;
}

/**
 * Replicas of the primary, which execute the reads of units of work outside transactions. Everything else, also after the
 * first write or transaction of a unit of work, and after an error of its replica, is executed by the primary.
 */
export class Replicas extends ConnectionSource {
  readonly #primary: ConnectionSource;
  readonly #replicas: readonly Replica[];
  readonly #writes = new RecentWrites();
  readonly #reads = { primary: 0, replica: 0 };
  #samples: Sample[] = [];
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(primary: ConnectionSource, replicas: readonly ReplicaOptions[]) {
    super();
    this.#primary = primary;
    this.#replicas = replicas.map((options) => new Replica(options));
    void this.#check();
  }

  /**
   * Runs a unit of work. Its reads outside transactions are executed by a replica, if one has what the reader has
   * written. A reader has the same replica as long as it is used, so that data does not become older again.
   */
  reading<T>({ id, recentWrites }: Reader, work: () => Promise<T>): Promise<T> {
    const position = recentWrites === undefined ? 0 : this.#writes.positionOf(id, recentWrites);
    const { length } = this.#replicas;
    const start = length > 1 ? createHash('sha256').update(id).digest().readUInt16BE() : 0;
    for (let index = 0; index < length; index++) {
      const replica = this.#replicas[(start + index) % length];
      if (replica?.has(position)) {
        return readFrom(replica, work);
      }
    }
    return work();
  }

  /** Returns the current numbers of connections and reads. */
  load(): Pick<DatabaseLoad, 'connections' | 'reads'> {
    const connections = this.#replicas.reduce((sum, replica) => sum + replica.connections, 0);
    return { connections, reads: { ...this.#reads } };
  }

  acquire(): Promise<PooledConnection> {
    leaveReplica();
    return this.#primary.acquire();
  }

  withConnection<T>(work: (connection: PooledConnection) => Promise<T>): Promise<T> {
    leaveReplica();
    return this.#primary.withConnection(work);
  }

  async retry<T>(work: (connection: PooledConnection) => Promise<T>): Promise<T> {
    const replica = currentReplica();
    if (replica) {
      try {
        const result = await replica.withConnection(work);
        this.#reads.replica += 1;
        return result;
      } catch (error) {
        leaveReplica();
        if (error instanceof DatabaseUnavailableError) {
          if (error.reason === 'timeout') {
            // A slow statement would take as long on the primary.
            throw error;
          }
          if (error.isOutage) {
            replica.fail(error);
          }
        }
        // Others are conflicts with the replay of the log, or also errors of the statement on the primary.
      }
    }
    this.#reads.primary += 1;
    return await this.#primary.retry(work);
  }

  /** Closes the connections to the replicas. Idempotent. */
  async close(): Promise<void> {
    if (!this.#isClosed) {
      this.#isClosed = true;
      clearTimeout(this.#timer);
      await Promise.all(this.#replicas.map((replica) => replica.close()));
    }
  }

  /** Never rejects. */
  async #check(): Promise<void> {
    await this.#sample();
    await Promise.all(this.#replicas.map((replica) => replica.check(this.#samples)));
    if (!this.#isClosed) {
      this.#timer = setTimeout(() => void this.#check(), REPLICA_CHECK_INTERVAL_MS).unref();
    }
  }

  async #sample(): Promise<void> {
    const at = performance.now();
    this.#samples = this.#samples.filter((sample) => at - sample.at <= MAX_REPLICA_LAG_MS);
    try {
      const { rows } = await this.#primary.withConnection((connection) =>
        connection.query(`select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0') as position`),
      );
      this.#samples.push({ at, position: Number(rows[0]?.position) });
    } catch {
      // The samples become too old.
    }
  }
}
