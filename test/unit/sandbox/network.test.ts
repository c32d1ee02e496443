import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseAllowedRanges } from '../../../server/outgoing/addresses.ts';
import { MAX_SCRIPT_REQUESTS } from '../../../server/sandbox/limits.ts';
import type { Sandbox } from '../../../server/sandbox/sandbox.ts';
import { type LoopbackServer, serveOnLoopback } from '../../support/http/loopback.ts';
import { callScript, handling, sandboxOf, scriptOf } from './scripts.ts';

let target: LoopbackServer;
const requests: string[] = [];
/** Allows only the address of the service itself. */
let strict: Sandbox;
/** Also allows loopback, as the configuration of an operator can. */
let open: Sandbox;
beforeAll(async () => {
  target = await serveOnLoopback((request, response) => {
    requests.push(`${request.method} ${request.url} ${request.headers['x-forwarded-for']}`);
    if (request.url === '/redirect') {
      response.writeHead(302, { Location: `http://127.0.0.2:${new URL(target.url).port}/inner` }).end();
      return;
    }
    if (request.url === '/endless') {
      response.write('start');
      return;
    }
    response.writeHead(201, { 'X-Echo': String(request.headers['x-echo']) });
    request.pipe(response);
  });
  const lookup = async (hostname: string) => [hostname === 'own.test' ? '127.0.0.1' : '10.0.0.1'];
  strict = sandboxOf({ ownOrigin: target.url, lookup });
  open = sandboxOf({ allow: parseAllowedRanges('127.0.0.0/8'), lookup });
});
afterAll(async () => {
  await Promise.all([strict.close(), open.close()]);
  await target.close();
});

const reading = scriptOf(
  handling(`
    try {
      const response = await fetch(event.url, event.init);
      return Response.json([response.status, await response.text(), response.headers.get('x-echo')]);
    } catch (error) {
      return Response.json(['failed']);
    }`),
);
const read = async (sandbox: Sandbox, url: string, init: object = {}) =>
  JSON.parse((await callScript(sandbox, reading, { url, init })).text);

describe('a script', () => {
  test('reaches the service itself', async () => {
    const init = {
      method: 'POST',
      body: 'the body',
      headers: { 'X-Echo': 'yes', 'X-Forwarded-For': '10.1.1.1' },
    };
    expect(await read(strict, `${target.url}/v1/user`, init)).toEqual([201, 'the body', 'yes']);
    expect(requests.at(-1)).toBe('POST /v1/user undefined');
  });

  test.each([
    'http://127.0.0.1:1/',
    'http://127.0.0.2/',
    'https://10.0.0.1/',
    'http://169.254.169.254/latest/meta-data/',
    'http://[::1]/',
    'http://[::ffff:127.0.0.1]/',
    'http://0x7f000001/',
    'http://localhost/',
    'http://internal.test/',
    'http://integration/v1',
  ])('does not reach %s', async (url) => {
    const [status, text] = await read(strict, url);
    expect([status, text]).toEqual([
      expect.any(Number),
      expect.stringMatching(/is not public|has no public address/),
    ]);
    expect(status).toBeGreaterThanOrEqual(400);
  });

  test('reaches addresses that the operator allows, by HTTP only', async () => {
    expect((await read(open, `${target.url}/`))[0]).toBe(201);
    expect((await read(open, `http://own.test:${new URL(target.url).port}/`))[0]).toBe(201);
    for (const url of ['ftp://127.0.0.1/', 'unix:/tmp/a.sock', 'file:///etc/passwd']) {
      expect([url, ...(await read(open, url))]).toEqual([url, 'failed']);
    }
  });

  test('is not redirected to a private address', async () => {
    const [status, text] = await read(strict, `${target.url}/redirect`);
    expect([status, text]).toEqual([403, expect.stringContaining('is not public')]);
    expect(requests.some((request) => request.includes('/inner'))).toBe(false);
  });

  test('opens no other connections', async () => {
    const connecting = scriptOf(
      handling(
        `
        const failures = [];
        try { await connect({ hostname: '127.0.0.1', port: event.port }).opened; } catch { failures.push('socket'); }
        try { const { webSocket } = await fetch(event.url, { headers: { Upgrade: 'websocket' } }); webSocket.accept(); } catch { failures.push('web socket'); }
        return Response.json(failures);`,
        'import { connect } from "cloudflare:sockets";',
      ),
    );
    const event = { url: target.url, port: Number(new URL(target.url).port) };
    expect(JSON.parse((await callScript(open, connecting, event)).text)).toEqual(['socket', 'web socket']);
  });

  test('sees neither the environment nor the files of the server', async () => {
    const curious = scriptOf(
      handling(
        `
        const files = await import('node:fs').then(({ readFileSync }) => readFileSync(event.file), () => 'none');
        return Response.json({ environment: process.env, bindings, arguments: env, files });`,
        'import { env as bindings } from "cloudflare:workers";',
      ),
    );
    const file = fileURLToPath(import.meta.url);
    expect(JSON.parse((await callScript(open, curious, { file })).text)).toEqual({
      environment: {},
      bindings: {},
      arguments: {},
      files: 'none',
    });
  });

  test('cannot send a body without end', async () => {
    const sending = scriptOf(
      handling(`
        const part = new Uint8Array(65536);
        const body = new ReadableStream({ pull: (to) => to.enqueue(part) });
        try { const response = await fetch(event.url, { method: 'POST', body }); return new Response(await response.text()); } catch { return new Response('failed'); }`),
    );
    const { text } = await callScript(open, sending, { url: target.url });
    expect(text.slice(0, 100)).toMatch(/^failed$|larger than/);
  });

  test('sees that a server is unreachable', async () => {
    const closed = await serveOnLoopback(() => {});
    await closed.close();
    expect(await read(open, closed.url)).toEqual(['failed']);
  });

  test('sends a bounded number of requests at once', async () => {
    const flooding = scriptOf(
      handling(`
        let rejected = 0;
        await new Promise((resolve) => {
          for (let at = 0; at < event.count; at++) {
            fetch(event.url).then(({ status }) => {
              rejected += status === 429 ? 1 : 0;
              if (rejected === 3) resolve();
            });
          }
        });`),
    );
    const event = { url: `${target.url}/endless`, count: MAX_SCRIPT_REQUESTS + 3 };
    expect((await callScript(open, flooding, event)).text).toBe('OK');
  });

  test('does not load a body larger than the limit', async () => {
    const sending = scriptOf(
      handling(`
        const body = new Uint8Array(event.bytes);
        try { return await fetch(event.url, { method: 'POST', body }).then((response) => response.text()).then((text) => new Response(text.length)); } catch { return new Response('failed'); }`),
    );
    expect((await callScript(open, sending, { url: target.url, bytes: 20_000_000 })).text).toMatch(
      /^(403|failed)$/,
    );
  });
});
