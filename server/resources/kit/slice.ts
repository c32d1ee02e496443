import type { operations as table } from '../../../generated/operations.ts';
import type { operations as Operations } from '../../../generated/schema.d.ts';
import type { ContentThreads } from '../../content/threads/threads.ts';
import type { Handlers } from '../../contract/types.ts';
import type { Database } from '../../database/database.ts';
import type { Log } from '../../database/log.ts';
import type { Clock, MakeId } from '../../database/seams.ts';
import type { Caller } from '../../identity/caller.ts';
import type { Queue } from '../../jobs/queue.ts';
import type { Addresses } from '../../models/addresses.ts';
import type { RecordAudit } from '../../models/audit-events/record.ts';
import type { AllowedRanges } from '../../outgoing/addresses.ts';

/** What handlers stand on: made once by the app, the same for every request. */
export interface Services {
  database: Database;
  clock: Clock;
  makeId: MakeId;
  addresses: Addresses;
  queue: Queue;
  /** Where the work of the content engine is done that would keep requests waiting. */
  threads: ContentThreads;
  /** Signs cursors and seals stored credentials. */
  secretKey: string;
  log: Log;
  /** The way out: which addresses it may reach, and where what it fetches lies meanwhile. */
  outgoing: { allow: AllowedRanges; folder: string };
}

/** Context of a request: the caller, and the services of the server. Handlers pass it on to rules. */
export interface Context extends Services {
  caller: Caller;
  requestId: string;
  /** The caller's IP address. */
  address: string;
  /** Records in the audit trail what the caller changes. */
  audit: RecordAudit;
  /** Aborts when the caller hangs up. */
  signal: AbortSignal;
}

/** The handlers of the whole contract. */
export type AllHandlers = Handlers<Operations, typeof table, Context>;

/** The operation ids of the contract. */
export type OperationId = keyof AllHandlers;

/** The handlers of some operations: what one group of resources serves. */
export type Slice<Id extends OperationId> = Pick<AllHandlers, Id>;
