import { join } from 'node:path';
import { build } from 'esbuild';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type * as ClientModule from '../../../client/platform/index.ts';
import { type ScriptedServer, type Step, startScriptedServer } from '../../client/scripted-server.ts';
import { launchBrowser } from '../../support/browser/browser.ts';
import { runsInBrowser } from '../../support/browser/find-browser.ts';

// The client as a page loads it: bundled, in a real browser, calling a server of another origin.

let browser: Browser;
let site: ScriptedServer;

beforeAll(async () => {
  const bundle = await build({
    entryPoints: [join(import.meta.dirname, '../../../client/platform/index.ts')],
    bundle: true,
    format: 'esm',
    platform: 'browser',
    write: false,
  });
  site = await startScriptedServer((response, { url }) => {
    const script = url === '/client.js';
    response.setHeader('content-type', script ? 'text/javascript' : 'text/html');
    response.end(script ? bundle.outputFiles[0]?.text : '<!doctype html><title>Page</title>');
  });
  browser = await launchBrowser();
});

afterAll(async () => {
  await browser.close();
  await site[Symbol.asyncDispose]();
});

/** Responds in order, like a script, except to preflight requests. */
function acrossOrigins(...responses: Exclude<Step, (...args: never) => unknown>[]): Step {
  return (response, { method }) => {
    response.setHeader('access-control-allow-origin', '*');
    response.setHeader('access-control-allow-headers', 'authorization, content-type');
    response.setHeader('access-control-allow-methods', 'GET, POST');
    response.setHeader('access-control-expose-headers', 'Retry-After');
    response.setHeader('access-control-max-age', '600');
    if (method === 'OPTIONS') {
      response.writeHead(204).end();
      return;
    }
    const reply = responses.shift() ?? { status: 500 };
    response.writeHead(reply.status, reply.headers).end(JSON.stringify(reply.body));
  };
}

/** Runs a function in a page that has the client. */
async function inPage<Outcome>(
  run: (client: typeof ClientModule, baseUrl: string) => Promise<Outcome>,
  baseUrl: string,
) {
  const page = await browser.newPage();
  await page.goto(site.url);
  // The function is serialized: its dependencies must be arguments.
  return page.evaluate(
    `import('/client.js').then((client) => (${run})(client, ${JSON.stringify(baseUrl)}))`,
  ) as Promise<Outcome>;
}

test.runIf(runsInBrowser)('iterates over a list, and retries a rejected write with its body', async () => {
  await using api = await startScriptedServer(
    acrossOrigins(
      { status: 200, body: { items: [{ id: 'a' }, { id: 'b' }] } },
      { status: 429, headers: { 'retry-after': '0' }, body: {} },
      { status: 201, body: { id: 'new' } },
    ),
  );
  const outcome = await inPage(async ({ createClient, ok, paginate }, baseUrl) => {
    const client = createClient({ baseUrl, token: 'clp_page' });
    const ids: string[] = [];
    for await (const { id } of paginate(client, '/v1/orgs')) {
      ids.push(id);
    }
    const params = { path: { organizationId: 'o' } };
    const space = await ok(
      client.POST('/v1/orgs/{organizationId}/spaces', { params, body: { title: 'New' } }),
    );
    return { ids, space: space.id };
  }, api.url);
  expect(outcome).toEqual({ ids: ['a', 'b'], space: 'new' });
  const calls = api.received.filter(({ method }) => method !== 'OPTIONS');
  expect(calls.map(({ method, body }) => `${method} ${body}`)).toEqual([
    'GET ',
    'POST {"title":"New"}',
    'POST {"title":"New"}',
  ]);
  expect(calls.every(({ headers }) => headers.authorization === 'Bearer clp_page')).toBe(true);
});

test.runIf(runsInBrowser)('distinguishes errors, timeouts, aborts and lost connections', async () => {
  await using refusing = await startScriptedServer(
    acrossOrigins({ status: 404, body: { error: { message: 'Gone.' } } }),
  );
  await using silent = await startScriptedServer(() => {});
  const describeError = async ({ ApiError, createClient, ok }: typeof ClientModule, address: string) => {
    const [refusing = '', silent = ''] = address.split(' ');
    const kindOf = async (call: Promise<unknown>) =>
      call.then(String, (error: unknown) =>
        error instanceof ApiError ? `${error.kind} ${error.status}` : String(error),
      );
    const quiet = createClient({ baseUrl: silent, timeout: 100, retries: 0 });
    const signal = AbortSignal.abort();
    return [
      await kindOf(ok(createClient({ baseUrl: refusing }).GET('/v1/orgs'))),
      await kindOf(quiet.GET('/v1/orgs')),
      await kindOf(quiet.GET('/v1/orgs', { signal })),
      await kindOf(createClient({ baseUrl: 'http://127.0.0.1:1', retries: 0 }).GET('/v1/orgs')),
    ];
  };
  expect(await inPage(describeError, `${refusing.url} ${silent.url}`)).toEqual([
    'http 404',
    'timeout undefined',
    'aborted undefined',
    'network undefined',
  ]);
});
