import type { Database } from '../database.ts';
import type { Log } from '../log.ts';
import type { Clock, CreateId } from '../seams.ts';
import { deleteOldCounts } from './request-counts.ts';
import { expiredBefore, readStop, STOP_KEY, withdrawStop } from './stops.ts';

/** Interval for renewing the registration of a server and counting the others. */
export const REGISTRATION_INTERVAL_MS = 2000;
/** Interval for deleting expired registrations and counts. */
export const REGISTRATION_CLEANUP_INTERVAL_MS = 60_000;

/** The registration of a server. */
export interface ServerRegistration {
  /** Number of other servers. */
  readonly others: number;
  /** Renews it and counts the others. Runs every {@link REGISTRATION_INTERVAL_MS}. */
  renew(): Promise<void>;
  /** Removes it. */
  stop(): Promise<void>;
}

/** Options of {@link registerServer}. */
export interface RegistrationOptions {
  database: Database;
  clock: Clock;
  createId: CreateId;
  log: Log;
  /** Called once if a server of a later release asks this one to stop. */
  onSuperseded?: (() => void) | undefined;
}

/** Registers a server that has migrated the database, and renews the registration until it is stopped. */
export async function registerServer(options: RegistrationOptions): Promise<ServerRegistration> {
  const { migrations } = await import('../migrations/index.ts');
  const known = new Set(migrations.map(([name]) => name));
  const requested = await readStop(options.database.query);
  if (requested !== undefined && !known.has(requested)) {
    // A later release ended before it migrated: otherwise, this one would have refused to migrate.
    await withdrawStop(options.database.query);
  }
  const registration = new Registration(options, known);
  await registration.renew();
  return registration;
}

class Registration implements ServerRegistration {
  others = 0;
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #id: string;
  readonly #migrations: ReadonlySet<string>;
  #onSuperseded: (() => void) | undefined;
  #timer: NodeJS.Timeout | undefined;
  #renewing: Promise<void> = Promise.resolve();
  #isStopped = false;
  #cleanedAt = Number.NEGATIVE_INFINITY;

  /** @param migrations names of the migrations of this release */
  constructor(
    { database, clock, createId, log, onSuperseded }: RegistrationOptions,
    migrations: ReadonlySet<string>,
  ) {
    this.#migrations = migrations;
    this.#database = database;
    this.#clock = clock;
    this.#log = log;
    this.#id = createId('prc');
    this.#onSuperseded = onSuperseded;
  }

  renew(): Promise<void> {
    clearTimeout(this.#timer);
    this.#renewing = this.#renew()
      .catch((error: unknown) => {
        this.#log.warn({ err: error }, 'could not renew the registration of the server');
      })
      .finally(() => {
        if (this.#isStopped) {
          return;
        }
        this.#timer = setTimeout(() => void this.renew(), REGISTRATION_INTERVAL_MS).unref();
      });
    return this.#renewing;
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    await this.#renewing;
    await this.#database.query
      .deleteFrom('countingProcesses')
      .where('id', '=', this.#id)
      .execute()
      .catch((error: unknown) =>
        this.#log.warn({ err: error }, 'could not remove the registration of the server'),
      );
  }

  async #renew(): Promise<void> {
    const { query } = this.#database;
    const now = this.#clock();
    const seenAt = now.toISOString();
    const expired = expiredBefore(now);
    // One statement, since an idle server executes it, too.
    const { others, stopsBefore } = await query
      .insertInto('countingProcesses')
      .values({ id: this.#id, seenAt })
      .onConflict((conflict) => conflict.column('id').doUpdateSet({ seenAt }))
      .returning((row) => [
        row
          .selectFrom('countingProcesses as other')
          .select(({ fn }) => fn.countAll<number>().as('others'))
          .where('other.id', '!=', this.#id)
          .where('other.seenAt', '>=', expired)
          .as('others'),
        row.selectFrom('settings').select('value').where('key', '=', STOP_KEY).as('stopsBefore'),
      ])
      .executeTakeFirstOrThrow();
    this.others = others ?? 0;
    if (stopsBefore !== null && !this.#migrations.has(stopsBefore)) {
      this.#onSuperseded?.();
      this.#onSuperseded = undefined;
    }
    if (now.getTime() - this.#cleanedAt < REGISTRATION_CLEANUP_INTERVAL_MS) {
      return;
    }
    this.#cleanedAt = now.getTime();
    await query.deleteFrom('countingProcesses').where('seenAt', '<', expired).execute();
    await deleteOldCounts(query, now);
  }
}
