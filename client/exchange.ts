import { ApiError, type RequestLine } from './errors.ts';
import { type RetryPolicy, waitBeforeRetry } from './retry.ts';
import { pause, type Runtime } from './runtime.ts';

/** Sends one request: `globalThis.fetch`, or what stands in for it. */
export type Fetch = (request: Request) => Promise<Response>;

/** How a call goes over the network. */
export interface ExchangeOptions {
  fetch: Fetch;
  request: RequestLine;
  retries: RetryPolicy;
  /** Milliseconds for one attempt, from sending it to the end of its answer's body; `Infinity` for no limit. */
  timeout: number;
  /** Ends the whole call: attempts, waits and the reading of the answer. */
  signal: AbortSignal | undefined;
  runtime: Runtime;
}

/** One call over the network: its attempts, and the clock that runs until its answer is read. */
export interface Exchange {
  /**
   * Sends a request, again where that is allowed.
   * @throws ApiError of kind `network`, `timeout` or `aborted`
   */
  fetch: Fetch;

  /** Turns what a caller caught, before sending, in sending or in reading the answer, into the error to throw. */
  explain(cause: unknown): ApiError;

  /** Stops the clock. To be called once the answer is read, or the call has failed. */
  end(): void;
}

/** Prepares one call. */
export function createExchange(options: ExchangeOptions): Exchange {
  const { fetch, request: line, retries, timeout, signal, runtime } = options;
  let answer: Response | undefined;
  let sent = false;
  let timedOut = false;
  let end = () => {};
  // A signal reaches a request only as long as something holds the request: fetch holds the signals it is handed weakly,
  // so without this a collected request could no longer be timed out or aborted.
  let underWay: Request | undefined;

  /** A signal that ends one attempt, when its time is up or the caller wants no more. */
  const startClock = (): AbortSignal => {
    const controller = new AbortController();
    const abort = () => controller.abort(signal?.reason);
    const callOff = runtime.after(timeout, () => {
      timedOut = true;
      controller.abort(new DOMException(`The attempt took longer than ${timeout} ms.`, 'TimeoutError'));
    });
    signal?.addEventListener('abort', abort, { once: true });
    timedOut = false;
    end = () => {
      callOff();
      signal?.removeEventListener('abort', abort);
      underWay = undefined;
    };
    return controller.signal;
  };

  const isOver = () => signal?.aborted === true;

  const explain = (cause: unknown): ApiError => {
    if (cause instanceof ApiError) {
      return cause;
    }
    const fail = (kind: ApiError['kind'], message: string) =>
      new ApiError({ ...line, kind, message, cause, status: answer?.status });
    if (isOver()) {
      return isTimeout(signal?.reason)
        ? fail('timeout', 'The time that the signal gave to the call is over.')
        : fail('aborted', 'The signal of the call was aborted.');
    }
    if (timedOut) {
      return fail(
        'timeout',
        `There was no complete answer within ${timeout} ms. Try again, or allow a longer timeout.`,
      );
    }
    if (!sent) {
      return fail('request', `The request could not be made: ${messageOf(cause)}`);
    }
    if (answer !== undefined && cause instanceof SyntaxError) {
      return fail(
        'response',
        `The server answered ${answer.status} with a body that is not JSON: ${cause.message}`,
      );
    }
    const what = answer === undefined ? 'No answer came' : 'The answer broke off';
    return fail('network', `${what}: ${messageOf(cause)}. Check the base address and the connection.`);
  };

  const attempt = async (request: Request): Promise<Response> => {
    sent = true;
    answer = undefined;
    const clock = startClock();
    // Only GET and HEAD never have a body; any other must be copied, for the next attempt needs it again.
    const fresh = request.method === 'GET' || request.method === 'HEAD' ? request : request.clone();
    underWay = new Request(fresh, { signal: clock });
    answer = await fetch(underWay);
    return answer;
  };

  return {
    explain,
    end: () => end(),
    async fetch(request) {
      for (let count = 1; ; count += 1) {
        if (isOver()) {
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
        // Frees the connection; whether that works makes no difference to the next attempt.
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

/** The innermost message: Node's fetch says only "fetch failed" and keeps the reason in its cause. */
function messageOf(error: unknown): string {
  if (!(error instanceof Error)) {
    return String(error);
  }
  return error.cause instanceof Error && error.cause.message !== '' ? messageOf(error.cause) : error.message;
}
