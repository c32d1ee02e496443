import { describe, expect, test } from 'vitest';
import { ok, type RetryOptions } from '../../client/index.ts';
import { clientOf, failureOf, type Step, startScriptedServer, toldTime } from './scripted-server.ts';

const good: Step = { status: 200, body: { items: [] } };
const broken: Step = (response) => response.destroy();
const turnedAway: Step = { status: 429, headers: { 'retry-after': '7' } };
const space = { params: { path: { spaceId: 's' } } };
const newSpace = { params: { path: { organizationId: 'o' } }, body: { title: 'New' } };

/** Calls a server of these steps once, and tells how it ended and how long the client waited. */
async function run(
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
  steps: [Step, ...Step[]],
  retries?: RetryOptions,
) {
  await using server = await startScriptedServer(...steps);
  const runtime = toldTime(600_000);
  const client = clientOf(server, { runtime, timeout: 600_000, ...(retries ? { retries } : {}) });
  const calls = {
    GET: () => client.GET('/v1/orgs'),
    POST: () => client.POST('/v1/orgs/{organizationId}/spaces', newSpace),
    PUT: () => client.PUT('/v1/orgs/{organizationId}/teams', newSpace),
    PATCH: () => client.PATCH('/v1/spaces/{spaceId}', { ...space, body: { title: 'New' } }),
    DELETE: () => client.DELETE('/v1/spaces/{spaceId}', space),
  };
  const outcome = await calls[method]().then(
    ({ response }) => response.status,
    (error: { kind: string }) => error.kind,
  );
  return {
    outcome,
    waits: runtime.waits,
    bodies: server.received.map(({ body }) => body),
    tries: server.received.length,
  };
}

describe('what is tried again', () => {
  test.each(['GET', 'PUT', 'DELETE'] as const)(
    '%s after a broken connection, 502, 503 and 504',
    async (method) => {
      for (const step of [broken, { status: 502 }, { status: 503 }, { status: 504 }, { status: 429 }]) {
        expect(await run(method, [step, good])).toMatchObject({ outcome: 200, tries: 2 });
      }
    },
  );

  test.each(['POST', 'PATCH'] as const)('not %s, which may have taken effect', async (method) => {
    expect(await run(method, [broken, good])).toMatchObject({ outcome: 'network', tries: 1 });
    for (const status of [429, 502, 503, 504]) {
      expect(await run(method, [{ status }, good])).toMatchObject({ outcome: status, tries: 1 });
    }
  });

  test.each(['GET', 'POST', 'PATCH'] as const)('%s after 429 and 503 with Retry-After', async (method) => {
    expect(await run(method, [turnedAway, good])).toMatchObject({ outcome: 200, waits: [7_000] });
    const unavailable = { status: 503, headers: { 'retry-after': '7' } };
    expect(await run(method, [unavailable, good])).toMatchObject({ outcome: 200, waits: [7_000] });
  });

  test.each([400, 401, 403, 404, 409, 500, 501])('not a GET after %i', async (status) => {
    expect(await run('GET', [{ status }, good])).toMatchObject({ outcome: status, tries: 1 });
  });

  test('an attempt that takes too long, when the method is idempotent', async () => {
    await using server = await startScriptedServer(() => {}, good);
    const client = clientOf(server, { timeout: 100, runtime: { ...toldTime(), after: afterReally } });
    expect(await ok(client.GET('/v1/orgs'))).toEqual({ items: [] });
    expect(server.received).toHaveLength(2);
  });

  test('with the same body each time', async () => {
    const { bodies } = await run('POST', [turnedAway, turnedAway, good]);
    expect(bodies).toEqual(Array(3).fill('{"title":"New"}'));
  });
});

describe('how patiently', () => {
  test('twice by default, waiting longer each time', async () => {
    expect(await run('GET', [{ status: 502 }])).toMatchObject({ outcome: 502, tries: 3, waits: [125, 250] });
  });

  test('as often and as long as told', async () => {
    const retries = { limit: 4, delay: 100, maxDelay: 300 };
    expect(await run('GET', [broken], retries)).toMatchObject({
      outcome: 'network',
      tries: 5,
      waits: [50, 100, 150, 150],
    });
    expect(await run('GET', [broken], { limit: 0 })).toMatchObject({ outcome: 'network', tries: 1 });
  });

  test('with jitter up to the whole back-off', async () => {
    await using server = await startScriptedServer({ status: 502 }, turnedAway, good);
    const runtime = toldTime(60_000, Date.now(), 0.5);
    await clientOf(server, { runtime, timeout: 60_000 }).GET('/v1/orgs');
    expect(runtime.waits).toEqual([250 * 0.75, 7_000 + 250 * 0.5]);
  });

  test('until the date of Retry-After', async () => {
    const at = (seconds: number) => new Date(Date.UTC(2030, 0, 1) + seconds * 1000).toUTCString();
    expect((await run('POST', [{ status: 503, headers: { 'retry-after': at(12) } }, good])).waits).toEqual([
      12_000,
    ]);
    expect((await run('POST', [{ status: 503, headers: { 'retry-after': at(-12) } }, good])).waits).toEqual([
      0,
    ]);
  });

  test('but not for longer than the cap: the answer is handed over at once', async () => {
    const step = { status: 429, headers: { 'retry-after': '61' } };
    expect(await run('GET', [step, good])).toMatchObject({ outcome: 429, tries: 1, waits: [] });
    expect(await run('GET', [step, good], { maxRetryAfter: 61_000 })).toMatchObject({ outcome: 200 });
  });

  test.each(['soon', '-5', '1.5'])('by its own back-off when Retry-After is %j', async (header) => {
    const step = { status: 503, headers: { 'retry-after': header } };
    expect(await run('GET', [step, good])).toMatchObject({ outcome: 200, waits: [125] });
    expect(await run('POST', [step, good])).toMatchObject({ outcome: 503, tries: 1 });
  });

  test('as one call says, whatever the client says', async () => {
    await using server = await startScriptedServer({ status: 502 });
    await failureOf(ok(clientOf(server).GET('/v1/orgs', { retries: 0 })));
    expect(server.received).toHaveLength(1);
  });
});

/** Real time for the attempt's limit, none for the back-off. */
function afterReally(milliseconds: number, run: () => void): () => void {
  const timer = setTimeout(run, milliseconds >= 100 && milliseconds !== 125 ? milliseconds : 0);
  return () => clearTimeout(timer);
}
