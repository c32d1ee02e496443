import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ok } from '../../../client/platform/index.ts';
import {
  branch,
  edit,
  editSpace,
  merge,
  pageInsertion,
  pagesByTitle,
  pageText,
  pageTitled,
  readChangeRequest,
  requestMerge,
  textUpdate,
} from '../../support/content/branches.ts';
import { createSpace, readSpace } from '../../support/content/imports.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

const client = () => server.admin.client;

const TEXT = 'one\n\ntwo\n\nthree\n\nfour\n\nfive\n';
const [OURS, THEIRS] = [TEXT.replace('three', 'drei'), TEXT.replace('three', 'trois')];

/** Creates a space with one page, and a change request on it. */
async function started() {
  const { id: space } = await createSpace(server);
  await editSpace(client(), space, pageInsertion('Guide', TEXT));
  const page = await pageTitled(client(), 'Guide', space);
  const { id: change } = await branch(client(), space);
  return { space, page, change };
}

const update = (spaceId: string, changeRequestId: string) =>
  client().POST('/v1/spaces/{spaceId}/change-requests/{changeRequestId}/update', {
    params: { path: { spaceId, changeRequestId } },
  });

describe('a merge without conflicts', () => {
  test('creates a revision of the space that records the merge', async () => {
    const { space, page, change } = await started();
    const before = await readSpace(client(), space);
    const { revision: edited } = await edit(client(), space, change, textUpdate(page, OURS));
    expect(await pageText(client(), page, space)).toBe(TEXT);

    const { revision, result } = await merge(client(), space, change);
    expect(result).toBe('merge');
    expect((await readSpace(client(), space)).revision).toBe(revision);
    expect(await pageText(client(), page, space)).toBe(OURS);
    const merged = await readChangeRequest(client(), space, change);
    expect(merged).toMatchObject({
      status: 'merged',
      revision: edited,
      revisionInitial: before.revision,
      revisionMerged: revision,
      outdated: false,
    });
    const content = await ok(
      client().GET('/v1/spaces/{spaceId}/content', { params: { path: { spaceId: space } } }),
    );
    expect(content).toMatchObject({
      id: revision,
      type: 'merge',
      parents: [before.revision, edited],
      mergedFrom: { id: change, status: 'merged' },
    });
  });

  test('keeps the changes of both sides, in one page and in several', async () => {
    const { space, page, change } = await started();
    await edit(client(), space, change, textUpdate(page, TEXT.replace('one', 'eins')), pageInsertion('Ours'));
    await editSpace(client(), space, textUpdate(page, TEXT.replace('five', 'cinq')), pageInsertion('Theirs'));
    expect((await merge(client(), space, change)).result).toBe('merge');
    expect(await pageText(client(), page, space)).toBe(TEXT.replace('one', 'eins').replace('five', 'cinq'));
    expect([...(await pagesByTitle(client(), space)).keys()].sort()).toEqual(['Guide', 'Ours', 'Theirs']);
  });

  test('is possible into a locked space', async () => {
    const { space, page, change } = await started();
    await edit(client(), space, change, textUpdate(page, OURS));
    await ok(
      client().PATCH('/v1/spaces/{spaceId}', {
        params: { path: { spaceId: space } },
        body: { editMode: 'locked' },
      }),
    );
    expect((await merge(client(), space, change)).result).toBe('merge');
  });

  test('reduces the number of open change requests of the space', async () => {
    const { space, change } = await started();
    await merge(client(), space, change);
    // The one that added the page, and this one.
    expect(await readSpace(client(), space)).toMatchObject({ changeRequests: 2, changeRequestsDraft: 0 });
  });
});

describe('a merge with conflicts', () => {
  test('leaves both sides in the change request, and the space unchanged', async () => {
    const { space, page, change } = await started();
    await edit(client(), space, change, textUpdate(page, OURS));
    await editSpace(client(), space, textUpdate(page, THEIRS));
    const before = await readSpace(client(), space);

    const { revision, result } = await merge(client(), space, change);
    expect(result).toBe('conflicts');
    expect(await readSpace(client(), space)).toEqual(before);
    expect(await pageText(client(), page, space, change)).toBe(
      'one\n\ntwo\n\n<<<<<<< change request\ndrei\n=======\ntrois\n>>>>>>> primary content\n\nfour\n\nfive\n',
    );
    expect(await readChangeRequest(client(), space, change)).toMatchObject({
      status: 'draft',
      revision,
      revisionMergedAncestor: before.revision,
      outdated: false,
    });
    expect(await readChangeRequest(client(), space, change)).not.toHaveProperty('revisionMerged');
  });

  test('returns the same result until they are resolved, then merges', async () => {
    const { space, page, change } = await started();
    await edit(client(), space, change, textUpdate(page, OURS));
    await editSpace(client(), space, textUpdate(page, THEIRS));
    const first = await merge(client(), space, change);
    expect(await merge(client(), space, change)).toEqual(first);
    await edit(client(), space, change, textUpdate(page, TEXT.replace('three', 'drei et trois')));
    expect((await merge(client(), space, change)).result).toBe('merge');
    expect(await pageText(client(), page, space)).toBe(TEXT.replace('three', 'drei et trois'));
  });

  test('keeps an edited page that the other side deleted', async () => {
    const { space, page, change } = await started();
    await edit(client(), space, change, textUpdate(page, OURS));
    await editSpace(client(), space, { operation: 'delete_page', page });
    expect((await merge(client(), space, change)).result).toBe('conflicts');
    expect(await pageText(client(), page, space, change)).toContain('drei');
  });
});

