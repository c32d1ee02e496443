import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runs } from '../../support/seed.ts';
import { serveMedia } from '../bodies/media-server.ts';
import { faultLocations, sendRaw } from '../small-server.ts';

const TRACE = '7f0c5b7a-8f0d-4c3c-9b7e-0a5f6f1c2d3e';
const valid = { 'x-trace': TRACE, cookie: 'session=abc' };

async function send(headers: Record<string, string>) {
  const server = await serveMedia({
    getParameters: async ({ headers: sent, cookies }) => ({ headers: sent, cookies }),
  });
  const response = await fetch(`${server.url}/parameters`, { headers });
  return { status: response.status, body: (await response.json()) as never };
}

test('passes headers and cookies to the handler in their declared types, with defaults', async () => {
  const minimal = await send(valid);
  expect(minimal.body).toEqual({
    headers: { 'X-Trace': TRACE, 'X-Flag': false },
    cookies: { session: 'abc', Size: 1 },
  });
  const full = await send({
    'X-TRACE': TRACE,
    'x-count': '2',
    'x-flag': 'true',
    'x-tags': '1, 2,3',
    'x-other': 'ignored',
    cookie: 'Size=2.5; other=1; session=%61bc; size=9',
  });
  expect(full.body).toEqual({
    headers: { 'X-Trace': TRACE, 'X-Count': 2, 'X-Flag': true, 'X-Tags': [1, 2, 3] },
    cookies: { session: 'abc', Size: 2.5 },
  });
});

test.each<[string, Record<string, string>, string[]]>([
  ['a missing header of the path', { cookie: 'session=abc' }, ['header X-Trace']],
  ['a missing cookie', { 'x-trace': TRACE }, ['cookie session']],
  ['an invalid format', { ...valid, 'x-trace': 'no' }, ['header X-Trace']],
  ['a number out of range', { ...valid, 'x-count': '0' }, ['header X-Count']],
  ['text for a number', { ...valid, 'x-count': 'many' }, ['header X-Count']],
  ['a number in another notation', { ...valid, 'x-count': '0x10' }, ['header X-Count']],
  ['text for a boolean', { ...valid, 'x-flag': 'yes' }, ['header X-Flag']],
  ['a list with an invalid item', { ...valid, 'x-tags': '1,a' }, ['header X-Tags.1']],
  ['a list that is too long', { ...valid, 'x-tags': '1,2,3,4' }, ['header X-Tags']],
  ['a short cookie', { ...valid, cookie: 'session=a' }, ['cookie session']],
  ['a cookie of another type', { ...valid, cookie: 'session=abc; Size=x' }, ['cookie Size']],
  ['a cookie with U+0000', { ...valid, cookie: 'session=abc%00' }, ['cookie session']],
  [
    'several invalid parameters',
    { cookie: 'session=a', 'x-count': '0' },
    ['cookie session', 'header X-Count', 'header X-Trace'],
  ],
])('rejects %s, and names the parameter', async (_name, headers, locations) => {
  const { status, body } = await send(headers);
  expect(status).toBe(400);
  expect(faultLocations((body as { error: object }).error)).toEqual(locations);
});

test('validates the parameters of a path in all its operations', async () => {
  const { url } = await serveMedia({ deleteParameters: async () => undefined });
  const remove = (headers: Record<string, string>) =>
    fetch(`${url}/parameters`, { method: 'DELETE', headers });
  expect((await remove({ 'x-trace': TRACE })).status).toBe(204);
  expect((await remove({})).status).toBe(400);
});

test('accepts or rejects any header and cookie, and never fails', async () => {
  const server = await serveMedia({ getParameters: async ({ headers, cookies }) => ({ headers, cookies }) });
  const value = fc.string({
    unit: fc.oneof(
      fc.constantFrom(...'%;=,"\\ 0a'),
      fc.integer({ min: 0x21, max: 0xff }).map((code) => String.fromCharCode(code)),
    ),
    maxLength: 20,
  });
  const line = fc.tuple(fc.constantFrom('X-Trace', 'X-Count', 'X-Flag', 'X-Tags', 'Cookie'), value);
  await fc.assert(
    fc.asyncProperty(fc.array(line, { maxLength: 6 }), async (lines) => {
      const text = lines.map(([name, sent]) => `${name}: ${sent}\r\n`).join('');
      const { status } = await sendRaw(
        server.port,
        `GET /parameters HTTP/1.1\r\nHost: x\r\nConnection: close\r\nCookie: session=abc\r\nX-Trace: ${TRACE}\r\n${text}\r\n`,
      );
      expect([200, 400]).toContain(status);
    }),
    { numRuns: runs(200) },
  );
  expect(server.errors()).toEqual([]);
});
