import { Agent, request } from 'undici';
import { OutgoingError } from './errors.ts';
import { readBody } from './fetch-body.ts';

/** Limits of a request to a configured service. */
export interface JsonRequestLimits {
  /** Maximum size of the response in bytes. */
  maxBytes: number;
  /** Time limit in milliseconds, including the response. */
  timeout: number;
  signal: AbortSignal;
}

/** What a request contains. */
export interface JsonRequest {
  /** Sent with POST as JSON; without it, the request is a GET. */
  body?: object | undefined;
  /** Value of the `Authorization` header. */
  authorization?: string | undefined;
}

/** A response of a configured service. */
export interface JsonResponse {
  status: number;
  /** The delay in milliseconds that the service requested with `Retry-After` (RFC 9110, section 10.2.3). */
  retryAfterMs: number | undefined;
  /** Undefined if it is not JSON. */
  body: unknown;
}

/**
 * Client of a service that the operator configured. Its address may be private, because no caller chooses it, so that
 * {@link Fetcher} and its address checks do not apply. Redirects are not followed: they could lead elsewhere.
 */
export class JsonApi implements AsyncDisposable {
  readonly #agent = new Agent({ allowH2: false, connections: 1 });

  /**
   * Sends a request.
   *
   * @throws OutgoingError `unreachable`, `timeout`, `too-large`, `aborted` or `failed` if there is no complete response
   */
  async send(
    url: URL,
    limits: JsonRequestLimits,
    { body, authorization }: JsonRequest = {},
  ): Promise<JsonResponse> {
    const deadline = AbortSignal.timeout(limits.timeout);
    const signal = AbortSignal.any([deadline, limits.signal]);
    try {
      const response = await request(url, {
        dispatcher: this.#agent,
        method: body ? 'POST' : 'GET',
        signal,
        // Covered by the deadline.
        headersTimeout: 0,
        bodyTimeout: 0,
        headers: {
          accept: 'application/json',
          'accept-encoding': 'gzip, br',
          'user-agent': 'Colophon',
          ...(body && { 'content-type': 'application/json' }),
          ...(authorization !== undefined && { authorization }),
        },
        ...(body && { body: JSON.stringify(body) }),
      });
      // Also emitted if the stream is destroyed by the signal.
      response.body.on('error', () => undefined);
      try {
        const bounds = { maxBytes: limits.maxBytes, signal };
        const encoding = response.headers['content-encoding'];
        const bytes = await readBody(response.body, String(encoding ?? ''), bounds, (parts) =>
          Array.fromAsync(parts),
        );
        return {
          status: response.statusCode,
          retryAfterMs: retryAfter(String(response.headers['retry-after'] ?? '')),
          body: parse(Buffer.concat(bytes).toString()),
        };
      } finally {
        response.body.destroy();
      }
    } catch (error) {
      if (error instanceof OutgoingError) {
        throw error;
      }
      if (limits.signal.aborted) {
        throw new OutgoingError('aborted', `The request to ${url.origin} was aborted.`, { cause: error });
      }
      if (deadline.aborted) {
        throw new OutgoingError(
          'timeout',
          `${url.origin} did not respond completely within ${limits.timeout / 1000} seconds.`,
          { cause: error },
        );
      }
      throw new OutgoingError('unreachable', `${url.origin} could not be reached.`, { cause: error });
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#agent.destroy();
  }
}

function retryAfter(header: string): number | undefined {
  if (/^\d{1,9}$/.test(header)) {
    return Number(header) * 1000;
  }
  const time = Date.parse(header);
  return Number.isNaN(time) ? undefined : Math.max(0, time - Date.now());
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
