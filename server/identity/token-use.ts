import { batches } from '../database/batches.ts';
import type { Queries } from '../database/database.ts';
import type { Log } from '../database/log.ts';
import type { Clock } from '../database/seams.ts';

/** Precision of a token's time of last use, so that a busy token causes no write per request. */
export const TOKEN_USE_RESOLUTION_MS = 60_000;
/** Delay for collecting uses to write together. */
const FLUSH_DELAY_MS = 1000;
/** Maximum number of tokens with unwritten use. The use of further tokens is recorded by a later request. */
const MAX_PENDING_TOKENS = 10_000;
/** Maximum number of IDs in one statement. */
const BATCH_SIZE = 500;

/** Records when tokens were last used, outside of the requests that use them. */
export interface TokenUse {
  /** Records a use. Returns immediately and never throws. */
  record(token: { id: string; lastUsedAt: string | null }): void;
  /** Writes the recorded uses. Logs a failure; a later use is recorded again. */
  flush(): Promise<void>;
}

/**
 * Creates the recorder of token uses.
 *
 * @param options `queries` must not be a transaction of a request
 */
export function createTokenUse(options: { queries: Queries; clock: Clock; log: Log }): TokenUse {
  return new BatchedTokenUse(options);
}

class BatchedTokenUse implements TokenUse {
  readonly #options: { queries: Queries; clock: Clock; log: Log };
  #pending = new Set<string>();
  #timer: NodeJS.Timeout | undefined;

  constructor(options: { queries: Queries; clock: Clock; log: Log }) {
    this.#options = options;
  }

  record({ id, lastUsedAt }: { id: string; lastUsedAt: string | null }): void {
    if (lastUsedAt !== null && lastUsedAt > this.#staleSince(this.#options.clock())) {
      return;
    }
    if (this.#pending.size >= MAX_PENDING_TOKENS) {
      return;
    }
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
      for (const batch of batches(tokens, BATCH_SIZE)) {
        await this.#options.queries
          .updateTable('tokens')
          .set({ lastUsedAt: now.toISOString() })
          .where('id', 'in', batch)
          // Another process may have written a later use.
          .where((token) =>
            token.or([token('lastUsedAt', 'is', null), token('lastUsedAt', '<=', this.#staleSince(now))]),
          )
          .execute();
      }
    } catch (error) {
      this.#options.log.warn({ err: error, tokens: tokens.length }, 'could not record the use of tokens');
    }
  }

  #staleSince(now: Date): string {
    return new Date(now.getTime() - TOKEN_USE_RESOLUTION_MS).toISOString();
  }
}
