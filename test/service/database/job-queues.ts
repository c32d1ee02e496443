import { afterEach, beforeEach } from 'vitest';
import type { Database } from '../../../server/database/database.ts';
import { createId } from '../../../server/database/seams.ts';
import {
  createQueue,
  jobKind,
  type NewJob,
  type Queue,
  type QueueOptions,
} from '../../../server/jobs/queue.ts';
import { openTestDatabase, type TestDatabase } from '../../support/database/engines.ts';

/** A kind of job with a text. */
export const note = jobKind<{ text: string }>('note');
/** A log that discards all lines. */
export const log = { debug() {}, info() {}, warn() {}, error() {} };

/** Queues on a database with a clock, both new for each test. */
export interface JobQueues {
  readonly db: Database;
  readonly location: TestDatabase['location'];
  readonly now: Date;
  /** Creates a queue that polls only when it is woken. */
  makeQueue(options?: Partial<QueueOptions>): Queue;
  /** Returns the database. Its next query outside a transaction fails if `failNext` is set. */
  failingQueries(): FailingQueries;
  /** Enqueues a note. */
  enqueue(queue: Queue, job?: Partial<NewJob<{ text: string }>>): Promise<string>;
  /** Advances the clock, and wakes all queues. */
  pass(seconds: number): void;
}

interface FailingQueries {
  database: Database;
  failNext: boolean;
}

/** Registers a handler of notes that runs until `finish` is called. */
export function blockNotes(queue: Queue): { started: Promise<void>; finish(): void } {
  const started = Promise.withResolvers<void>();
  const finished = Promise.withResolvers<void>();
  queue.register(note, async () => {
    started.resolve();
    await finished.promise;
  });
  return { started: started.promise, finish: finished.resolve };
}

/** Registers a handler of notes that runs until it is aborted. Resolves when it has started. */
export async function blockNotesUntilAborted(queue: Queue): Promise<void> {
  const started = Promise.withResolvers<void>();
  queue.register(note, (_job, signal) => {
    started.resolve();
    return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
  });
  await started.promise;
}

/** Opens a database before each test, and stops its queues afterwards. */
export function useJobQueues(): JobQueues {
  let opened: TestDatabase;
  let now: Date;
  let queues: Queue[];
  beforeEach(async () => {
    opened = await openTestDatabase();
    now = new Date('2026-03-01T12:00:00.000Z');
    queues = [];
  });
  afterEach(async () => {
    await Promise.all(queues.map((queue) => queue.stop({ grace: 0 })));
    await opened.close();
  });
  return {
    get db() {
      return opened.db;
    },
    get location() {
      return opened.location;
    },
    get now() {
      return now;
    },
    makeQueue(options = {}) {
      const database = opened.db;
      const queue = createQueue({ database, clock: () => now, createId, log, poll: 60_000, ...options });
      queues.push(queue);
      return queue;
    },
    failingQueries() {
      const { db } = opened;
      const query = () => {
        if (failing.failNext) {
          failing.failNext = false;
          throw new Error('The query failed.');
        }
        return db.query;
      };
      // Methods of a database need its private fields.
      const transaction = { value: db.transaction.bind(db) };
      const watchWork = { value: db.watchWork.bind(db) };
      const failing: FailingQueries = {
        failNext: false,
        database: Object.create(db, { query: { get: query }, transaction, watchWork }),
      };
      return failing;
    },
    enqueue: (queue, job = {}) =>
      opened.db.transaction((trx) =>
        queue.enqueue(trx, { kind: note, organization: 'org_1', payload: { text: 'hello' }, ...job }),
      ),
    pass(seconds) {
      now = new Date(now.getTime() + seconds * 1000);
      for (const queue of queues) {
        queue.wake();
      }
    },
  };
}
