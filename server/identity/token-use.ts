import { batches } from '../database/batches.ts';
import type { Queries } from '../database/database.ts';
import type { Log } from '../database/log.ts';
import type { Clock } from '../database/seams.ts';

/** The last use of a token is known to within this, so that a busy token costs no write per request. */
export const TOKEN_USE_RESOLUTION_MS = 60_000;
/** Uses are collected for this long, and written together. */
const FLUSH_DELAY_MS = 1000;
/** Tokens whose use waits to be written; further ones are noted by a later request of theirs. */
const MAX_PENDING_TOKENS = 10_000;
/** Ids that one statement carries. */
const BATCH_SIZE = 500;

/** Records when tokens were last used, aside from the requests that use them. */
export interface TokenUse {
  /** Notes a use; returns at once and never throws. */
  note(token: { id: string; lastUsedAt: string | null }): void;
  /** Writes what was noted. A failure is logged: the next use is noted again. */
  flush(): Promise<void>;
}

/** @param queries a handle, for the writes belong to no transaction of a request */
export function createTokenUse(options: { queries: Queries; clock: Clock; log: Log }): TokenUse {
  return new CollectedUse(options);
}

class CollectedUse implements TokenUse {
  readonly #options: { queries: Queries; clock: Clock; log: Log };
  #pending = new Set<string>();
  #timer: NodeJS.Timeout | undefined;

  constructor(options: { queries: Queries; clock: Clock; log: Log }) {
    this.#options = options;
  }

  note({ id, lastUsedAt }: { id: string; lastUsedAt: string | null }): void {
    if (lastUsedAt !== null && lastUsedAt > this.#staleSince(this.#options.clock())) return;
    if (this.#pending.size >= MAX_PENDING_TOKENS) return;
    this.#pending.add(id);
    this.#timer ??= setTimeout(() => void this.flush(), FLUSH_DELAY_MS).unref();
  }

  async flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const tokens = [...this.#pending];
    this.#pending = new Set();
    const now = this.#options.clock();
    try {
      for (const batch of batches(tokens, BATCH_SIZE))
        await this.#options.queries
          .updateTable('tokens')
          .set({ lastUsedAt: now.toISOString() })
          .where('id', 'in', batch)
          // Another process may have noted it meanwhile.
          .where((token) =>
            token.or([token('lastUsedAt', 'is', null), token('lastUsedAt', '<=', this.#staleSince(now))]),
          )
          .execute();
    } catch (error) {
      this.#options.log.warn({ err: error, tokens: tokens.length }, 'could not record the use of tokens');
    }
  }

  #staleSince(now: Date): string {
    return new Date(now.getTime() - TOKEN_USE_RESOLUTION_MS).toISOString();
  }
}
