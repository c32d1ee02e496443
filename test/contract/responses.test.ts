import { expect, test } from 'vitest';
import { ContractError } from '../../server/contract/errors.ts';
import {
  badGateway,
  badRequest,
  conflict,
  contentTooLarge,
  forbidden,
  gatewayTimeout,
  gone,
  locked,
  paymentRequired,
  preconditionFailed,
  preconditionRequired,
  unauthenticated,
  unavailable,
  unprocessable,
  unsupportedMediaType,
} from '../../server/contract/index.ts';
import { expectError, rawRequest, type SmallHandlers, sendRaw, serveSmallContract } from './small-server.ts';

/** A handler that violates its type, as with data from elsewhere. */
const wrong = (response: unknown) => (async () => response) as never;

const SECRET = 'hunter2';

/** Serves an invalid handler, and expects a 500 without details. */
async function fails(handlers: Partial<SmallHandlers>, method = 'GET', target = '/v1/widgets/a') {
  const { send, log } = await serveSmallContract(handlers);
  const response = await send(
    method,
    target,
    method === 'POST' && target === '/v1/widgets' ? { title: 'a' } : undefined,
  );
  expect(response.headers.get('location')).toBeNull();
  const error = await expectError(response, 500);
  expect(error.details).toBeUndefined();
  expect(error.message).toContain(error.requestId);
  expect(JSON.stringify(error)).not.toContain(SECRET);
  const lines = log.filter(({ level }) => level === 'error');
  expect(lines).toHaveLength(1);
  expect(lines[0]?.fields.requestId).toBe(error.requestId);
  const { err, operation } = lines[0]?.fields ?? {};
  return { message: err instanceof Error ? err.message : String(err), operation };
}

