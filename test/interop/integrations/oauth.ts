/** The round trip of a person who connects an account of another service. */
import { isDeepStrictEqual } from 'node:util';
import { type Level, readLevel } from './installations.ts';
import { require, type Subject } from './step.ts';

/** A person who follows links. Their cookies are those of one browser. */
export class Browser {
  readonly #cookies = new Map<string, Map<string, string>>();

  /** Requests a URL, without following its redirect. */
  async open(url: string | URL, init: RequestInit = {}): Promise<Response> {
    const { host, href } = new URL(url);
    const jar = this.#cookies.get(host) ?? new Map<string, string>();
    this.#cookies.set(host, jar);
    const response = await fetch(href, {
      ...init,
      redirect: 'manual',
      headers: {
        ...init.headers,
        Accept: 'text/html',
        Cookie: [...jar].map(([name, value]) => `${name}=${value}`).join('; '),
      },
    });
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      if (/max-age=0/i.test(cookie)) {
        jar.delete(name);
      } else {
        jar.set(name, value);
      }
    }
    return response;
  }
}

/** Returns the URL where a provider sends a person who agrees, from the URL that the integration redirects to. */
export function agree(authorize: URL): URL {
  const callback = authorize.searchParams.get('redirect_uri');
  require(callback !== null, `the redirect to ${authorize.host} has no redirect_uri`);
  const url = new URL(callback ?? '');
  url.searchParams.set('code', 'interop-code');
  url.searchParams.set('state', authorize.searchParams.get('state') ?? '');
  return url;
}

/** Connects an account: follows the redirect, agrees, and verifies that the credentials are stored. */
export async function connectAccount(subject: Subject, level: Level, start: string): Promise<void> {
  const browser = new Browser();
  const before = await readLevel(subject, level);
  const sent = subject.fakes.requests.length;
  const first = await browser.open(start);
  const location = first.headers.get('location');
  if (first.status !== 302 || location === null) {
    throw new Error(
      `${first.status} instead of a redirect to the provider: ${(await first.text()).slice(0, 200)}`,
    );
  }
  const callback = agree(new URL(location));
  require(callback.origin ===
    new URL(subject.service.url).origin, `the provider would return to ${callback.origin}`);
  const returned = await browser.open(callback);
  const body = await returned.text();
  const requests = subject.fakes.requests.slice(sent);
  const unknown = requests.find(({ isKnown }) => !isKnown);
  require(unknown === undefined, `no fake replies to ${unknown?.method} ${unknown?.url.href}`);
  require(returned.status < 400, `the callback returned ${returned.status}: ${body.slice(0, 200)}`);
  require(requests.some(
    ({ method, body: sent }) => method === 'POST' && sent.includes('interop-code'),
  ), 'the provider received no code');
  const after = await readLevel(subject, level);
  require(!isDeepStrictEqual(before.configuration, after.configuration), 'the credentials are not stored');
}
