import { expect, test, vi } from 'vitest';
import { unauthenticated } from '../../server/contract/errors.ts';
import { FAILED_CREDENTIAL_COST, RateLimit } from '../../server/contract/limits/rate-limit.ts';
import { expectError, serveSmallContract } from './small-server.ts';

const START = Date.parse('2026-01-01T00:00:00.000Z');

/** A limit with a clock that a test advances. */
function limitOf(perMinute: number): { rateLimit: RateLimit; wait: (milliseconds: number) => void } {
  let now = START;
  const wait = (milliseconds: number) => {
    now += milliseconds;
  };
  return { rateLimit: new RateLimit({ perMinute, now: () => now }), wait };
}

/** Knows every token with the prefix `good`, and records its lookups. */
function lookup() {
  const requested: string[] = [];
  const authenticate = async (token: string) => {
    requested.push(token);
    await new Promise(setImmediate);
    if (!token.startsWith('good')) {
      throw unauthenticated('The token is unknown.');
    }
    return token;
  };
  return { requestedTokens: requested, authenticate };
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const statuses = async (requests: Promise<Response>[]) =>
  (await Promise.all(requests)).map(({ status }) => status);

test('limits the requests of a token per minute, and reports how many remain', async () => {
  const { rateLimit, wait } = limitOf(2);
  const { send } = await serveSmallContract({}, { rateLimit, ...lookup() });
  const get = (token: string) => send('GET', '/v1/widgets', undefined, bearer(token));
  const first = await get('good-1');
  expect(first.headers.get('x-ratelimit-limit')).toBe('2');
  expect(first.headers.get('x-ratelimit-remaining')).toBe('1');
  expect(first.headers.get('x-ratelimit-reset')).toBe(String(START / 1000 + 60));
  expect(first.headers.get('ratelimit-policy')).toBe('"requests-per-minute"; q=2; w=60');
  expect((await get('good-1')).status).toBe(200);
  wait(20_500);
  const third = await get('good-1');
  expect(third.headers.get('retry-after')).toBe('40');
  expect(third.headers.get('ratelimit')).toBe('"requests-per-minute"; r=0; t=40');
  expect((await expectError(third, 429)).message).toContain('Try again in 40 seconds');
  expect((await get('good-2')).status).toBe(200);
  wait(39_500);
  expect((await get('good-1')).headers.get('x-ratelimit-remaining')).toBe('1');
});

test('counts a token in one budget regardless of how its header is written', async () => {
  const { rateLimit } = limitOf(3);
  const { send } = await serveSmallContract({}, { rateLimit, ...lookup() });
  const variants = ['Bearer good', 'Bearer  good', 'bearer good', 'BEARER     good', 'Bearer good '];
  const responses: number[] = [];
  for (const authorization of variants) {
    responses.push((await send('GET', '/v1/widgets', undefined, { authorization })).status);
  }
  expect(responses).toEqual([200, 200, 200, 429, 429]);
});

test.each(['one after the other', 'all at once'])(
  'limits the lookups of invented tokens, %s',
  async (how) => {
    const { rateLimit, wait } = limitOf(1000);
    const { requestedTokens, authenticate } = lookup();
    const { send } = await serveSmallContract({}, { rateLimit, authenticate });
    const get = (token: string) => send('GET', '/v1/widgets', undefined, bearer(token));
    expect((await get('good-old')).status).toBe(200);
    const responses: number[] = [];
    const tokens = Array.from({ length: 1000 }, (_, index) => `invented-${index}`);
    if (how === 'all at once') {
      responses.push(...(await statuses(tokens.map(get))));
    } else {
      for (const token of tokens) {
        responses.push((await get(token)).status);
      }
    }
    const lookups = 1000 / FAILED_CREDENTIAL_COST;
    expect(responses.filter((status) => status === 401)).toHaveLength(lookups);
    expect(responses.filter((status) => status === 429)).toHaveLength(1000 - lookups);
    expect(requestedTokens).toHaveLength(lookups + 1);
    // Known tokens continue; unknown ones wait.
    expect((await get('good-old')).status).toBe(200);
    expect((await get('good-new')).status).toBe(429);
    wait(60_000);
    expect((await get('good-new')).status).toBe(200);
  },
);

test('does not count valid tokens or failed lookups against their address', async () => {
  const { rateLimit } = limitOf(20);
  const { authenticate } = lookup();
  const failing = vi.fn(authenticate);
  const { send, url } = await serveSmallContract({}, { rateLimit, authenticate: failing });
  for (let index = 0; index < 20; index++) {
    expect((await send('GET', '/v1/widgets', undefined, bearer(`good-${index}`))).status).toBe(200);
  }
  failing.mockRejectedValueOnce(new Error('No database.'));
  expect((await send('GET', '/v1/widgets', undefined, bearer('good-later'))).status).toBe(500);
  expect((await fetch(`${url}/v1/status`)).headers.get('x-ratelimit-remaining')).toBe('19');
});

test('counts a token that is no longer valid by its address', async () => {
  const { rateLimit } = limitOf(30);
  const { authenticate, requestedTokens } = lookup();
  const current = vi.fn(authenticate);
  const { send } = await serveSmallContract({}, { rateLimit, authenticate: current });
  const get = () => send('GET', '/v1/widgets', undefined, bearer('good'));
  expect((await get()).status).toBe(200);
  current.mockImplementation(async (token) => {
    requestedTokens.push(token);
    throw unauthenticated('The token is revoked.');
  });
  const responses: number[] = [];
  for (let index = 0; index < 10; index++) {
    responses.push((await get()).status);
  }
  // Once for the known token, then as often as for any other.
  expect(responses.filter((status) => status === 401)).toHaveLength(1 + 30 / FAILED_CREDENTIAL_COST);
});

test.each([
  ['GET', '/v1/status', 200],
  ['GET', '/nowhere', 404],
  ['PUT', '/v1/widgets', 405],
  ['GET', '/v1/widgets', 401],
] as const)(
  'counts requests without a valid caller by their address: %s %s',
  async (method, target, status) => {
    const { rateLimit } = limitOf(2);
    const { url } = await serveSmallContract({}, { rateLimit });
    const responses = [];
    for (let index = 0; index < 3; index++) {
      responses.push((await fetch(url + target, { method })).status);
    }
    expect(responses).toEqual([status, status, 429]);
  },
);

test('uses the address of the connection or of trusted proxies, and the network of IPv6 addresses', async () => {
  const from = async (forwarded: string[], trustedProxies: string[]) => {
    const { rateLimit } = limitOf(2);
    const { url } = await serveSmallContract({}, { rateLimit, trustedProxies });
    const responses = [];
    for (const address of forwarded) {
      responses.push((await fetch(`${url}/v1/status`, { headers: { 'x-forwarded-for': address } })).status);
    }
    return responses;
  };
  const several = ['203.0.113.1', '203.0.113.2', '203.0.113.3'];
  expect(await from(several, [])).toEqual([200, 200, 429]);
  expect(await from(several, ['10.0.0.0/8'])).toEqual([200, 200, 429]);
  expect(await from(several, ['127.0.0.0/8'])).toEqual([200, 200, 200]);
  // Values that the caller sent before the proxy are ignored.
  expect(await from(['1.1.1.1, 203.0.113.1', '2.2.2.2, 203.0.113.1', '203.0.113.1'], ['127.0.0.1'])).toEqual([
    200, 200, 429,
  ]);
  const network = ['2001:db8::1', '2001:db8::2', '2001:db8:0:0:ffff::3', '2001:db8:0:1::1'];
  expect(await from(network, ['127.0.0.1'])).toEqual([200, 200, 429, 200]);
  expect(await from(['nonsense', 'nonsense, more', 'x'], ['127.0.0.1'])).toEqual([200, 200, 429]);
});
