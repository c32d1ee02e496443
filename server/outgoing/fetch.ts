import type { LookupFunction } from 'node:net';
import { isIP } from 'node:net';
import { Agent, request } from 'undici';
import { type AllowedRanges, checkHost, type Lookup, requireHost } from './addresses.ts';
import { OutgoingError } from './errors.ts';
import { contentTypeOf, ReaderError, readBody } from './fetch-body.ts';

/** How a resource is fetched. */
export interface FetchLimits {
  /** The longest body, in bytes, compressed or not. */
  maxBytes: number;
  /** Milliseconds for the whole of it, redirects and body included. */
  timeout: number;
  /** Ends the call; it then fails with `aborted`. */
  signal?: AbortSignal;
  /** The media types that are asked for, as in `Accept` (RFC 9110, section 12.5.1). Any by default. */
  accept?: string;
  /** Called with each address that is redirected to; throws where it must not be gone to. */
  onRedirect?: (to: URL) => void | Promise<void>;
}

/** What was answered before the body, whatever the status says. */
export interface FetchedHead {
  /** Where it was found, behind all redirects. */
  url: URL;
  status: number;
  /** In lower case, without parameters; '' where none was told. */
  contentType: string;
  /** The parameter of the content type, where there is one. */
  charset: string | undefined;
}

/** What was answered in all. */
export interface FetchedResource extends FetchedHead {
  /** Decompressed. */
  body: Uint8Array;
}

/** Reads a response while it arrives; the parts of its body are decompressed. */
export type ReadResponse<Result> = (head: FetchedHead, parts: AsyncIterable<Uint8Array>) => Promise<Result>;

/** How many redirects are followed for one resource. */
export const MAX_REDIRECTS = 5;

/** How long connecting to a host may take where a resource is fetched. */
export const FETCH_CONNECT_TIMEOUT_MS = 10_000;
const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/**
 * The way out by HTTP. Each host name is resolved when a connection is made, all its addresses are checked, and
 * the socket connects to one of exactly these, so that a name cannot lead elsewhere between check and use.
 * Keeps connections for the next call: close it when the work is done (`await using` does).
 *
 * It sends no cookies and no credentials, and follows at most {@link MAX_REDIRECTS} redirects, each of them
 * checked like the first address.
 */
export class Fetcher implements AsyncDisposable {
  readonly #allow: AllowedRanges;
  readonly #agent: Agent;

  /** `lookup` stands in for the system's resolver in tests. */
  constructor(allow: AllowedRanges, lookup?: Lookup) {
    this.#allow = allow;
    this.#agent = new Agent({
      allowH2: false,
      connections: 8,
      connect: { lookup: guardedLookup(allow, lookup), timeout: FETCH_CONNECT_TIMEOUT_MS },
    });
  }

  /**
   * Fetches a resource into memory.
   *
   * @throws OutgoingError with `invalid-url` or a `refused-…` code for what must not be called, `too-large`,
   *   `timeout` and `aborted` where a limit ended it, and another where there was no answer. A status that says
   *   that something went wrong is an answer.
   */
  async fetch(address: string | URL, limits: FetchLimits): Promise<FetchedResource> {
    return await this.read(address, limits, async (head, parts) => ({
      ...head,
      body: Buffer.concat(await Array.fromAsync(parts)),
    }));
  }

  /**
   * Fetches a resource that `read` takes while it arrives: never more of it is in memory than `read` holds.
   *
   * @throws OutgoingError as `fetch`, and what `read` throws
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
        const answer = await this.#ask(url, limits, signal, read);
        if ('result' in answer) return answer.result;
        if (hops === MAX_REDIRECTS)
          throw new OutgoingError(
            'refused-redirect',
            `${shown(url)} redirects more than ${MAX_REDIRECTS} times. Use the address where it ends.`,
          );
        url = requireFetchable(answer.redirect, this.#allow);
        await limits.onRedirect?.(url);
      }
    } catch (error) {
      throw failureOf(error, url, { deadline, timeout: limits.timeout, caller: limits.signal });
    }
  }

  async close(): Promise<void> {
    await this.#agent.destroy();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  /** What was read at a URL, or the URL that it redirects to. */
  async #ask<Result>(
    url: URL,
    limits: FetchLimits,
    signal: AbortSignal,
    read: ReadResponse<Result>,
  ): Promise<{ result: Result } | { redirect: URL }> {
    const { statusCode, headers, body } = await request(url, {
      dispatcher: this.#agent,
      signal,
      // The deadline ends what takes too long.
      headersTimeout: 0,
      bodyTimeout: 0,
      headers: {
        accept: limits.accept ?? '*/*',
        'accept-encoding': 'gzip, br',
        'user-agent': 'Colophon',
      },
    });
    // A stream that is destroyed by its reader or the signal reports it here as well.
    body.on('error', () => undefined);
    const location = one(headers.location);
    if (redirects.has(statusCode) && location !== undefined) {
      body.destroy();
      const to = URL.parse(location, url);
      if (to === null)
        throw new OutgoingError('refused-redirect', `${shown(url)} redirects to what is no address.`);
      // A fragment goes along (RFC 9110, section 10.2.2).
      if (to.hash === '') to.hash = url.hash;
      return { redirect: to };
    }
    const head = { url, status: statusCode, ...contentTypeOf(one(headers['content-type'])) };
    const bounds = { maxBytes: limits.maxBytes, signal };
    try {
      const result = await readBody(body, one(headers['content-encoding']), bounds, (parts) =>
        read(head, parts),
      );
      return { result };
    } finally {
      body.destroy();
    }
  }
}

