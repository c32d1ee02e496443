import { type Agent, request } from 'undici';
import { currentTraceParent } from '../diagnostics/trace-parent.ts';
import { type AllowedRanges, type Lookup, requireHost } from './addresses.ts';
import { OutgoingError } from './errors.ts';
import { contentTypeOf, readBody } from './fetch-body.ts';
import { displayUrl, toOutgoingError } from './fetch-errors.ts';
import { createGuardedAgent } from './guarded-agent.ts';
import { responseHeaders } from './headers.ts';

/** Limits and options of a fetch. */
export interface FetchLimits {
  /** Maximum size of the body in bytes, compressed and decompressed. */
  maxBytes: number;
  /** Time limit in milliseconds, including redirects and the body. */
  timeout: number;
  /** Aborts the call with `aborted`. */
  signal?: AbortSignal;
  /** Value of the `Accept` header (RFC 9110, section 12.5.1). Any media type by default. */
  accept?: string;
  /** Called with the target of each redirect; throws to reject it. */
  onRedirect?: (to: URL) => void | Promise<void>;
}

/** The head of a response of any status. */
export interface FetchedHead {
  /** The final URL after all redirects. */
  url: URL;
  status: number;
  /** In lower case, without parameters; empty if there is none. */
  contentType: string;
  /** The charset parameter of the content type. */
  charset: string | undefined;
}

/** A complete response. */
export interface FetchedResource extends FetchedHead {
  /** Decompressed. */
  body: Uint8Array;
}

/** Consumes a response while it arrives. The chunks of its body are decompressed. */
export type ReadResponse<Result> = (head: FetchedHead, parts: AsyncIterable<Uint8Array>) => Promise<Result>;

/** Maximum number of redirects per fetch. */
export const MAX_REDIRECTS = 5;

const REDIRECT_STATUSES: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** A message to send. */
export interface PostedMessage {
  contentType: string;
  body: Uint8Array;
}

/** The complete response to a message, of any status. */
export interface PostResponse {
  status: number;
  headers: Headers;
  /** Decompressed. */
  body: Uint8Array;
}

/**
 * HTTP client for untrusted URLs. Their addresses are checked (see {@link createGuardedAgent}). Connections are reused:
 * close the fetcher when done (`await using`).
 *
 * Sends no cookies or credentials. A fetch follows at most {@link MAX_REDIRECTS} redirects, each checked like the first
 * URL; the redirect of a message is its response.
 */
export class Fetcher implements AsyncDisposable {
  readonly #allow: AllowedRanges;
  readonly #agent: Agent;

  /** @param lookup replaces the system's resolver */
  constructor(allow: AllowedRanges, lookup?: Lookup) {
    this.#allow = allow;
    this.#agent = createGuardedAgent(allow, lookup);
  }

  /**
   * Fetches a resource into memory.
   *
   * @throws OutgoingError `invalid-url` or a `refused-…` code if the target must not be called; `too-large`, `timeout`
   *   or `aborted`; another code if there is no response. Does not throw for error statuses.
   */
  async fetch(address: string | URL, limits: FetchLimits): Promise<FetchedResource> {
    return await this.read(address, limits, async (head, parts) => ({
      ...head,
      body: Buffer.concat(await Array.fromAsync(parts)),
    }));
  }

