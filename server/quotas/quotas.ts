import { addToCounter, readCounter } from '../database/counters.ts';
import type { Queries, Transaction } from '../database/database.ts';
import type { Log } from '../database/log.ts';
import type { QuotaChanges, QuotaLimits } from './names.ts';

/** Interval in which a process reads changed quotas of organizations. */
export const QUOTA_REFRESH_MS = 5000;
/** Counter of the changes of the quotas of organizations. */
const CHANGES_COUNTER = 'quotas.changes';

/** The limits of each organization. */
export interface QuotaLimitsOf {
  /** Returns the limits of an organization. */
  limitsOf(organization: string): QuotaLimits;
}

/** For operators, whose commands no quota limits. */
export const NO_QUOTAS: QuotaLimitsOf = { limitsOf: () => ({}) };

/**
 * The limits of each organization: the default ones of the configuration, and those that an operator set. All are in
 * memory, so that nothing is read where there are none. Each process applies changes as soon as it refreshes.
 */
export class Quotas implements QuotaLimitsOf {
  readonly #defaults: QuotaLimits;
  readonly #queries: Queries;
  /** Limits of the organizations with quotas of their own. */
  #ofOrganizations: ReadonlyMap<string, QuotaLimits> = new Map();
  /** Number of changes that were read. */
  #changes = 0;

  constructor(defaults: QuotaLimits, queries: Queries) {
    this.#defaults = defaults;
    this.#queries = queries;
  }

  limitsOf(organization: string): QuotaLimits {
    return this.#ofOrganizations.get(organization) ?? this.#defaults;
  }

  /** Returns the limits that apply to all but the returned organizations, and those of these. */
  all(): { defaults: QuotaLimits; ofOrganizations: ReadonlyMap<string, QuotaLimits> } {
    return { defaults: this.#defaults, ofOrganizations: this.#ofOrganizations };
  }

  /** Reads the quotas of organizations again if they changed. */
  async refresh(): Promise<void> {
    // Read first: a change in between is read twice, not never.
    const changes = await readCounter(this.#queries, '', CHANGES_COUNTER);
    if (changes === this.#changes) {
      return;
    }
    const rows = await this.#queries.selectFrom('quotas').selectAll().execute();
    const ofOrganizations = new Map<string, QuotaLimits>();
    for (const { organization, quota, limit } of rows) {
      const { [quota]: _, ...others } = ofOrganizations.get(organization) ?? this.#defaults;
      ofOrganizations.set(organization, { ...others, ...(limit !== null && { [quota]: limit }) });
    }
    this.#ofOrganizations = ofOrganizations;
    this.#changes = changes;
  }

  /** Refreshes now, without waiting for it, and then regularly. Returns a function that ends this. */
  watch(intervalMs: number, log: Log): () => void {
    const refresh = () => {
      this.refresh().catch((err: unknown) => log.debug({ err }, 'the quotas could not be refreshed'));
    };
    refresh();
    const timer = setInterval(refresh, intervalMs).unref();
    return () => clearInterval(timer);
  }
}

/** Changes the quotas of an organization. */
export async function changeQuotas(
  trx: Transaction,
  organization: string,
  changes: QuotaChanges,
): Promise<void> {
  for (const [quota, change] of changes) {
    await trx
      .deleteFrom('quotas')
      .where('organization', '=', organization)
      .where('quota', '=', quota)
      .execute();
    if (change !== 'default') {
      const limit = change === 'off' ? null : change;
      await trx.insertInto('quotas').values({ organization, quota, limit }).execute();
    }
  }
  await addToCounter(trx, '', CHANGES_COUNTER, 1);
}
