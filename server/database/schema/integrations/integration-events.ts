import type { Generated } from 'kysely';
import type { Flag, JsonText } from '../../json.ts';

/** Events about an installation itself, which only that installation receives. */
export type StoredInstallationEventType =
  | 'installation_setup'
  | 'space_installation_setup'
  | 'site_installation_setup'
  | 'installation_deleted'
  | 'space_installation_deleted'
  | 'site_installation_deleted';

/** Events about a space or site, which all installations receive that apply to it and have the scope. */
export type StoredContentEventType =
  | 'space_content_updated'
  | 'space_gitsync_started'
  | 'space_gitsync_completed'
  | 'space_visibility_updated'
  | 'space_view'
  | 'site_view'
  | 'page_feedback';

/** Synchronous calls: the sender waits for the response. They are recorded, not delivered. */
export type StoredCallEventType =
  | 'fetch'
  | 'fetch_published_script'
  | 'fetch_visitor_authentication'
  | 'ui_render';

export type StoredEventType = StoredInstallationEventType | StoredContentEventType;

/** Fields of the payload of an event by name, without the identifiers of the event and the installation. */
export type StoredEventFields = Record<string, unknown>;

/** Columns of raised events and of those that integrations receive. */
interface EventColumns<Type> {
  type: Type;
  fields: JsonText<StoredEventFields>;
  /** Previous configuration of the installation, as its row stored it, sealed; null if there is none. */
  configuration: string | null;
  /** The trace in which it was raised (https://www.w3.org/TR/trace-context/). */
  traceParent: string | null;
}

/** An event that was raised and not yet assigned to the installations that receive it. */
export interface RaisedEventsTable extends EventColumns<StoredEventType> {
  /** Order of the events. */
  sequence: Generated<number>;
  organization: string;
  /** The installation that the event is about, and its integration; null for events about spaces and sites. */
  integration: string | null;
  installation: string | null;
  raisedAt: string;
}

/** An event that an installation receives, or received, or a call that an integration received. */
export interface IntegrationEventsTable extends EventColumns<StoredEventType | StoredCallEventType> {
  /** Order of the events of an installation. */
  sequence: Generated<number>;
  id: string;
  integration: string;
  /** May no longer exist. Empty for a call that concerns no installation. */
  installation: string;
  /** The organization of the installation; without one, the owner of the integration. */
  organization: string;
  /** `pending` until the event was handled, or was abandoned. */
  state: 'pending' | 'success' | 'failed';
  /** Whether it was sent at least once. */
  attempted: Flag;
  /** Number of attempts, including one that is running. */
  attempts: number;
  /** Log of the last attempt. */
  logs: JsonText<StoredLogEntry[]>;
  createdAt: string;
  /** Time of its deletion; null as long as it is pending. */
  expiresAt: string | null;
}

export interface StoredLogEntry {
  message: string;
  timestamp: string;
  level: 'debug' | 'info' | 'warn' | 'error';
}

/** State of the delivery to an installation that has pending events, which it receives one at a time. */
export interface IntegrationEventStreamsTable {
  installation: string;
  integration: string;
  organization: string;
  /** Number of attempts that failed since the last success. */
  failures: number;
  /** Time of the next attempt. */
  dueAt: string;
  /** The process that delivers an event now. */
  leaseOwner: string | null;
  leaseUntil: string | null;
}
