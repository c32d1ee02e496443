import http from 'node:http';
import https from 'node:https';
import { isIPv6, type LookupFunction } from 'node:net';
import { type AllowedRanges, type CheckedHost, checkHost, type Lookup } from '../addresses.ts';
import { basicAuthorization, type Credentials } from '../credentials.ts';
import { OutgoingError } from '../errors.ts';
import { abortedError, timeoutError } from '../processes.ts';

/** Options of {@link locateRepository}. */
export interface LocateOptions {
  allow: AllowedRanges;
  lookup?: Lookup | undefined;
  /** Time limit, including redirects and all lookups. */
  milliseconds: number;
  signal?: AbortSignal | undefined;
}

/** The location of a repository after all redirects. */
export interface RepositoryLocation {
  url: URL;
  host: CheckedHost;
  credentials?: Credentials | undefined;
}

interface ResponseHead {
  status: number;
  contentType: string;
  location: string | undefined;
}

/** Maximum number of redirects to a Git repository. */
export const MAX_GIT_REDIRECTS = 5;
const ADVERTISEMENT_PATH = '/info/refs';
const ADVERTISEMENT_QUERY = '?service=git-upload-pack';
const ADVERTISEMENT_TYPE = 'application/x-git-upload-pack-advertisement';

/**
 * Locates a repository: over HTTP by requesting its refs, like the first request of git; over SSH, only its host is
 * checked. Git itself does not follow redirects: they are followed here, with each address checked, and git receives
 * the final URL and the checked addresses.
 *
 * @throws {OutgoingError} if the target must not be called or is not a repository; `timeout` or `aborted`
 */
export async function locateRepository(
  start: URL,
  credentials: Credentials | undefined,
  { milliseconds, signal, ...options }: LocateOptions,
): Promise<RepositoryLocation> {
  if (signal?.aborted) {
    throw abortedError();
  }
  const deadline = AbortSignal.timeout(milliseconds);
  const stop = signal ? AbortSignal.any([deadline, signal]) : deadline;
  const stopped = Promise.withResolvers<never>();
  const onStop = () => stopped.reject(signal?.aborted ? abortedError() : timeoutError(milliseconds));
  stop.addEventListener('abort', onStop, { once: true });
  try {
    // A lookup cannot be aborted.
    return await Promise.race([stopped.promise, locate(start, credentials, { ...options, stop })]);
  } finally {
    stop.removeEventListener('abort', onStop);
  }
}

async function locate(
  start: URL,
  credentials: Credentials | undefined,
  { allow, lookup, stop }: Pick<LocateOptions, 'allow' | 'lookup'> & { stop: AbortSignal },
): Promise<RepositoryLocation> {
  if (start.protocol === 'ssh:') {
    return { url: start, host: await checkHost(start, allow, lookup) };
  }
  let location: { url: URL; credentials?: Credentials | undefined } = { url: start, credentials };
  for (let redirects = 0; redirects <= MAX_GIT_REDIRECTS; redirects += 1) {
    const host = await checkHost(location.url, allow, lookup);
    stop.throwIfAborted();
    const response = await requestRefs(location.url, host, location.credentials, stop);
    if (response.status < 300 || response.status >= 400) {
      requireRepository(response, location.credentials !== undefined);
      return { ...location, host };
    }
    location = follow(location.url, location.credentials, response.location);
  }
  throw refusedRedirect(`more than ${MAX_GIT_REDIRECTS} redirects`);
}

function requestRefs(
  url: URL,
  host: CheckedHost,
  credentials: Credentials | undefined,
  signal: AbortSignal,
): Promise<ResponseHead> {
  const { promise, resolve, reject } = Promise.withResolvers<ResponseHead>();
  const client = url.protocol === 'https:' ? https : http;
  const request = client.get(
    `${url.href.replace(/\/+$/, '')}${ADVERTISEMENT_PATH}${ADVERTISEMENT_QUERY}`,
    {
      agent: false,
      signal,
      lookup: pinned(host),
      headers: {
        'User-Agent': 'git/colophon',
        'Git-Protocol': 'version=2',
        ...(credentials && { Authorization: basicAuthorization(credentials) }),
      },
    },
    (response) => {
      resolve({
        status: response.statusCode ?? 0,
        contentType: response.headers['content-type'] ?? '',
        location: response.headers.location,
      });
      // The body is not read.
      response.destroy();
    },
  );
  request.on('error', (cause) => reject(unreachable(url, cause)));
  return promise;
}

/** Returns a lookup function that resolves every host to the checked addresses. */
function pinned(host: CheckedHost): LookupFunction {
  const resolved = host.addresses.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }));
  return (_hostname, options, callback) => {
    if (options.all) {
      callback(null, resolved);
    } else {
      callback(null, resolved[0]?.address ?? '', resolved[0]?.family);
    }
  };
}

function requireRepository(response: ResponseHead, authenticated: boolean): void {
  if (response.status === 200 && response.contentType.startsWith(ADVERTISEMENT_TYPE)) {
    return;
  }
  if (response.status === 401 || response.status === 403) {
    throw new OutgoingError(
      'authentication',
      authenticated
        ? `The Git server rejected the credentials in the URL (status ${response.status}). Check the user name, and that the password or token is valid and grants read access to the repository.`
        : `The Git server requires credentials (status ${response.status}). Add them to the URL, as in https://user:token@host/path.`,
    );
  }
  if (response.status === 429 || response.status >= 500) {
    throw new OutgoingError(
      'unreachable',
      `The Git server is unavailable (status ${response.status}). Try again later.`,
    );
  }
  throw new OutgoingError(
    'not-found',
    response.status === 200
      ? 'The URL points to a web page, not to a Git repository. Use the URL for git clone.'
      : `The Git server has no repository at the URL (status ${response.status}). Check the path, and that the credentials grant access to it.`,
  );
}

function follow(
  from: URL,
  credentials: Credentials | undefined,
  location: string | undefined,
): Omit<RepositoryLocation, 'host'> {
  const base = `${from.href.replace(/\/+$/, '')}${ADVERTISEMENT_PATH}`;
  const target = location === undefined ? null : URL.parse(location, base);
  if (target === null) {
    throw refusedRedirect('invalid URL');
  }
  if (target.protocol !== 'https:' && target.protocol !== from.protocol) {
    throw refusedRedirect(
      `the protocol changes from ${from.protocol.slice(0, -1)} to ${target.protocol.slice(0, -1)}`,
    );
  }
  if (!target.pathname.endsWith(ADVERTISEMENT_PATH) || target.search !== ADVERTISEMENT_QUERY) {
    throw refusedRedirect('the target is not a repository, but possibly a login page');
  }
  const url = new URL(target.pathname.slice(0, -ADVERTISEMENT_PATH.length), target.origin);
  const isSameHost =
    url.origin === from.origin || (url.hostname === from.hostname && url.protocol === 'https:');
  return { url, credentials: isSameHost ? credentials : undefined };
}

function refusedRedirect(reason: string): OutgoingError {
  return new OutgoingError(
    'refused-redirect',
    `Cannot follow the redirect of the Git server: ${reason}. Use the final URL of the repository.`,
  );
}

function unreachable(url: URL, cause: Error): OutgoingError {
  return new OutgoingError(
    'unreachable',
    `No Git server responds at ${url.host}. Check the URL and that the server is running.`,
    { cause },
  );
}