/**
 * The URL of an address that may be called, as far as can be told without resolving its host: what is refused here
 * is refused at every call.
 *
 * @throws OutgoingError `invalid-url`, `refused-protocol` or `refused-address`
 */
export function requireFetchable(address: string | URL, allow: AllowedRanges): URL {
  const url = URL.parse(String(address));
  if (url === null || url.port === '0')
    throw new OutgoingError('invalid-url', 'The address is no URL. Write it as in https://example.com/.');
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new OutgoingError(
      'refused-protocol',
      `The server does not call ${url.protocol} addresses. Use an https:// address.`,
    );
  if (url.username !== '' || url.password !== '')
    throw new OutgoingError(
      'invalid-url',
      `The address of ${url.host} holds a user name or a password, which would be sent in clear and kept in logs. Use an address without them.`,
    );
  requireHost(url, allow);
  return url;
}

const one = (value: string | string[] | undefined): string | undefined =>
  Array.isArray(value) ? value[0] : value;

/** Resolves for a socket: the addresses that were checked are those that it connects to. */
function guardedLookup(allow: AllowedRanges, lookup: Lookup | undefined): LookupFunction {
  return (hostname, options, answer) => {
    const host = new URL('http://host');
    host.hostname = hostname;
    checkHost(host, allow, lookup).then(
      ({ addresses }) => {
        const found = addresses.map((address) => ({ address, family: isIP(address) }));
        const [first] = found;
        if (options.all) answer(null, found);
        else answer(null, first?.address ?? '', first?.family);
      },
      (error: Error) => answer(error, []),
    );
  };
}

/** What went wrong, in words for the caller. */
function failureOf(
  error: unknown,
  url: URL,
  limits: { deadline: AbortSignal; timeout: number; caller: AbortSignal | undefined },
): unknown {
  if (error instanceof OutgoingError) return error;
  if (error instanceof ReaderError) return error.cause;
  if (limits.caller?.aborted)
    return new OutgoingError('aborted', `The call of ${shown(url)} was ended by its caller.`, {
      cause: error,
    });
  if (limits.deadline.aborted)
    return new OutgoingError(
      'timeout',
      `${shown(url)} did not answer in full within ${limits.timeout / 1000} seconds. Try again later.`,
      { cause: error },
    );
  if (!(error instanceof Error)) return error;
  const refusal = refusalIn(error);
  if (refusal) return refusal;
  return new OutgoingError(
    'unreachable',
    `${shown(url)} could not be fetched. Check the address, and that its server runs and has a valid certificate.`,
    { cause: error },
  );
}

/** The refusal of a lookup, which arrives as the cause of the socket's failure. */
function refusalIn(error: Error): OutgoingError | undefined {
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause)
    if (cause instanceof OutgoingError) return cause;
  return undefined;
}

/** A URL in a message: what its query holds may be secret. */
function shown(url: URL): string {
  return `${url.origin}${url.pathname}`;
}
