import { afterAll, describe, expect, test } from 'vitest';
import { callScript, handling, sandboxOf, scriptOf } from './scripts.ts';

const sandbox = sandboxOf();
afterAll(() => sandbox.close());

describe('a script', () => {
  test('is a module whose default export handles requests at the path of the runtime', async () => {
    const script = scriptOf(
      handling(`
        console.log('received %s', event.type, { a: [1] });
        console.warn('careful');
        return Response.json({ url: request.url, method: request.method, headers: [...request.headers.keys()], env }, { status: 406 });
      `),
    );
    const { status, text, logs } = await callScript(sandbox, script, { type: 'task' });
    expect(status).toBe(406);
    expect(JSON.parse(text)).toEqual({
      url: 'http://integration/v1',
      method: 'POST',
      headers: ['connection', 'content-length', 'content-type', 'host'],
      env: {},
    });
    expect(logs).toEqual([
      ['info', 'received task { a: [ 1 ] }'],
      ['warn', 'careful'],
    ]);
  });

  test('can be one that adds a listener', async () => {
    const script = scriptOf(`
      addEventListener('fetch', (event) => event.respondWith(respond(event.request)));
      async function respond(request) { return new Response('heard ' + await request.text()); }
    `);
    expect((await callScript(sandbox, script, 7)).text).toBe('heard 7');
  });
});
