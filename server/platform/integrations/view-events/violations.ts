import { LRUCache } from 'lru-cache';
import type { StoredLogEntry } from '../../../database/schema/integrations/integration-events.ts';
import type { Clock, CreateId } from '../../../database/seams.ts';
import { CALL_EVENT_RETENTION_MS, type CallRecorder } from '../calls/recorder.ts';

/** Delay for collecting violations to record together. */
export const VIOLATION_FLUSH_DELAY_MS = 1000;
/** Maximum number of violations that a process records in this time. Further violations are not recorded. */
export const MAX_VIOLATIONS_PER_FLUSH = 40;
/** Maximum number of violations of an installation on a site that a process records during their retention. */
export const MAX_VIOLATIONS_PER_INSTALLATION = 40;
/** Maximum number of violations that a process remembers, in order to record each once. */
export const MAX_REMEMBERED_VIOLATIONS = 10_000;

/** What the content security policy of a page blocked. */
export interface PolicyViolation {
  organization: string;
  site: string;
  installation: string;
  integration: string;
  /** Description for the developer of the integration. Equal ones are recorded once. */
  message: string;
}

/** Records what the policies of pages blocked, in the traces of the integrations with scripts on these pages. */
export interface ViolationRecorder {
  /** Records a violation. Returns immediately and never throws. */
  record(violation: PolicyViolation): void;
  /** Passes the collected violations to the recorder of calls. */
  flush(): void;
}

export interface ViolationServices {
  calls: CallRecorder;
  clock: Clock;
  createId: CreateId;
}

/**
 * Creates the recorder of violations. Each is part of the log of an event `fetch_published_script`, which failed: of the
 * script, a part was blocked.
 */
export const createViolationRecorder = (services: ViolationServices): ViolationRecorder =>
  new BatchedViolations(services);

class BatchedViolations implements ViolationRecorder {
  readonly #services: ViolationServices;
  readonly #recorded = new LRUCache<string, true>({
    max: MAX_REMEMBERED_VIOLATIONS,
    ttl: CALL_EVENT_RETENTION_MS,
  });
  /** Number of violations by installation and site. */
  readonly #counts = new LRUCache<string, { count: number }>({
    max: MAX_REMEMBERED_VIOLATIONS,
    ttl: CALL_EVENT_RETENTION_MS,
  });
  #pending: (PolicyViolation & { at: Date })[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(services: ViolationServices) {
    this.#services = services;
  }

  record(violation: PolicyViolation): void {
    const { installation, site, message } = violation;
    const place = `${installation} ${site}`;
    const key = `${place} ${message}`;
    const counted = this.#counts.get(place) ?? { count: 0 };
    if (
      this.#recorded.has(key) ||
      counted.count >= MAX_VIOLATIONS_PER_INSTALLATION ||
      this.#pending.length >= MAX_VIOLATIONS_PER_FLUSH
    ) {
      return;
    }
    this.#recorded.set(key, true);
    if (counted.count === 0) {
      this.#counts.set(place, counted);
    }
    counted.count += 1;
    this.#pending.push({ ...violation, at: this.#services.clock() });
    this.#timer ??= setTimeout(() => this.flush(), VIOLATION_FLUSH_DELAY_MS).unref();
  }

  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const pending = this.#pending;
    this.#pending = [];
    const groups = Map.groupBy(pending, ({ installation, site }) => `${installation} ${site}`);
    for (const group of groups.values()) {
      const [first] = group;
      if (first) {
        this.#write(first, group);
      }
    }
  }

  #write(
    { integration, installation, organization, site }: PolicyViolation,
    group: readonly (PolicyViolation & { at: Date })[],
  ): void {
    const { calls, createId } = this.#services;
    const eventId = createId('evt');
    calls.record({
      integration,
      installation,
      organization,
      event: { type: 'fetch_published_script', eventId, installationId: installation, siteId: site },
      state: 'failed',
      logs: group.map(
        ({ message, at }): StoredLogEntry => ({
          message,
          timestamp: at.toISOString(),
          level: 'warn',
        }),
      ),
    });
  }
}
