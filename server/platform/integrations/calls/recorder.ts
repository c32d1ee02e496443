import type { components } from '../../../../generated/schema.d.ts';
import type { Database } from '../../../database/database.ts';
import { writeJson } from '../../../database/json.ts';
import type { Log } from '../../../database/log.ts';
import type {
  StoredCallEventType,
  StoredEventFields,
  StoredLogEntry,
} from '../../../database/schema/integrations/integration-events.ts';
import type { Clock } from '../../../database/seams.ts';
import { redact } from '../../../outgoing/credentials.ts';

type Payload = components['schemas']['IntegrationEventPayload'];

/** Payload of an event with a sender that waits for the response. */
export type CallPayload = Extract<Payload, { type: StoredCallEventType }>;

/** Delay for collecting calls to write together. */
export const CALL_FLUSH_DELAY_MS = 1000;
/** Maximum number of calls that a process records in this time. Further calls are not recorded. */
export const MAX_CALLS_PER_FLUSH = 20;
/** Retention of recorded calls. */
export const CALL_EVENT_RETENTION_MS = 60 * 60 * 1000;
/** Maximum length of the recorded fields of a call as JSON. Longer ones are recorded without their values. */
export const MAX_CALL_FIELDS_CHARACTERS = 4096;
/** Maximum length of the recorded log of a call as JSON. */
export const MAX_CALL_LOG_CHARACTERS = 8192;
/** Maximum length of a recorded URL. */
export const MAX_CALL_URL_CHARACTERS = 2048;

/** A call that an integration received. */
export interface EndedCall {
  integration: string;
  installation: string | undefined;
  /** The organization of the installation, or the owner of the integration. */
  organization: string;
  event: CallPayload;
  state: 'success' | 'failed';
  logs: readonly StoredLogEntry[];
}

/** Records the calls that integrations received, next to the events that are delivered to them. */
export interface CallRecorder {
  /** Records a call. Returns immediately and never throws. */
  record(call: EndedCall): void;
  /** Writes the recorded calls. Logs a failure; the calls are then lost. */
  flush(): Promise<void>;
}

interface RecorderServices {
  database: Database;
  clock: Clock;
  log: Log;
}

/** Creates the recorder of calls. A call costs its request no query. */
export const createCallRecorder = (services: RecorderServices): CallRecorder => new BatchedCalls(services);

class BatchedCalls implements CallRecorder {
  readonly #services: RecorderServices;
  #pending: (EndedCall & { at: Date })[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(services: RecorderServices) {
    this.#services = services;
  }

  record(call: EndedCall): void {
    if (this.#pending.length < MAX_CALLS_PER_FLUSH) {
      this.#pending.push({ ...call, at: this.#services.clock() });
      this.#timer ??= setTimeout(() => void this.flush(), CALL_FLUSH_DELAY_MS).unref();
    }
  }

  async flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const calls = this.#pending;
    this.#pending = [];
    if (calls.length === 0) {
      return;
    }
    const { database, log } = this.#services;
    try {
      await database.transaction(async (trx) => {
        // Integrations may have been unpublished meanwhile.
        const existing = await trx
          .selectFrom('integrations')
          .select('name')
          .where('name', 'in', [...new Set(calls.map(({ integration }) => integration))])
          .execute();
        const names = new Set(existing.map(({ name }) => name));
        const rows = calls.filter(({ integration }) => names.has(integration)).map(rowOf);
        if (rows.length > 0) {
          await trx.insertInto('integrationEvents').values(rows).execute();
        }
      });
    } catch (error) {
      log.warn({ err: error, calls: calls.length }, 'could not record calls of integrations');
    }
  }
}

function rowOf({
  integration,
  installation = '',
  organization,
  event,
  state,
  logs,
  at,
}: EndedCall & { at: Date }) {
  return {
    id: event.eventId,
    integration,
    installation,
    organization,
    type: event.type,
    fields: writeJson(recordedFields(event)),
    configuration: null,
    state,
    attempted: 1 as const,
    attempts: 1,
    logs: writeJson(lastEntries(logs, MAX_CALL_LOG_CHARACTERS)),
    createdAt: at.toISOString(),
    expiresAt: new Date(at.getTime() + CALL_EVENT_RETENTION_MS).toISOString(),
  };
}

/** Names of headers that contain credentials, such as those of webhooks. */
const SECRET_HEADER = /auth|cookie|key|password|secret|signature|token/i;

/** Returns the fields of a payload without credentials, and without values if they are large. */
function recordedFields(event: CallPayload): StoredEventFields {
  const fields = event.type === 'fetch' ? { ...event, request: recordedRequest(event.request) } : event;
  const { type: _, eventId: __, installationId: ___, ...recorded } = fields;
  if (JSON.stringify(recorded).length <= MAX_CALL_FIELDS_CHARACTERS) {
    return recorded;
  }
  if (fields.type === 'fetch') {
    return { ...recorded, request: { ...fields.request, headers: {} } };
  }
  return fields.type === 'ui_render'
    ? { componentId: fields.componentId, context: fields.context, props: {} }
    : {};
}

function recordedRequest({ method, url, headers }: Extract<CallPayload, { type: 'fetch' }>['request']) {
  return {
    method,
    url: redact(url).slice(0, MAX_CALL_URL_CHARACTERS),
    headers: Object.fromEntries(Object.entries(headers).filter(([name]) => !SECRET_HEADER.test(name))),
  };
}

/** Removes the first entries of a log that is too long: the last ones describe the failure. */
export function lastEntries(logs: readonly StoredLogEntry[], maxCharacters: number): StoredLogEntry[] {
  let length = 0;
  const first = logs.findLastIndex((entry) => {
    length += JSON.stringify(entry).length + 1;
    return length > maxCharacters;
  });
  return logs.slice(first + 1);
}