test('sends the declared success with its body and headers', async () => {
  const { send } = await serveSmallContract();
  const created = await send('POST', '/v1/widgets', { title: 'a' });
  expect([created.status, created.headers.get('location')]).toEqual([201, 'http://widgets.example/new']);
  expect(created.headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(await created.json()).toMatchObject({ id: 'new' });
  const read = await send('GET', '/v1/widgets/a');
  expect([read.status, read.headers.get('location')]).toEqual([200, null]);
  const deleted = await send('DELETE', '/v1/widgets/a');
  expect([deleted.status, await deleted.text(), deleted.headers.get('content-type')]).toEqual([
    204,
    '',
    null,
  ]);
});

test('lets the handler select one of several successes', async () => {
  for (const reply of [
    { status: 200, body: { result: 'x' } },
    { status: 202, body: { job: 'x' } },
    { status: 204, body: undefined },
  ] as const) {
    const { send } = await serveSmallContract({ runWidget: async () => reply });
    const response = await send('POST', '/v1/widgets/a/run');
    expect(response.status).toBe(reply.status);
    expect(await response.text()).toBe(reply.body ? JSON.stringify(reply.body) : '');
  }
});

test.each([
  ['a field that the contract lacks', { id: 'a', title: 'A', password: SECRET }, 'additional properties'],
  ['a field of another type', { id: 7, title: 'A' }, 'must be string'],
  ['a missing field', { id: 'a' }, 'title'],
  ['a date that is none', { id: 'a', title: 'A', createdAt: SECRET }, 'date-time'],
  ['no body', undefined, 'without a body'],
  ['null', null, 'must be object'],
])('returns 500 for a response with %s, and logs the reason', async (_name, response, reason) => {
  const { message, operation } = await fails({ getWidget: wrong(response) });
  expect(message).toContain('getWidget');
  expect(message).toContain(reason);
  expect(operation).toBe('getWidget');
});

test('sends no Location if a creation returns an invalid body', async () => {
  await fails(
    { createWidget: wrong({ id: 'a', title: 'A', urls: { location: 'x' }, more: 1 }) },
    'POST',
    '/v1/widgets',
  );
});

test('returns 500 for a body where none is declared', async () => {
  expect((await fails({ deleteWidget: wrong({}) }, 'DELETE')).message).toContain('with a body');
  const reply = wrong({ status: 204, body: {} });
  expect((await fails({ runWidget: reply }, 'POST', '/v1/widgets/a/run')).message).toContain('with a body');
});

test.each([201, 418, 500, undefined, 'default'])(
  'returns 500 for the undeclared status %s',
  async (status) => {
    const { message } = await fails(
      { runWidget: wrong({ status, body: { result: 'x' } }) },
      'POST',
      '/v1/widgets/a/run',
    );
    expect(message).toContain('does not declare');
  },
);

test('sends dates as text without changing those of the handler', async () => {
  const createdAt = new Date('2026-01-02T03:04:05Z');
  const body = { id: 'a', title: 'A', createdAt };
  const { send } = await serveSmallContract({ getWidget: wrong(body) });
  expect(await (await send('GET', '/v1/widgets/a')).json()).toMatchObject({ createdAt: createdAt.toJSON() });
  expect(body.createdAt).toBe(createdAt);
});

test('sends the result of the handler unchanged without response validation', async () => {
  const response = wrong({ id: 7 });
  const { send } = await serveSmallContract({ getWidget: response }, { validateResponses: false });
  expect(await (await send('GET', '/v1/widgets/a')).json()).toEqual({ id: 7 });
});

test('keeps status, message, details and headers of contract errors', async () => {
  const failure = new ContractError(429, 'rate_limited', 'Too fast.', {
    details: [{ in: 'body', path: 'title', message: 'is taken' }],
    headers: { 'Retry-After': '3' },
  });
  const { send, log } = await serveSmallContract({
    getWidget: async () => {
      throw failure;
    },
    deleteWidget: async () => {
      throw new ContractError(403, 'permission_missing', 'Ask an admin.');
    },
    updateWidget: async () => {
      throw new ContractError(409, 'title_taken', 'The title is taken.');
    },
  });
  const limited = await send('GET', '/v1/widgets/a');
  expect(limited.headers.get('retry-after')).toBe('3');
  expect(await expectError(limited, 429)).toMatchObject({ message: 'Too fast.', details: failure.details });
  expect((await expectError(await send('DELETE', '/v1/widgets/a'), 403)).message).toBe('Ask an admin.');
  expect((await expectError(await send('PATCH', '/v1/widgets/a'), 409)).message).toBe('The title is taken.');
  expect(log.filter(({ level }) => level === 'error')).toEqual([]);
});

test.each([
  [badRequest, 400],
  [unauthenticated, 401],
  [paymentRequired, 402],
  [forbidden, 403],
  [conflict, 409],
  [gone, 410],
  [preconditionFailed, 412],
  [contentTooLarge, 413],
  [unsupportedMediaType, 415],
  [unprocessable, 422],
  [locked, 423],
  [preconditionRequired, 428],
  [badGateway, 502],
  [unavailable, 503],
  [gatewayTimeout, 504],
] as const)('the error of %o has the status %i and its message', async (create, status) => {
  const { send } = await serveSmallContract({
    getWidget: async () => {
      throw create('Try another widget.');
    },
  });
  const response = await send('GET', '/v1/widgets/a');
  expect(await expectError(response, status)).toMatchObject({
    message: 'Try another widget.',
    reason: expect.stringMatching(/^[a-z]+(_[a-z]+)*$/),
  });
});

test('an error of a usual status can have a reason, details and headers of its own', async () => {
  const { send } = await serveSmallContract({
    getWidget: async () => {
      const details = [{ in: 'body' as const, path: 'title', message: 'is taken' }];
      throw conflict('Taken.', { reason: 'title_taken', details, headers: { 'Retry-After': '3' } });
    },
  });
  const response = await send('GET', '/v1/widgets/a');
  expect(response.headers.get('retry-after')).toBe('3');
  expect(await expectError(response, 409)).toMatchObject({
    reason: 'title_taken',
    details: [{ path: 'title' }],
  });
});

test.each([
  ['an error', new Error(SECRET)],
  ['an error that looks like one of the transport', Object.assign(new Error(SECRET), { status: 500 })],
  ['a text', SECRET],
  ['nothing', undefined],
])('returns 500 for an unknown %s, without its message or stack', async (_name, thrown) => {
  await fails({
    getWidget: async () => {
      throw thrown;
    },
  });
});

test('assigns a unique ID to each request, in its response and its log line', async () => {
  const { send, log } = await serveSmallContract();
  const responses = [
    await send('GET', '/v1/widgets/a?x=1'),
    await send('GET', '/v1/widgets/a'),
    await send('GET', '/nowhere'),
  ];
  const ids = responses.map((response) => response.headers.get('x-request-id'));
  expect(new Set(ids).size).toBe(3);
  await expect.poll(() => log.length).toBe(3);
  expect(log.map(({ fields }) => fields.requestId).sort()).toEqual([...ids].sort());
  expect(log.find(({ fields }) => fields.requestId === ids[1])?.fields).toMatchObject({
    method: 'GET',
    path: '/v1/widgets/a',
    operation: 'getWidget',
    status: 200,
  });
});

test('logs neither queries nor credentials', async () => {
  const { send, log } = await serveSmallContract();
  await send('GET', '/v1/widgets?page=verysecret');
  await expect.poll(() => log.length).toBe(1);
  expect(JSON.stringify(log)).not.toMatch(/verysecret|Bearer/);
});

test('aborts the signal of a request if the caller disconnects, and not after a success', async () => {
  const signals: AbortSignal[] = [];
  let arrived = () => {};
  const waiting = new Promise<void>((done) => {
    arrived = done;
  });
  const { send, url } = await serveSmallContract({
    getWidget: async (_request, { signal }) => {
      signals.push(signal);
      return { id: 'a', title: 'A' };
    },
    listWidgets: async (_request, { signal }) => {
      signals.push(signal);
      arrived();
      await new Promise((done) => signal.addEventListener('abort', done));
      return { items: [] };
    },
  });
  await (await send('GET', '/v1/widgets/a')).text();
  const caller = new AbortController();
  const call = fetch(`${url}/v1/widgets`, {
    signal: caller.signal,
    headers: { authorization: 'Bearer good' },
  });
  await waiting;
  caller.abort();
  await expect(call).rejects.toThrow();
  await expect.poll(() => signals[1]?.aborted).toBe(true);
  expect(signals[0]?.aborted).toBe(false);
});

test('serves requests of a connection one after the other, including rejected ones', async () => {
  const { port } = await serveSmallContract();
  const keep = (target: string, body: string) =>
    `POST ${target} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer good\r\nContent-Type: text/plain\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  const { head, body } = await sendRaw(
    port,
    `${keep('/v1/widgets', 'abc')}${keep('/nowhere', 'abc')}${keep('/v1/widgets/a/run', 'abc')}${rawRequest('GET', '/v1/status')}`,
  );
  expect(`${head}\r\n\r\n${body}`.match(/HTTP\/1\.1 \d+/g)).toEqual([
    'HTTP/1.1 415',
    'HTTP/1.1 404',
    'HTTP/1.1 200',
    'HTTP/1.1 200',
  ]);
});

test('provides the address of the caller in the context', async () => {
  const addresses: string[] = [];
  const { send } = await serveSmallContract({
    deleteWidget: async (_request, { address }) => {
      addresses.push(address);
    },
  });
  await send('DELETE', '/v1/widgets/a', undefined, { 'x-forwarded-for': '203.0.113.9' });
  expect(addresses).toEqual(['127.0.0.1']);
});