  /**
   * Fetches a resource as a stream.
   *
   * @throws OutgoingError like `fetch`, and errors of `read`
   */
  async read<Result>(
    address: string | URL,
    limits: FetchLimits,
    read: ReadResponse<Result>,
  ): Promise<Result> {
    const deadline = AbortSignal.timeout(limits.timeout);
    const signal = limits.signal ? AbortSignal.any([deadline, limits.signal]) : deadline;
    let url = requireFetchable(address, this.#allow);
    try {
      for (let hops = 0; ; hops++) {
        const response = await this.#request(url, limits, signal, read);
        if ('result' in response) {
          return response.result;
        }
        if (hops === MAX_REDIRECTS) {
          throw new OutgoingError(
            'refused-redirect',
            `${displayUrl(url)} redirects more than ${MAX_REDIRECTS} times. Use the final URL.`,
          );
        }
        url = requireFetchable(response.redirect, this.#allow);
        await limits.onRedirect?.(url);
      }
    } catch (error) {
      throw toOutgoingError(error, url, { deadline, timeout: limits.timeout, caller: limits.signal });
    }
  }

  /**
   * Sends a message with POST, with the header `traceparent` if the current work is traced.
   *
   * @throws OutgoingError like `fetch`
   */
  async post(address: string | URL, message: PostedMessage, limits: FetchLimits): Promise<PostResponse> {
    const deadline = AbortSignal.timeout(limits.timeout);
    const signal = limits.signal ? AbortSignal.any([deadline, limits.signal]) : deadline;
    const url = requireFetchable(address, this.#allow);
    const traceParent = currentTraceParent();
    try {
      const { statusCode, headers, body } = await request(url, {
        ...this.#optionsOf(limits, signal, {
          'content-type': message.contentType,
          ...(traceParent !== undefined && { traceparent: traceParent }),
        }),
        method: 'POST',
        body: message.body,
      });
      // Also emitted if the stream is destroyed by its consumer or the signal.
      body.on('error', () => undefined);
      try {
        const bounds = { maxBytes: limits.maxBytes, signal };
        const parts = await readBody(body, firstValue(headers['content-encoding']), bounds, (chunks) =>
          Array.fromAsync(chunks),
        );
        return { status: statusCode, headers: responseHeaders(headers), body: Buffer.concat(parts) };
      } finally {
        body.destroy();
      }
    } catch (error) {
      throw toOutgoingError(error, url, { deadline, timeout: limits.timeout, caller: limits.signal });
    }
  }

  async close(): Promise<void> {
    await this.#agent.destroy();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #optionsOf(limits: FetchLimits, signal: AbortSignal, headers?: Record<string, string>) {
    return {
      dispatcher: this.#agent,
      signal,
      // Covered by the deadline.
      headersTimeout: 0,
      bodyTimeout: 0,
      headers: {
        accept: limits.accept ?? '*/*',
        'accept-encoding': 'gzip, br',
        'user-agent': 'Colophon',
        ...headers,
      },
    };
  }

  /** Sends one request. Returns the result, or the target of a redirect. */
  async #request<Result>(
    url: URL,
    limits: FetchLimits,
    signal: AbortSignal,
    read: ReadResponse<Result>,
  ): Promise<{ result: Result } | { redirect: URL }> {
    const { statusCode, headers, body } = await request(url, this.#optionsOf(limits, signal));
    // Also emitted if the stream is destroyed by its consumer or the signal.
    body.on('error', () => undefined);
    const location = firstValue(headers.location);
    if (REDIRECT_STATUSES.has(statusCode) && location !== undefined) {
      body.destroy();
      const to = URL.parse(location, url);
      if (to === null) {
        throw new OutgoingError('refused-redirect', `${displayUrl(url)} redirects to an invalid URL.`);
      }
      // A redirect inherits the fragment (RFC 9110, section 10.2.2).
      if (to.hash === '') {
        to.hash = url.hash;
      }
      return { redirect: to };
    }
    const head = { url, status: statusCode, ...contentTypeOf(firstValue(headers['content-type'])) };
    const bounds = { maxBytes: limits.maxBytes, signal };
    try {
      const result = await readBody(body, firstValue(headers['content-encoding']), bounds, (parts) =>
        read(head, parts),
      );
      return { result };
    } finally {
      body.destroy();
    }
  }
}

/**
 * Parses and checks a URL without resolving its host. A URL that is rejected here is always rejected.
 *
 * @throws OutgoingError `invalid-url`, `refused-protocol` or `refused-address`
 */
export function requireFetchable(address: string | URL, allow: AllowedRanges): URL {
  const url = URL.parse(String(address));
  if (url === null || url.port === '0') {
    throw new OutgoingError('invalid-url', 'The URL is invalid. Use the form https://example.com/.');
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new OutgoingError(
      'refused-protocol',
      `The protocol ${url.protocol} is not supported. Use an https:// URL.`,
    );
  }
  if (url.username !== '' || url.password !== '') {
    throw new OutgoingError(
      'invalid-url',
      `The URL of ${url.host} contains a user name or password, which would be exposed in logs. Use a URL without credentials.`,
    );
  }
  requireHost(url, allow);
  return url;
}

const firstValue = (value: string | string[] | undefined): string | undefined =>
  Array.isArray(value) ? value[0] : value;
