import { expect, test } from 'vitest';
import { createClient } from '../../client/index.ts';
import { systemRuntime } from '../../client/runtime.ts';
import { renamePhoto, uploadPhoto } from '../fixtures/photos/generated/functions.ts';
import type { paths } from '../fixtures/photos/generated/schema.d.ts';
import {
  failureOf,
  fakeRuntime,
  type ScriptedServer,
  type Step,
  startScriptedServer,
} from './scripted-server.ts';

const created: Step = { status: 201, body: { id: 'p1' } };
const brokenConnection: Step = (response) => response.destroy();
const body = { file: new Blob(['pixels']) };

const photosOf = (server: ScriptedServer) =>
  createClient<paths>({ baseUrl: server.url, runtime: fakeRuntime() });
const keysOf = ({ received }: ScriptedServer) => received.map(({ headers }) => headers['idempotency-key']);

test('a function whose operation declares an idempotency key sends one, the same for all attempts of a call', async () => {
  await using server = await startScriptedServer({ status: 502 }, brokenConnection, created);
  const client = photosOf(server);
  await uploadPhoto(client, { body });
  await uploadPhoto(client, { body });
  const [first = '', second, third, fourth] = keysOf(server);
  expect(first).toMatch(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
  expect([second, third]).toEqual([first, first]);
  expect(fourth).not.toBe(first);
});

test('the key of the caller is sent instead, in any spelling of the header', async () => {
  await using server = await startScriptedServer({ status: 502 }, created);
  await uploadPhoto(photosOf(server), { header: { 'Idempotency-Key': 'upload-1' }, body });
  expect(keysOf(server)).toEqual(['upload-1', 'upload-1']);
  const header = { 'idempotency-key': 'rename-1', 'If-Match': '"1"' };
  await renamePhoto(photosOf(server), { photoId: 'p1', header, body: { title: 'New' } });
  expect(keysOf(server).at(-1)).toBe('rename-1');
});

test('a call by path with a key is retried, and one without a key is not', async () => {
  await using server = await startScriptedServer({ status: 502 }, created, { status: 502 });
  const client = photosOf(server);
  const upload = { contentType: 'multipart/form-data', body } as const;
  const params = { header: { 'Idempotency-Key': 'upload-1' } };
  expect((await client.POST('/photos', { ...upload, params })).data).toEqual({ id: 'p1' });
  expect(keysOf(server)).toEqual(['upload-1', 'upload-1']);
  // @ts-expect-error: the contract requires the key.
  expect((await client.POST('/photos', upload)).error?.status).toBe(502);
  expect(keysOf(server)).toHaveLength(3);
});

test('a hook cannot replace the key of an attempt', async () => {
  await using server = await startScriptedServer({ status: 502 }, created);
  const client = createClient<paths>({
    baseUrl: server.url,
    runtime: fakeRuntime(),
    hooks: { onRequest: ({ headers, attempt }) => headers.set('Idempotency-Key', `hook-${attempt}`) },
  });
  await uploadPhoto(client, { header: { 'Idempotency-Key': 'upload-1' }, body });
  expect(keysOf(server)).toEqual(['upload-1', 'upload-1']);
});

test('a write that continues to fail is retried as often as the options allow', async () => {
  await using server = await startScriptedServer(brokenConnection);
  expect(await failureOf(uploadPhoto(photosOf(server), { body }, { retries: 1 }))).toMatchObject({
    kind: 'network',
  });
  expect(server.received).toHaveLength(2);
});

test('generated identifiers are random UUIDs, without the functions that only secure pages have', () => {
  const { randomUUID } = crypto;
  Object.defineProperty(crypto, 'randomUUID', { value: undefined, configurable: true });
  try {
    const ids = Array.from({ length: 100 }, () => systemRuntime.uuid());
    expect(new Set(ids).size).toBe(100);
    for (const id of ids) {
      expect(id).toMatch(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
    }
  } finally {
    Object.defineProperty(crypto, 'randomUUID', { value: randomUUID, configurable: true, writable: true });
  }
});
