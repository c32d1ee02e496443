import { ApiError, type RequestLine } from './errors.ts';
import type { Hooks } from './hooks.ts';
import { canRepeat, type RetryPolicy, waitBeforeRetry } from './retry.ts';
import { pause, type Runtime } from './runtime.ts';

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
  /**
   * Sends a request and retries it where the policy allows. A body that is a stream is sent only once.
   * @throws ApiError of kind `network`, `timeout`, `aborted` or `hook`; errors of creating the request
   */
  send(url: string, headers: Headers, body: BodyInit | null): Promise<Response>;

  /**
   * Returns the body of the response. Only the signal of the call ends its reading, not the timeout.
   * Errors of the stream are an `ApiError`.
   */
  stream(response: Response): ReadableStream<Uint8Array<ArrayBuffer>>;

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
export function createExchange(options: ExchangeOptions): Exchange {
  const { fetch, request: requestLine, path, hooks, retries, timeout, signal, runtime } = options;
  let attempt = 0;
  let sent = false;
  let lastResponse: Response | undefined;
  let timedOut = false;
  let cancelTimer = () => {};
  let end = () => {};
  // fetch references its signals weakly. Without this reference, a garbage-collected request could no longer be timed
  // out or aborted.
  let activeRequest: Request | undefined;

  /** Returns a signal that aborts one attempt after the timeout or with the signal of the call. */
  const startTimeout = (): AbortSignal => {
    const controller = new AbortController();
    const abort = () => controller.abort(signal?.reason);
    timedOut = false;
    cancelTimer = runtime.after(timeout, () => {
      timedOut = true;
      controller.abort(new DOMException(`The attempt took longer than ${timeout} ms.`, 'TimeoutError'));
    });
    signal?.addEventListener('abort', abort, { once: true });
    end = () => {
      cancelTimer();
      signal?.removeEventListener('abort', abort);
      activeRequest = undefined;
    };
    return controller.signal;
  };

  const isAborted = () => signal?.aborted === true;

  const fail = (kind: ApiError['kind'], message: string, cause: unknown) =>
    new ApiError({ ...requestLine, kind, message, cause, status: lastResponse?.status });

  const explain = (cause: unknown): ApiError => {
    if (cause instanceof ApiError) {
      return cause;
    }
    if (isAborted()) {
      return isTimeout(signal?.reason)
        ? fail('timeout', 'The signal of the call timed out.', cause)
        : fail('aborted', 'The signal of the call was aborted.', cause);
    }
    if (timedOut) {
      const message = `There was no complete response within ${timeout} ms. Try again, or increase the timeout.`;
      return fail('timeout', message, cause);
    }
    if (!sent) {
      return fail('request', `Invalid request: ${messageOf(cause)}`, cause);
    }
    if (lastResponse !== undefined && cause instanceof SyntaxError) {
      const message = `The server returned ${lastResponse.status} with a body that is not JSON: ${cause.message}`;
      return fail('response', message, cause);
    }
    const problem = lastResponse === undefined ? 'No response' : 'Incomplete response';
    return fail('network', `${problem}: ${messageOf(cause)}. Check baseUrl and the connection.`, cause);
  };

  /** Releases the connection of a response that is not read. A failure has no effect on the call. */
  const discard = async () => {
    await lastResponse?.body?.cancel().catch(() => {});
  };

  const notify: Exchange['notify'] = async (name, details, headers) => {
    // Each hook has its own event, which TypeScript does not relate to the name.
    const hook = hooks?.[name] as ((event: object) => unknown) | undefined;
    const event = { ...requestLine, path, attempt, ...details };
    try {
      await hook?.(Object.defineProperty(event, 'headers', { value: headers }));
    } catch (cause) {
      await discard();
      throw fail('hook', `The hook ${name} failed: ${messageOf(cause)}`, cause);
    }
  };

  return {
    notify,
    explain,
    end: () => end(),
    async send(url, headers, body) {
      const isIdempotent = canRepeat(requestLine.method, headers);
      for (;;) {
        if (isAborted()) {
          throw explain(signal?.reason);
        }
        attempt += 1;
        const merged = new Headers();
        await notify('onRequest', {}, merged);
        for (const [name, value] of headers) {
          merged.set(name, value);
        }
        // `duplex` is required for streams, and has only this value.
        const init = {
          method: requestLine.method,
          headers: merged,
          body,
          signal: startTimeout(),
          duplex: 'half',
        };
        activeRequest = new Request(url, init);
        const start = runtime.now();
        sent = true;
        lastResponse = undefined;
        let error: ApiError | undefined;
        try {
          lastResponse = await fetch(activeRequest);
        } catch (cause) {
          error = explain(cause);
        }
        const status = lastResponse?.status;
        if (lastResponse !== undefined) {
          await notify('onResponse', { status, duration: runtime.now() - start }, lastResponse.headers);
        }
        const isFinal = body instanceof ReadableStream || isAborted();
        const delay = isFinal
          ? undefined
          : waitBeforeRetry(retries, isIdempotent, attempt, lastResponse, runtime);
        if (delay === undefined || (error !== undefined && !isTransient(error))) {
          if (lastResponse === undefined) {
            throw error;
          }
          return lastResponse;
        }
        end();
        await notify('onRetry', { status, error, delay });
        await discard();
        await pause(runtime, delay, signal);
      }
    },
    stream({ body }) {
      cancelTimer();
      const finish = end;
      end = () => {};
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
    },
  };
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
