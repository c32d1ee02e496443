import { ApiError, type RequestLine } from './errors.ts';
import type { Hooks } from './hooks.ts';
import { canRepeat, type RetryPolicy, waitBeforeRetry } from './retry.ts';
import { pause, type Runtime } from './runtime.ts';
import type { Bytes, FetchBody } from './types.ts';

/** Sends one request: `globalThis.fetch` or a replacement. */
export type Fetch = (request: Request) => Promise<Response>;

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

/** Network exchange of one call: its attempts, and a timeout that lasts until the response is read. */
export interface Exchange {
  /** Aborts the first attempt. Build the request with it. */
  readonly signal: AbortSignal;

  /**
   * Sends a request and retries it where the policy allows. A body that is a stream is sent only once.
   * @param request first attempt
   * @param body its body, which further attempts send again. A clone of the request would buffer it
   * @throws ApiError of kind `network`, `timeout`, `aborted` or `hook`; errors of creating the request
   */
  send(request: Request, body: FetchBody | null): Promise<Response>;

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
  #controller = new AbortController();
  #attempt = 0;
  #sent = false;
  #lastResponse: Response | undefined;
  #timedOut = false;
  #cancelTimer = () => {};
  #end = () => {};
  // fetch references its signals weakly. Without this reference, a garbage-collected request could no longer be timed
  // out or aborted.
  #activeRequest: Request | undefined;

  constructor(options: ExchangeOptions) {
    this.#options = options;
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  async send(request: Request, body: FetchBody | null): Promise<Response> {
    const { retries, signal, runtime } = this.#options;
    const isIdempotent = canRepeat(request.method, request.headers);
    for (;;) {
      if (signal?.aborted) {
        throw this.explain(signal.reason);
      }
      const error = await this.#sendOnce(request, body);
      const response = this.#lastResponse;
      const isFinal = body instanceof ReadableStream || signal?.aborted;
      const delay = isFinal
        ? undefined
        : waitBeforeRetry(retries, isIdempotent, this.#attempt, response, runtime);
      if (delay === undefined || (error !== undefined && !isTransient(error))) {
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

  /** Sends the request once, and returns the error if there is no response. */
  async #sendOnce(request: Request, body: FetchBody | null): Promise<ApiError | undefined> {
    const { fetch, runtime } = this.#options;
    this.#attempt += 1;
    this.#activeRequest = await this.#attemptOf(request, body);
    this.#startTimeout();
    const start = runtime.now();
    this.#sent = true;
    this.#lastResponse = undefined;
    try {
      this.#lastResponse = await fetch(this.#activeRequest);
    } catch (cause) {
      return this.explain(cause);
    }
    const { status, headers } = this.#lastResponse;
    await this.notify('onResponse', { status, duration: runtime.now() - start }, headers);
    return undefined;
  }

  /** Returns the request of an attempt: the first one itself, or a copy with headers and a signal of its own. */
  async #attemptOf(request: Request, body: FetchBody | null): Promise<Request> {
    if (this.#attempt === 1 && this.#options.hooks?.onRequest === undefined) {
      return request;
    }
    const headers = new Headers();
    await this.notify('onRequest', {}, headers);
    for (const [name, value] of request.headers) {
      headers.set(name, value);
    }
    if (body instanceof FormData) {
      // The copy separates the parts with another boundary.
      headers.delete('Content-Type');
    }
    if (this.#attempt > 1) {
      this.#controller = new AbortController();
    }
    // `duplex` is required for streams, and has only this value.
    const init = { method: request.method, headers, body, signal: this.signal, duplex: 'half' };
    return new Request(request.url, init);
  }

  /** Aborts the attempt after the timeout or with the signal of the call. */
  #startTimeout(): void {
    const { timeout, signal, runtime } = this.#options;
    const controller = this.#controller;
    const abort = () => controller.abort(signal?.reason);
    this.#timedOut = false;
    this.#cancelTimer = runtime.after(timeout, () => {
      this.#timedOut = true;
      controller.abort(new DOMException(`The attempt took longer than ${timeout} ms.`, 'TimeoutError'));
    });
    signal?.addEventListener('abort', abort, { once: true });
    this.#end = () => {
      this.#cancelTimer();
      signal?.removeEventListener('abort', abort);
      this.#activeRequest = undefined;
    };
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

/** Whether another attempt can succeed after an error without a response. */
function isTransient({ kind }: ApiError): boolean {
  return kind === 'network' || kind === 'timeout';
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
