import http from 'node:http';
import https from 'node:https';
import { isIPv6, type LookupFunction } from 'node:net';
import { type AllowedRanges, type CheckedHost, checkHost, type Lookup } from './addresses.ts';
import { basicAuthorization, type Credentials } from './credentials.ts';
import { OutgoingError } from './errors.ts';
import { abortedError, timeoutError } from './processes.ts';

/** What finding a repository needs beside its address. */
export interface LocateOptions {
  allow: AllowedRanges;
  lookup?: Lookup | undefined;
  milliseconds: number;
  signal?: AbortSignal | undefined;
}

/** Where a repository is served, after all redirects. */
export interface RepositoryLocation {
  url: URL;
  host: CheckedHost;
  credentials?: Credentials | undefined;
}

interface Answer {
  status: number;
  contentType: string;
  location: string | undefined;
}

/** How many redirects are followed to a Git repository. */
export const MAX_GIT_REDIRECTS = 5;
const advertisementPath = '/info/refs';
const advertisementQuery = '?service=git-upload-pack';
const advertisementType = 'application/x-git-upload-pack-advertisement';

/**
 * Finds where a repository is served over HTTP by asking for its references, as git would do first. Git is
 * told to follow no redirect: they are followed here, each with its address checked, and git then gets the
 * final place and the checked address.
 *
 * @throws {OutgoingError} for an address that may not be called, and for every answer but a repository's.
 */
export async function locateRepository(
  start: URL,
  credentials: Credentials | undefined,
  options: LocateOptions,
): Promise<RepositoryLocation> {
  let location: { url: URL; credentials?: Credentials | undefined } = { url: start, credentials };
  for (let redirects = 0; redirects <= MAX_GIT_REDIRECTS; redirects += 1) {
    const host = await checkHost(location.url, options.allow, options.lookup);
    const answer = await ask(location.url, host, location.credentials, options);
    if (answer.status < 300 || answer.status >= 400) {
      requireRepository(answer, location.credentials !== undefined);
      return { ...location, host };
    }
    location = follow(location.url, location.credentials, answer.location);
  }
  throw refusedRedirect(`it redirects more than ${MAX_GIT_REDIRECTS} times`);
}

function ask(
  url: URL,
  host: CheckedHost,
  credentials: Credentials | undefined,
  options: LocateOptions,
): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  if (options.signal?.aborted) throw abortedError();
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
      // Only the head matters; the body can be as long as the server likes.
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

/** Answers every lookup with the addresses that were checked. */
function pinned(host: CheckedHost): LookupFunction {
  const found = host.addresses.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }));
  return (_hostname, options, callback) => {
    if (options.all) callback(null, found);
    else callback(null, found[0]?.address ?? '', found[0]?.family);
  };
}

function requireRepository(answer: Answer, authenticated: boolean): void {
  if (answer.status === 200 && answer.contentType.startsWith(advertisementType)) return;
  if (answer.status === 401 || answer.status === 403) {
    throw new OutgoingError(
      'authentication',
      authenticated
        ? `The Git server refused the credentials in the URL (status ${answer.status}). Check the user name, and that the password or token is valid and may read the repository.`
        : `The Git server wants credentials (status ${answer.status}). Put them into the URL, as in https://user:token@host/path.`,
    );
  }
  if (answer.status === 429 || answer.status >= 500) {
    throw new OutgoingError(
      'unreachable',
      `The Git server cannot answer now (status ${answer.status}). Try again later.`,
    );
  }
  throw new OutgoingError(
    'not-found',
    answer.status === 200
      ? 'There is a page at the URL, and no Git repository. Use the address that git clone takes.'
      : `The Git server has no repository at the URL (status ${answer.status}). Check the path, and that the credentials may see it.`,
  );
}

function follow(
  from: URL,
  credentials: Credentials | undefined,
  location: string | undefined,
): Omit<RepositoryLocation, 'host'> {
  const base = `${from.href.replace(/\/+$/, '')}${advertisementPath}`;
  const target = location === undefined ? null : URL.parse(location, base);
  if (target === null) throw refusedRedirect('it redirects to no address');
  if (target.protocol !== 'https:' && target.protocol !== from.protocol) {
    throw refusedRedirect(
      `it redirects from ${from.protocol.slice(0, -1)} to ${target.protocol.slice(0, -1)}`,
    );
  }
  if (!target.pathname.endsWith(advertisementPath) || target.search !== advertisementQuery) {
    throw refusedRedirect('it redirects to something that is no repository, such as a login page');
  }
  const url = new URL(target.pathname.slice(0, -advertisementPath.length), target.origin);
  const sameHost =
    url.origin === from.origin || (url.hostname === from.hostname && url.protocol === 'https:');
  return { url, credentials: sameHost ? credentials : undefined };
}

function refusedRedirect(why: string): OutgoingError {
  return new OutgoingError(
    'refused-redirect',
    `The Git server's answer cannot be followed: ${why}. Use the final address of the repository.`,
  );
}

function unreachable(url: URL, cause: Error): OutgoingError {
  return new OutgoingError(
    'unreachable',
    `No Git server answers at ${url.host}. Check the address and that the server runs.`,
    { cause },
  );
}
