import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { DEFAULT_MAX_BODY_BYTES } from '../../server/contract/limits/limits.ts';
import { sendRaw, serveSmallContract, TOKEN } from './small-server.ts';

/** Parts of a request, valid or invalid. */
interface Parts {
  method: string;
  path: string;
  headers: string[];
}

const VALID: Parts = {
  method: 'POST',
  path: '/v1/widgets?',
  headers: [`Authorization: Bearer ${TOKEN}`],
};

/** Errors of a request, in the order of their checks. */
const FAULTS: [name: string, status: number, invalidate: (parts: Parts) => Parts][] = [
  ['a path that does not exist', 404, (parts) => ({ ...parts, path: '/v1/nowhere?' })],
  ['a method that the path does not have', 405, (parts) => ({ ...parts, method: 'PUT' })],
  ['an Accept without JSON', 406, (parts) => withHeader(parts, 'Accept: text/html')],
  [
    'a length over the limit',
    413,
    (parts) => withHeader(parts, `Content-Length: ${DEFAULT_MAX_BODY_BYTES + 1}`),
  ],
  ['an unknown content coding', 415, (parts) => withHeader(parts, 'Content-Encoding: zip')],
  ['no token', 401, (parts) => withoutToken(parts)],
  ['an unknown token', 401, (parts) => withHeader(withoutToken(parts), 'Authorization: Bearer other')],
  ['an unknown parameter', 400, (parts) => ({ ...parts, path: `${parts.path}&unknown=1` })],
];

const withHeader = (parts: Parts, header: string): Parts => ({
  ...parts,
  headers: [...parts.headers, header],
});

const withoutToken = (parts: Parts): Parts => ({
  ...parts,
  headers: parts.headers.filter((header) => !header.startsWith('Authorization')),
});

const pairs = FAULTS.flatMap(([first, status, invalidate], index) =>
  FAULTS.slice(index + 1).map(([second, , invalidateAgain]) => ({
    first,
    second,
    status,
    invalidate,
    invalidateAgain,
  })),
);

let port: number;
const ends: (() => Promise<void>)[] = [];
beforeAll(async () => {
  ({ port } = await serveSmallContract({}, { onEnd: (end) => ends.push(end) }));
});
afterAll(() => Promise.all(ends.map((end) => end())));

// Concurrent: a response to a body that is not read completely takes a while to close its connection.
test.concurrent.each(pairs)(
  'returns $status for $first before it checks $second',
  async ({ status, invalidate, invalidateAgain }) => {
    const { method, path, headers } = invalidateAgain(invalidate(VALID));
    const length = headers.some((header) => header.startsWith('Content-Length')) ? [] : ['Content-Length: 2'];
    const lines = [...headers, ...length, 'Host: x', 'Connection: close', 'Content-Type: application/json'];
    // Only a part of the announced body: no request here is rejected for its content.
    const response = await sendRaw(port, `${method} ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n{}`);
    expect(response.status, response.body).toBe(status);
  },
);

test.each([
  ['a missing', ''],
  ['an unknown', 'Authorization: Bearer other\r\n'],
])('rejects %s token before the body is read, without any of its data', async (_name, token) => {
  const { port, handled: seen } = await serveSmallContract();
  const head = `POST /v1/widgets HTTP/1.1\r\nHost: x\r\n${token}Content-Type: application/json\r\n`;
  // The body never arrives.
  const { status, body } = await sendRaw(port, `${head}Connection: close\r\nContent-Length: 500000\r\n\r\n`);
  expect(status).toBe(401);
  expect(JSON.parse(body)).not.toHaveProperty('error.details');
  const bomb = gzipSync(Buffer.alloc(15 * DEFAULT_MAX_BODY_BYTES, 0x20)).toString('latin1');
  const compressed = `${head}Content-Encoding: gzip\r\nConnection: close\r\nContent-Length: ${bomb.length}\r\n\r\n`;
  expect((await sendRaw(port, compressed + bomb)).status).toBe(401);
  expect(seen).toEqual([]);
});
