import { ApiError, type RequestLine } from './errors.ts';
import type { Hooks } from './hooks.ts';
import { type RetryPolicy, waitBeforeRetry } from './retry.ts';
import { pause, type Runtime } from './runtime.ts';
import type { Bytes, FetchBody } from './types.ts';

/**
 * Sends one request: `globalThis.fetch` or a replacement. The signal ends the attempt, also while its response is read.
 * A function with one parameter, such as a wrapper of `fetch`, finds it in the request instead.
 */
export type Fetch = (request: Request, init?: { signal: AbortSignal }) => Promise<Response>;

/** Settings of one call. */
export interface ExchangeOptions {
  fetch: Fetch;
  request: RequestLine;
  /** Path of the operation. */
  path: string;
  hooks: Hooks | undefined;
  retries: RetryPolicy;
  /** Timeout of one attempt in milliseconds, up to the end of the response body; `Infinity` for no limit. */
  timeout: number;
  /** Aborts the whole call: attempts, waits and reading of the response. */
  signal: AbortSignal | undefined;
  runtime: Runtime;
}

/** Parts of a request. Each attempt is built from them. */
export interface RequestDraft {
  method: string;
  url: string;
  headers: Headers;
  body: FetchBody | null;
}

/** Network exchange of one call: its attempts, and a timeout that lasts until the response is read. */
export interface Exchange {
  /**
   * Sends a request and retries it where the policy allows. A body that is a stream is sent only once.
   * @throws ApiError of kind `network`, `timeout`, `aborted` or `hook`; errors of creating the request
   */
  send(draft: RequestDraft): Promise<Response>;

  /**
   * Returns the body of the response. Only the signal of the call ends its reading, not the timeout.
   * Errors of the stream are an `ApiError`.
   */
  stream(response: Response): ReadableStream<Bytes>;

  /** Converts an error of preparing the request, sending it or reading the response to the error to throw. */
  explain(cause: unknown): ApiError;

  /**
   * Calls a hook.
   * @throws ApiError of kind `hook` if it fails
   */
  notify(name: keyof Hooks, details: object, headers?: Headers): Promise<void>;

  /** Clears the timeout. Call it after the response is read or the call has failed. */
  end(): void;
}

/** Creates the exchange of one call. */
export const createExchange = (options: ExchangeOptions): Exchange => new CallExchange(options);

class CallExchange implements Exchange {
  readonly #options: ExchangeOptions;
  #attempt = 0;
  #sent = false;
  #lastResponse: Response | undefined;
  #timedOut = false;
  #cancelTimer = () => {};
  #end = () => {};

  constructor(options: ExchangeOptions) {
    this.#options = options;
  }

