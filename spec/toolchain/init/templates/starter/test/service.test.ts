import { paginate } from '@colophon/toolkit/client';
import { expect, test } from 'vitest';
import { createTask, deleteTask, getTask, updateTask } from '../generated/functions.ts';
import { startService } from './start-service.ts';

test('creates, updates and deletes a task', async () => {
  const client = await startService();
  const created = await createTask(client, { body: { title: 'Write the contract', dueDate: '2030-01-31' } });
  expect(created).toMatchObject({ title: 'Write the contract', status: 'open', dueDate: '2030-01-31' });

  const taskId = created.id;
  const updated = await updateTask(client, { taskId, body: { status: 'done', dueDate: null } });
  expect(updated).toMatchObject({ title: 'Write the contract', status: 'done' });
  expect(updated).not.toHaveProperty('dueDate');
  expect(await getTask(client, { taskId })).toEqual(updated);

  await deleteTask(client, { taskId });
  const { error } = await client.GET('/tasks/{taskId}', { params: { path: { taskId } } });
  expect(error).toMatchObject({ status: 404, reason: 'not_found' });
});

test('lists tasks page by page, and by status', async () => {
  const client = await startService();
  for (const title of ['First', 'Second', 'Third']) {
    await createTask(client, { body: { title } });
  }
  const titles: string[] = [];
  for await (const { title } of paginate(client, '/tasks', { params: { query: { limit: 2 } } })) {
    titles.push(title);
  }
  expect(titles).toEqual(['First', 'Second', 'Third']);
  const done = await client.GET('/tasks', { params: { query: { status: 'done' } } });
  expect(done.data?.items).toEqual([]);
});

test('rejects a task that the contract does not allow', async () => {
  const client = await startService();
  // @ts-expect-error: the title is required
  const { error } = await client.POST('/tasks', { body: { dueDate: 'tomorrow' } });
  expect(error?.status).toBe(400);
  expect(error?.details.map(({ path }) => path).sort()).toEqual(['dueDate', 'title']);
});
