import { subscribe, unsubscribe } from 'node:diagnostics_channel';

/** Channel of the requests that servers of this process receive. */
const REQUESTS = 'http.server.request.start';

/** Observes when servers of this process receive requests, so that work that pauses the process can wait. */
export class RequestTimes {
  #last = Number.NEGATIVE_INFINITY;
  readonly #onRequest = () => {
    this.#last = performance.now();
  };

  constructor() {
    subscribe(REQUESTS, this.#onRequest);
  }

  /** Returns the milliseconds since the last request began; `Infinity` before the first. */
  quietMs(): number {
    return performance.now() - this.#last;
  }

  /** Ends the observation. */
  close(): void {
    unsubscribe(REQUESTS, this.#onRequest);
  }
}
