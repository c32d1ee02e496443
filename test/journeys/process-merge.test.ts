import { expect, test } from 'vitest';
import { type Client, createClient, ok } from '../../client/platform/index.ts';
import {
  branch,
  edit,
  editSpace,
  merge,
  pageInsertion,
  pagesByTitle,
  pageTitled,
  textOf,
  textUpdate,
} from '../support/branches.ts';
import { testEngine } from '../support/engines.ts';
import { useTestPrograms } from '../support/program.ts';

const { serve } = useTestPrograms();

test('concurrent merges of several processes into one space lose no update', async () => {
  const first = await serve();
  // SQLite allows one.
  const second = testEngine() === 'sqlite' ? first : await serve();
  const clients = [first, second].map(({ url }) =>
    createClient({ baseUrl: url, token: first.token, retries: 0 }),
  ) as [Client, Client];
  const [client] = clients;
  const organizationId = (await ok(client.GET('/v1/orgs'))).items[0]?.id ?? '';
  const params = { path: { organizationId } };
  const { id: space } = await ok(client.POST('/v1/orgs/{organizationId}/spaces', { params, body: {} }));
  await editSpace(client, space, pageInsertion('Guide', 'one\n'));
  const guide = await pageTitled(client, 'Guide', space);

  const changes: string[] = [];
  for (let number = 0; number < 8; number++) {
    const { id } = await branch(client, space);
    // Half of them edit the same line.
    const change = number < 4 ? pageInsertion(`Page ${number}`) : textUpdate(guide, `one, says ${number}\n`);
    await edit(client, space, id, change);
    changes.push(id);
  }
  const results = await Promise.all(
    changes.map(async (id, number) => (await merge(clients[number % 2 === 0 ? 0 : 1], space, id)).result),
  );

  expect(results.slice(0, 4)).toEqual(['merge', 'merge', 'merge', 'merge']);
  expect(results.slice(4).sort()).toEqual(['conflicts', 'conflicts', 'conflicts', 'merge']);
  const titles = [...(await pagesByTitle(client, space)).keys()].sort();
  expect(titles).toEqual(['Guide', 'Page 0', 'Page 1', 'Page 2', 'Page 3']);
  const winner = results.indexOf('merge', 4);
  expect(await textOf(client, guide, space)).toBe(`one, says ${winner}\n`);
});
