import { createHmac } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { components } from '../../../../generated/schema.d.ts';
import type { Database } from '../../../database/database.ts';
import type { Log } from '../../../database/log.ts';
import { type ContentEvent, type EventServices, hasRecipients, storeEvents } from '../../kit/events/raise.ts';

/** Delay for collecting views to write together. */
export const VIEW_FLUSH_DELAY_MS = 1000;
/** Maximum number of views that a process reports in this time. Further views are not reported. */
export const MAX_VIEWS_PER_FLUSH = 100;
/** Time that a process remembers that no installation of an organization receives views. */
export const VIEW_RECIPIENTS_CACHE_MS = 10_000;
/** Maximum number of such organizations that it remembers. */
const MAX_CACHED_ORGANIZATIONS = 10_000;
/** Maximum length of a text about the visitor of a view. */
export const MAX_VISITOR_CHARACTERS = 2048;

/** A view of a page of a published site. */
export interface PageView {
  organization: string;
  site: string;
  siteSpace: string;
  space: string;
  page: string;
  url: string;
  referrer: string | undefined;
  visitor: {
    ip: string | undefined;
    userAgent: string | undefined;
    language: string | undefined;
    cookies: Record<string, string>;
  };
}

/** Raises the events of views, outside of the requests that cause them. */
export interface ViewRecorder {
  /** Records a view. Returns immediately and never throws. */
  record(view: PageView): void;
  /** Writes the recorded views. Logs a failure; the views are then lost. */
  flush(): Promise<void>;
}

export interface ViewServices extends EventServices {
  database: Database;
  secretKey: string;
  log: Log;
}

/**
 * Creates the recorder of views. A view costs its request no query: whether an installation receives it is determined
 * when the collected views are written.
 */
export function createViewRecorder(services: ViewServices): ViewRecorder {
  return new BatchedViews(services);
}

class BatchedViews implements ViewRecorder {
  readonly #services: ViewServices;
  /** Organizations without recipients. */
  readonly #unobserved = new LRUCache<string, true>({
    max: MAX_CACHED_ORGANIZATIONS,
    ttl: VIEW_RECIPIENTS_CACHE_MS,
  });
  #pending: PageView[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(services: ViewServices) {
    this.#services = services;
  }

  record(view: PageView): void {
    if (this.#pending.length >= MAX_VIEWS_PER_FLUSH || this.#unobserved.has(view.organization)) {
      return;
    }
    this.#pending.push(view);
    this.#timer ??= setTimeout(() => void this.flush(), VIEW_FLUSH_DELAY_MS).unref();
  }

  async flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const views = this.#pending;
    this.#pending = [];
    try {
      await this.#write(views);
    } catch (error) {
      this.#services.log.warn({ err: error, views: views.length }, 'could not record views of pages');
    }
  }

  async #write(views: readonly PageView[]): Promise<void> {
    const { database } = this.#services;
    const recipients = new Map<string, { site: boolean; space: boolean }>();
    for (const organization of new Set(views.map((view) => view.organization))) {
      const site = await hasRecipients(database.query, organization, 'site_view');
      const space = await hasRecipients(database.query, organization, 'space_view');
      recipients.set(organization, { site, space });
      if (!site && !space) {
        this.#unobserved.set(organization, true);
      }
    }
    const events = views.flatMap((view): ContentEvent[] => {
      const { site, space } = recipients.get(view.organization) ?? { site: false, space: false };
      const { organization } = view;
      const fields = this.#fieldsOf(view);
      const siteFields = { siteId: view.site, siteSpaceId: view.siteSpace, ...fields };
      return [
        ...(site ? [{ organization, type: 'site_view' as const, fields: siteFields }] : []),
        ...(space ? [{ organization, type: 'space_view' as const, fields }] : []),
      ];
    });
    if (events.length > 0) {
      await database.transaction((trx) => storeEvents(trx, this.#services, events));
    }
  }

  #fieldsOf(view: PageView) {
    return {
      spaceId: view.space,
      pageId: view.page,
      visitor: eventVisitor(this.#services, view),
      url: limitedText(view.url),
      referrer: limitedText(view.referrer ?? ''),
    };
  }
}

/**
 * Returns the visitor of an event. The anonymous ID is different on each site and each day, so that visitors cannot be
 * followed across them.
 */
export function eventVisitor(
  { clock, secretKey }: Pick<ViewServices, 'clock' | 'secretKey'>,
  { site, visitor }: Pick<PageView, 'site' | 'visitor'>,
): components['schemas']['EventVisitor'] {
  const { ip, userAgent, language, cookies } = visitor;
  const [day] = clock().toISOString().split('T');
  const anonymousId = createHmac('sha256', secretKey)
    .update(JSON.stringify(['visitor', site, day, ip, userAgent]))
    .digest('base64url')
    .slice(0, 22);
  return {
    anonymousId,
    cookies,
    ...(ip !== undefined && { ip }),
    ...(userAgent !== undefined && { userAgent: limitedText(userAgent) }),
    ...(language !== undefined && { language: limitedText(language) }),
  };
}

/** Shortens a text about a visitor. */
export const limitedText = (text: string): string => text.slice(0, MAX_VISITOR_CHARACTERS).toWellFormed();