describe('an update', () => {
  test('brings the main content into the change request, which is then up to date', async () => {
    const { space, page, change } = await started();
    await edit(client(), space, change, pageInsertion('Ours'));
    await editSpace(client(), space, textUpdate(page, THEIRS));
    expect((await readChangeRequest(client(), space, change)).outdated).toBe(true);

    const { revision, result } = await ok(update(space, change));
    expect(result).toBe('update');
    const updated = await readChangeRequest(client(), space, change);
    expect(updated).toMatchObject({
      revision,
      revisionMergedAncestor: (await readSpace(client(), space)).revision,
      outdated: false,
    });
    expect(await pageText(client(), page, space, change)).toBe(THEIRS);
    expect([...(await pagesByTitle(client(), space, change)).keys()].sort()).toEqual(['Guide', 'Ours']);
    expect([...(await pagesByTitle(client(), space)).keys()]).toEqual(['Guide']);
  });

  test('reports conflicts, which the change request then contains', async () => {
    const { space, page, change } = await started();
    await edit(client(), space, change, textUpdate(page, OURS));
    await editSpace(client(), space, textUpdate(page, THEIRS));
    expect((await ok(update(space, change))).result).toBe('conflicts');
    expect(await pageText(client(), page, space, change)).toContain('<<<<<<< change request\ndrei\n');
    expect((await merge(client(), space, change)).result).toBe('conflicts');
  });

  test('does nothing if the main content has not changed', async () => {
    const { space, change } = await started();
    const before = await readChangeRequest(client(), space, change);
    expect(await ok(update(space, change))).toEqual({ revision: before.revision, result: 'update' });
    expect(await readChangeRequest(client(), space, change)).toEqual(before);
  });
});

describe('a merged change request', () => {
  test('rejects changes, updates, merges and content with 409', async () => {
    const { space, page, change } = await started();
    await merge(client(), space, change);
    const params = { path: { spaceId: space, changeRequestId: change } };
    const responses = [
      await client().PATCH('/v1/spaces/{spaceId}/change-requests/{changeRequestId}', {
        params,
        body: { status: 'open' },
      }),
      await update(space, change),
      await requestMerge(client(), space, change),
      await client().POST('/v1/spaces/{spaceId}/change-requests/{changeRequestId}/content', {
        params,
        body: { changes: [textUpdate(page, OURS)] },
      }),
    ];
    expect(responses.map(({ error }) => error?.reason)).toEqual(Array(4).fill('change_request_merged'));
  });
});

describe('concurrent merges', () => {
  test('lose no compatible change', async () => {
    const { space } = await started();
    const changes = await Promise.all(
      Array.from({ length: 50 }, async (_, number) => {
        const { id } = await branch(client(), space);
        await edit(client(), space, id, pageInsertion(`Page ${number}`));
        return id;
      }),
    );
    const merged = await Promise.all(changes.map((change) => merge(client(), space, change)));
    expect(merged.map(({ result }) => result)).toEqual(changes.map(() => 'merge'));
    const titles = [...(await pagesByTitle(client(), space)).keys()].sort();
    expect(titles).toEqual(['Guide', ...changes.map((_, number) => `Page ${number}`)].sort());
  });

  test('let one of two conflicting ones succeed, and report the conflict to the other', async () => {
    const { space, page } = await started();
    const changes = await Promise.all(
      Array.from({ length: 4 }, async (_, number) => {
        const { id } = await branch(client(), space);
        await edit(client(), space, id, textUpdate(page, TEXT.replace('three', `three ${number}`)));
        return id;
      }),
    );
    const merged = await Promise.all(changes.map((change) => merge(client(), space, change)));
    expect(merged.map(({ result }) => result).sort()).toEqual([
      'conflicts',
      'conflicts',
      'conflicts',
      'merge',
    ]);
    const winner = merged.findIndex(({ result }) => result === 'merge');
    expect(await pageText(client(), page, space)).toBe(TEXT.replace('three', `three ${winner}`));
  });
});

describe('a user who wrote a change request', () => {
  test('finds it as its contributor', async () => {
    const { space, change } = await started();
    const editor = await server.member('Contributor', 'edit');
    await edit(editor.client, space, change, pageInsertion('Theirs'));
    const list = async (contributor: string) =>
      (
        await ok(
          client().GET('/v1/spaces/{spaceId}/change-requests', {
            params: { path: { spaceId: space }, query: { status: 'draft', contributor } },
          }),
        )
      ).items.map(({ id }) => id);
    expect(await list(editor.id)).toEqual([change]);
    expect(await list((await server.person('Bystander')).id)).toEqual([]);
  });
});
