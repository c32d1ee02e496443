import { expect, test } from 'vitest';
import {
  ApiError,
  createSpace,
  deleteSpace,
  listOrganizations,
  searchSpace,
} from '../../client/platform/index.ts';
import { clientOf, failureOf, startScriptedServer } from './scripted-server.ts';

test('a generated function sends its input as path, query and body', async () => {
  await using server = await startScriptedServer({ status: 200, body: { id: 'spc_1' } });
  const client = clientOf(server);
  const created = await createSpace(client, { organizationId: 'org/1', body: { title: 'Guide' } });
  expect(created.id).toBe('spc_1');
  await searchSpace(client, { spaceId: 's', query: 'C# & more', limit: 5, page: undefined });
  await listOrganizations(client);
  expect(server.received.map(({ method, url, body }) => [method, url, body])).toEqual([
    ['POST', '/v1/orgs/org%2F1/spaces', '{"title":"Guide"}'],
    ['GET', '/v1/spaces/s/search?query=C%23%20%26%20more&limit=5', ''],
    ['GET', '/v1/orgs', ''],
  ]);
});

test('a generated function has the options of every call, and throws its errors', async () => {
  await using server = await startScriptedServer(
    { status: 204 },
    { status: 409, body: { error: { message: 'Locked.', reason: 'space_locked' } } },
  );
  const client = clientOf(server);
  const options = { headers: { 'x-trace': 'abc' } };
  expect(await deleteSpace(client, { spaceId: 's' }, options)).toBeUndefined();
  expect(server.received[0]?.headers['x-trace']).toBe('abc');
  const failure = await failureOf(deleteSpace(client, { spaceId: 's' }));
  expect(failure).toBeInstanceOf(ApiError);
  expect(failure).toMatchObject({ status: 409, reason: 'space_locked', message: 'Locked.' });
  expect(await failureOf(deleteSpace(client, { spaceId: '' }))).toMatchObject({ kind: 'request' });
});

test('parameters of a nested location are in a property of the input', async () => {
  await using server = await startScriptedServer({ status: 200, body: {} });
  const input = { id: 'a', query: { id: 'b' }, header: { 'If-Match': '"1"' }, body: { id: 'c' } };
  await clientOf(server).call('PUT', '/items/{id}', input, undefined, { nested: ['query', 'header'] });
  expect(server.received[0]).toMatchObject({
    method: 'PUT',
    url: '/items/a?id=b',
    headers: { 'if-match': '"1"' },
    body: '{"id":"c"}',
  });
});