  async send(draft: RequestDraft): Promise<Response> {
    const { fetch, hooks, retries, signal, runtime } = this.#options;
    for (;;) {
      if (signal?.aborted) {
        throw this.explain(signal.reason);
      }
      this.#attempt += 1;
      const headers = hooks?.onRequest ? await this.#addHeaders(draft.headers) : draft.headers;
      // A function with one parameter can only read the signal of the request, which costs more than that of the call.
      const [request, init] = this.#start(draft, headers, fetch.length === 1);
      const start = runtime.now();
      this.#lastResponse = undefined;
      let error: ApiError | undefined;
      try {
        this.#lastResponse = await fetch(request, init);
      } catch (cause) {
        error = this.explain(cause);
      }
      const response = this.#lastResponse;
      if (response && hooks?.onResponse) {
        const { status, headers } = response;
        await this.notify('onResponse', { status, duration: runtime.now() - start }, headers);
      }
      const isFinal = draft.body instanceof ReadableStream || signal?.aborted || !isTransient(error);
      const delay = isFinal ? undefined : waitBeforeRetry(retries, request, this.#attempt, response, runtime);
      if (delay === undefined) {
        if (response === undefined) {
          throw error;
        }
        return response;
      }
      this.end();
      await this.notify('onRetry', { status: response?.status, error, delay });
      await this.#discard();
      await pause(runtime, delay, signal);
    }
  }

  stream({ body }: Response): ReadableStream<Bytes> {
    this.#cancelTimer();
    const finish = this.#end;
    this.#end = () => {};
    const explain = (cause: unknown) => this.explain(cause);
    const reader = (body ?? new Blob().stream()).getReader();
    return new ReadableStream({
      async pull(controller) {
        try {
          const { done, value } = await reader.read();
          if (done) {
            finish();
            controller.close();
          } else {
            controller.enqueue(value);
          }
        } catch (cause) {
          finish();
          controller.error(explain(cause));
        }
      },
      cancel(reason) {
        finish();
        return reader.cancel(reason);
      },
    });
  }

  explain(cause: unknown): ApiError {
    const { signal, timeout } = this.#options;
    const response = this.#lastResponse;
    if (cause instanceof ApiError) {
      return cause;
    }
    if (signal?.aborted) {
      return isTimeout(signal.reason)
        ? this.#failure('timeout', 'The signal of the call timed out.', cause)
        : this.#failure('aborted', 'The signal of the call was aborted.', cause);
    }
    if (this.#timedOut) {
      const message = `There was no complete response within ${timeout} ms. Try again, or increase the timeout.`;
      return this.#failure('timeout', message, cause);
    }
    if (!this.#sent) {
      return this.#failure('request', `Invalid request: ${messageOf(cause)}`, cause);
    }
    if (response !== undefined && cause instanceof SyntaxError) {
      const message = `The server returned ${response.status} with a body that is not JSON: ${cause.message}`;
      return this.#failure('response', message, cause);
    }
    const problem = response === undefined ? 'No response' : 'Incomplete response';
    const message = `${problem}: ${messageOf(cause)}. Check baseUrl and the connection.`;
    return this.#failure('network', message, cause);
  }

  async notify(name: keyof Hooks, details: object, headers?: Headers): Promise<void> {
    const { hooks, request, path } = this.#options;
    // Each hook has its own event, which TypeScript does not relate to the name.
    const hook = hooks?.[name] as ((event: object) => unknown) | undefined;
    if (hook === undefined) {
      return;
    }
    const event = { ...request, path, attempt: this.#attempt, ...details };
    try {
      await hook(Object.defineProperty(event, 'headers', { value: headers }));
    } catch (cause) {
      await this.#discard();
      throw this.#failure('hook', `The hook ${name} failed: ${messageOf(cause)}`, cause);
    }
  }

  end(): void {
    this.#end();
  }

  /** Returns the headers that a hook adds to those of the call, which it cannot replace. */
  async #addHeaders(own: Headers): Promise<Headers> {
    const headers = new Headers();
    await this.notify('onRequest', {}, headers);
    for (const [name, value] of own) {
      headers.set(name, value);
    }
    return headers;
  }

  /** Returns the request of an attempt, and its signal, which is aborted after the timeout or with that of the call. */
  #start(
    { url, method, body }: RequestDraft,
    headers: Headers,
    hasSignal: boolean,
  ): [Request, { signal: AbortSignal }] {
    const { timeout, signal, runtime } = this.#options;
    const controller = new AbortController();
    // `duplex` is required for streams, and has only this value.
    const init = { method, headers, body, duplex: 'half', ...(hasSignal && { signal: controller.signal }) };
    const request = new Request(url, init);
    this.#sent = true;
    this.#timedOut = false;
    const abort = () => controller.abort(signal?.reason);
    const cancelTimer = runtime.after(timeout, () => {
      this.#timedOut = true;
      controller.abort(new DOMException(`The attempt took longer than ${timeout} ms.`, 'TimeoutError'));
    });
    signal?.addEventListener('abort', abort, { once: true });
    if (signal?.aborted) {
      abort();
    }
    this.#cancelTimer = cancelTimer;
    this.#end = () => {
      cancelTimer();
      signal?.removeEventListener('abort', abort);
    };
    return [request, { signal: controller.signal }];
  }

  /** Releases the connection of a response that is not read. A failure has no effect on the call. */
  async #discard(): Promise<void> {
    await this.#lastResponse?.body?.cancel().catch(() => {});
  }

  #failure(kind: ApiError['kind'], message: string, cause: unknown): ApiError {
    const { request } = this.#options;
    return new ApiError({ ...request, kind, message, cause, status: this.#lastResponse?.status });
  }
}

/** Whether another attempt can succeed: after a response, or an error without one. */
function isTransient(error: ApiError | undefined): boolean {
  return error === undefined || error.kind === 'network' || error.kind === 'timeout';
}

function isTimeout(reason: unknown): boolean {
  return reason instanceof DOMException && reason.name === 'TimeoutError';
}

/** Returns the innermost message: the message of Node's fetch is only "fetch failed", the reason is in its cause. */
function messageOf(error: unknown): string {
  if (!(error instanceof Error)) {
    return String(error);
  }
  return error.cause instanceof Error && error.cause.message !== '' ? messageOf(error.cause) : error.message;
}
