import http from 'node:http';
import https from 'node:https';
import { isIPv6, type LookupFunction } from 'node:net';
import { type AllowedRanges, type CheckedHost, checkHost, type Lookup } from './addresses.ts';
import { basicAuthorization, type Credentials } from './credentials.ts';
import { OutgoingError } from './errors.ts';
import { abortedError, timeoutError } from './processes.ts';

/** Options of {@link locateRepository}. */
export interface LocateOptions {
  allow: AllowedRanges;
  lookup?: Lookup | undefined;
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
const advertisementPath = '/info/refs';
const advertisementQuery = '?service=git-upload-pack';
const advertisementType = 'application/x-git-upload-pack-advertisement';

/**
 * Locates a repository over HTTP by requesting its refs, like the first request of git. Git itself does not follow
 * redirects: they are followed here, with each address checked, and git receives the final URL and the checked
 * addresses.
 *
 * @throws {OutgoingError} if the target must not be called or is not a repository
 */
export async function locateRepository(
  start: URL,
  credentials: Credentials | undefined,
  options: LocateOptions,
): Promise<RepositoryLocation> {
  let location: { url: URL; credentials?: Credentials | undefined } = { url: start, credentials };
  for (let redirects = 0; redirects <= MAX_GIT_REDIRECTS; redirects += 1) {
    const host = await checkHost(location.url, options.allow, options.lookup);
    const response = await requestRefs(location.url, host, location.credentials, options);
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
  options: LocateOptions,
): Promise<ResponseHead> {
  const { promise, resolve, reject } = Promise.withResolvers<ResponseHead>();
  if (options.signal?.aborted) {
    throw abortedError();
  }
  const client = url.protocol === 'https:' ? https : http;
  const request = client.get(
    `${url.href.replace(/\/+$/, '')}${advertisementPath}${advertisementQuery}`,
    {
      agent: false,
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
  const stop = (error: OutgoingError) => {
    reject(error);
    request.destroy();
  };
  const onAbort = () => stop(abortedError());
  const timer = setTimeout(() => stop(timeoutError(options.milliseconds)), options.milliseconds);
  options.signal?.addEventListener('abort', onAbort, { once: true });
  request.on('error', (cause) => reject(unreachable(url, cause)));
  return promise.finally(() => {
    clearTimeout(timer);
    options.signal?.removeEventListener('abort', onAbort);
  });
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
  if (response.status === 200 && response.contentType.startsWith(advertisementType)) {
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
  const base = `${from.href.replace(/\/+$/, '')}${advertisementPath}`;
  const target = location === undefined ? null : URL.parse(location, base);
  if (target === null) {
    throw refusedRedirect('invalid URL');
  }
  if (target.protocol !== 'https:' && target.protocol !== from.protocol) {
    throw refusedRedirect(
      `the protocol changes from ${from.protocol.slice(0, -1)} to ${target.protocol.slice(0, -1)}`,
    );
  }
  if (!target.pathname.endsWith(advertisementPath) || target.search !== advertisementQuery) {
    throw refusedRedirect('the target is not a repository, but possibly a login page');
  }
  const url = new URL(target.pathname.slice(0, -advertisementPath.length), target.origin);
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
