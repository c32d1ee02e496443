import type { operations as table } from '../../../generated/operations.ts';
import type { operations as Operations } from '../../../generated/schema.d.ts';
import type { ContentThreads } from '../../content/threads/threads.ts';
import type { Handlers } from '../../contract/types.ts';
import type { Database } from '../../database/database.ts';
import type { Log } from '../../database/log.ts';
import type { Clock, CreateId } from '../../database/seams.ts';
import type { Searches } from '../../database/search/searches.ts';
import type { Caller } from '../../identity/caller.ts';
import type { Queue } from '../../jobs/queue.ts';
import type { AllowedRanges } from '../../outgoing/addresses.ts';
import type { LanguageModelSettings } from '../../outgoing/language-model.ts';
import type { ObjectStorage } from '../../outgoing/object-storage/object-storage.ts';
import type { Quotas } from '../../quotas/quotas.ts';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import type { SamlThreads } from '../accounts/saml/threads.ts';
import type { CallRecorder } from '../integrations/calls/recorder.ts';
import type { PublishedPages } from '../sites/visitors/published-pages.ts';
import type { RecordAudit } from './audit/record.ts';
import type { Hooks } from './hooks.ts';
import type { ResourceUrls } from './resource-urls.ts';
import type { RequestSlots } from './slots.ts';

/** Services of the handlers, created once by the app and shared by all requests. */
export interface Services {
  database: Database;
  clock: Clock;
  createId: CreateId;
  resourceUrls: ResourceUrls;
  queue: Queue;
  /** Limits of each organization. */
  quotas: Quotas;
  /** Runs the work of the content engine that would block requests. */
  threads: ContentThreads;
  /** Stores files outside of the database; undefined if they are all in the database. */
  objectStorage: ObjectStorage | undefined;
  /** Processes the XML of sign-ins. */
  samlThreads: SamlThreads;
  /** Runs full-text searches in threads. */
  searches: Searches;
  /** Runs scripts of integrations. */
  sandbox: Sandbox;
  /** Records the calls of integrations. */
  calls: CallRecorder;
  /** Signs cursors and seals stored credentials. */
  secretKey: string;
  log: Log;
  /** Outgoing requests: allowed address ranges, and the folders for temporary files and for copies of repositories. */
  outgoing: { allow: AllowedRanges; folder: string; copies: string };
  /** Calls of later domains. */
  hooks: Hooks<Context>;
  /** URL of the translation service. */
  translateUrl: string | undefined;
  /** Language model that answers questions about published sites. */
  languageModel: LanguageModelSettings | undefined;
}

/** Context of a request: the caller, and the services of the server. Handlers pass it on to rules. */
export interface Context extends Services {
  /** Throws 401 in a request of a visitor, so that only operations for visitors serve them. */
  readonly caller: Caller;
  /** The visitor of a published site who sent the request without an access token; undefined for users. */
  visitor: { token: string | undefined } | undefined;
  /** The published pages, as their visitors see them. */
  publishedPages: PublishedPages;
  requestId: string;
  /** The caller's IP address. */
  address: string;
  /** Records in the audit trail what the caller changes. Throws 401 in a request of a visitor. */
  readonly audit: RecordAudit;
  /** Limits of the expensive work of requests. */
  slots: RequestSlots;
  /** Aborted when the caller closes the connection. */
  signal: AbortSignal;
  /** The URL for the `Location` header of a response without a body, set by the handler. */
  location: string | undefined;
}

/** The handlers of the whole contract. */
export type AllHandlers = Handlers<Operations, typeof table, Context>;

/** The operation IDs of the contract. */
export type OperationId = keyof AllHandlers;

/** Handlers of some operations: each group of resources is checked with `satisfies Slice`. */
export type Slice = Partial<AllHandlers>;
