import { ApiError, type RequestLine } from './errors.ts';
import { type RetryPolicy, waitBeforeRetry } from './retry.ts';
import { pause, type Runtime } from './runtime.ts';

/** Sends one request: `globalThis.fetch` or a replacement. */
export type Fetch = (request: Request) => Promise<Response>;

/** Settings of one call. */
export interface ExchangeOptions {
  fetch: Fetch;
  request: RequestLine;
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
   * Sends a request and retries it where the policy allows.
   * @throws ApiError of kind `network`, `timeout` or `aborted`
   */
  fetch: Fetch;

  /** Converts an error of preparing the request, sending it or reading the response to the error to throw. */
  explain(cause: unknown): ApiError;

  /** Clears the timeout. Call it after the response is read or the call has failed. */
  end(): void;
}

/** Creates the exchange of one call. */
export function createExchange(options: ExchangeOptions): Exchange {
  const { fetch, request: requestLine, retries, timeout, signal, runtime } = options;
  let lastResponse: Response | undefined;
  let sent = false;
  let timedOut = false;
  let end = () => {};
  // fetch references its signals weakly. Without this reference, a garbage-collected request could no longer be timed
  // out or aborted.
  let activeRequest: Request | undefined;

  /** Returns a signal that aborts one attempt after the timeout or with the signal of the call. */
  const startTimeout = (): AbortSignal => {
    const controller = new AbortController();
    const abort = () => controller.abort(signal?.reason);
    const cancelTimer = runtime.after(timeout, () => {
      timedOut = true;
      controller.abort(new DOMException(`The attempt took longer than ${timeout} ms.`, 'TimeoutError'));
    });
    signal?.addEventListener('abort', abort, { once: true });
    timedOut = false;
    end = () => {
      cancelTimer();
      signal?.removeEventListener('abort', abort);
      activeRequest = undefined;
    };
    return controller.signal;
  };

  const isAborted = () => signal?.aborted === true;

  const explain = (cause: unknown): ApiError => {
    if (cause instanceof ApiError) {
      return cause;
    }
    const fail = (kind: ApiError['kind'], message: string) =>
      new ApiError({ ...requestLine, kind, message, cause, status: lastResponse?.status });
    if (isAborted()) {
      return isTimeout(signal?.reason)
        ? fail('timeout', 'The signal of the call timed out.')
        : fail('aborted', 'The signal of the call was aborted.');
    }
    if (timedOut) {
      return fail(
        'timeout',
        `There was no complete response within ${timeout} ms. Try again, or increase the timeout.`,
      );
    }
    if (!sent) {
      return fail('request', `Invalid request: ${messageOf(cause)}`);
    }
    if (lastResponse !== undefined && cause instanceof SyntaxError) {
      return fail(
        'response',
        `The server returned ${lastResponse.status} with a body that is not JSON: ${cause.message}`,
      );
    }
    const problem = lastResponse === undefined ? 'No response' : 'Incomplete response';
    return fail('network', `${problem}: ${messageOf(cause)}. Check baseUrl and the connection.`);
  };

  const attempt = async (request: Request): Promise<Response> => {
    sent = true;
    lastResponse = undefined;
    const attemptSignal = startTimeout();
    // GET and HEAD have no body. Other requests are cloned, because the next attempt needs the body again.
    const copy = request.method === 'GET' || request.method === 'HEAD' ? request : request.clone();
    activeRequest = new Request(copy, { signal: attemptSignal });
    lastResponse = await fetch(activeRequest);
    return lastResponse;
  };

  return {
    explain,
    end: () => end(),
    async fetch(request) {
      for (let count = 1; ; count += 1) {
        if (isAborted()) {
          throw explain(signal?.reason);
        }
        let error: ApiError | undefined;
        let response: Response | undefined;
        try {
          response = await attempt(request);
        } catch (cause) {
          error = explain(cause);
        }
        const wait = waitBeforeRetry(retries, request.method, count, response, runtime);
        if (wait === undefined) {
          if (response === undefined) {
            throw error;
          }
          return response;
        }
        // Releases the connection. A failure does not affect the next attempt.
        await response?.body?.cancel().catch(() => {});
        end();
        await pause(runtime, wait, signal);
      }
    },
  };
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
