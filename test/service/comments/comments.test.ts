import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { commentBody, DISCUSSION_TARGETS, Discussion } from '../../support/content/discussion.ts';
import { type GitServer, startGitServer } from '../../support/git/git-server.ts';
import { type Person, startTestServer, type TestServer } from '../../support/server.ts';

let server: TestServer;
let git: GitServer;
let [commenter, editor, reader, owner]: Person[] = [];

beforeAll(async () => {
  [server, git] = await Promise.all([startTestServer(), startGitServer()]);
  commenter = await server.member('Commenter', 'comment');
  editor = await server.member('Editor', 'edit');
  reader = await server.member('Reader', 'read');
  owner = await server.member('Owner', 'admin');
});
afterAll(() => Promise.all([server.stop(), git.close()]));

const idsOf = ({ items }: { items: { id: string }[] }) => items.map(({ id }) => id);

describe.each(DISCUSSION_TARGETS)('a comment on a %s', (target) => {
  let discussion: Discussion;
  beforeEach(async () => {
    discussion = await Discussion.start(server, git, target);
  });

  test('is open, and has its author, subject and revision', async () => {
    const created = await discussion.comment(commentBody('Is *this* still so?'), commenter);
    expect(created).toMatchObject({
      object: 'comment',
      status: 'open',
      postedBy: { object: 'user', id: commenter?.id },
      body: { markdown: 'Is *this* still so?' },
      reactions: [],
      replies: 0,
      repliers: [],
      permissions: { view: true, edit: true, reply: true, delete: true },
    });
    expect(created.target).toEqual({
      space: discussion.spaceId,
      revision: (await discussion.readTarget()).revision,
      ...(discussion.changeRequestId !== undefined && { changeRequest: discussion.changeRequestId }),
    });
    expect(created).not.toHaveProperty('editedAt');
    expect(created).not.toHaveProperty('resolvedAt');
    expect(created.urls.location.endsWith(`/comments/${created.id}`)).toBe(true);
    expect(await discussion.read(created.id, '', commenter)).toEqual(created);
    const located = await fetch(created.urls.location, {
      headers: { Authorization: `Bearer ${commenter?.token}` },
    });
    expect(await located.json()).toEqual(created);
  });

  test('is returned as a document on request', async () => {
    const { id } = await discussion.comment(commentBody('Is *this* so?'));
    const { id: reply } = await discussion.reply(id, 'Yes.');
    const { body } = await discussion.read(id, '?format=document');
    expect(body).toMatchObject({ document: { object: 'document', nodes: [{ type: 'paragraph' }] } });
    expect(body).not.toHaveProperty('markdown');
    expect((await discussion.read(id, '?format=markdown')).body).toEqual({ markdown: 'Is *this* so?' });
    expect((await discussion.list('?format=document')).items).toMatchObject([{ body }]);
    for (const path of [`/comments/${id}/replies/${reply}`, `/comments/${id}/replies`]) {
      const response = await discussion.send('GET', `${path}?format=document`);
      expect(JSON.stringify(response.body)).toContain('"body":{"document":{');
    }
  });

  test('can be resolved and reopened, and keeps who resolved it first', async () => {
    const { id } = await discussion.comment({}, commenter);
    const settled = await discussion.update(id, { resolved: true }, editor);
    expect(settled).toMatchObject({ status: 'resolved', resolvedBy: { id: editor?.id } });
    expect(await discussion.update(id, { resolved: true }, commenter)).toMatchObject({
      resolvedBy: { id: editor?.id },
      ...('resolvedAt' in settled && { resolvedAt: settled.resolvedAt }),
    });
    const opened = await discussion.update(id, { resolved: false }, commenter);
    expect(opened.status).toBe('open');
    expect(opened).not.toHaveProperty('resolvedBy');
    expect(opened).not.toHaveProperty('resolvedAt');
    expect(opened).not.toHaveProperty('editedAt');
  });

  test('can be resolved only by its author and by editors', async () => {
    const outsider = await server.member(`Other-${discussion.spaceId}-${target}`, 'comment');
    const { id } = await discussion.comment({}, commenter);
    expect((await discussion.send('PUT', `/comments/${id}`, { resolved: true }, outsider)).status).toBe(403);
    expect((await discussion.read(id)).status).toBe('open');
    expect((await discussion.update(id, { resolved: true }, commenter)).status).toBe('resolved');
  });

  test('has a time of its last edit only after its text changed', async () => {
    const { id, postedAt } = await discussion.comment(commentBody('First'));
    expect(await discussion.update(id, commentBody('First'))).not.toHaveProperty('editedAt');
    expect(await discussion.update(id, { addedReactions: ['👍'] })).not.toHaveProperty('editedAt');
    const changed = await discussion.update(id, commentBody('Second'));
    expect(changed.body).toEqual({ markdown: 'Second' });
    expect(Date.parse(changed.editedAt ?? '')).toBeGreaterThanOrEqual(Date.parse(postedAt));
    expect(await discussion.read(id)).toEqual(changed);
  });

  test('can be changed and deleted only by its author and by admins, as its permissions state', async () => {
    const { id } = await discussion.comment({}, commenter);
    const { id: reply } = await discussion.reply(id, 'Well.', commenter);
    const people = { commenter, editor, reader, owner, admin: server.admin };
    for (const path of [`/comments/${id}`, `/comments/${id}/replies/${reply}`]) {
      const allowed: string[] = [];
      for (const [name, person] of Object.entries(people)) {
        const { body } = await discussion.send<{ permissions: Record<string, boolean> }>(
          'GET',
          path,
          undefined,
          person,
        );
        const { status } = await discussion.send('PUT', path, commentBody(`By ${name}`), person);
        expect(status === 200, name).toBe(body.permissions.edit);
        expect(body.permissions.delete, name).toBe(body.permissions.edit);
        expect(body.permissions.view).toBe(true);
        if (status === 200) {
          allowed.push(name);
        } else {
          expect((await discussion.send('DELETE', path, undefined, person)).status).toBe(403);
        }
      }
      expect(allowed).toEqual(['commenter', 'owner', 'admin']);
    }
    const canReply = await Promise.all(
      [reader, commenter, editor].map(
        async (item) => (await discussion.read(id, '', item)).permissions.reply,
      ),
    );
    expect(canReply).toEqual([false, true, true]);
  });

  test('remains unchanged if a part of a change is rejected', async () => {
    const { id } = await discussion.comment(commentBody('As it was'), commenter);
    const all = { ...commentBody('Changed'), resolved: true, addedReactions: ['👍'] };
    expect((await discussion.send('PUT', `/comments/${id}`, all, editor)).status).toBe(403);
    expect(await discussion.read(id)).toMatchObject({
      status: 'open',
      body: { markdown: 'As it was' },
      reactions: [],
    });
  });

  test('is deleted permanently with its replies', async () => {
    const { id } = await discussion.comment({}, commenter);
    const { id: reply } = await discussion.reply(id);
    expect((await discussion.send('DELETE', `/comments/${id}`, undefined, commenter)).status).toBe(204);
    expect((await discussion.send('DELETE', `/comments/${id}`, undefined, commenter)).status).toBe(204);
    expect((await discussion.send('GET', `/comments/${id}`)).status).toBe(404);
    expect((await discussion.send('GET', `/comments/${id}/replies/${reply}`)).status).toBe(404);
    expect(await discussion.list()).toEqual({ items: [], count: 0 });
    const left = await server.database.query
      .selectFrom('comments')
      .select('id')
      .where('id', '=', reply)
      .execute();
    expect(left).toEqual([]);
  });

  test('exists only where it was created', async () => {
    const { id } = await discussion.comment();
    const { id: reply } = await discussion.reply(id);
    const { id: other } = await discussion.comment();
    const otherDiscussions = [await Discussion.start(server, git, 'space'), await discussion.branch()];
    for (const other of otherDiscussions) {
      expect((await other.list()).count).toBe(0);
      for (const path of [`/comments/${id}`, `/comments/${id}/replies`, `/comments/${id}/replies/${reply}`]) {
        expect((await other.send('GET', path)).status).toBe(404);
      }
      expect((await other.send('PUT', `/comments/${id}`, { resolved: true })).status).toBe(404);
      expect((await other.send('DELETE', `/comments/${id}`)).status).toBe(204);
    }
    for (const path of [`/comments/${other}/replies/${reply}`, `/comments/${reply}`]) {
      expect((await discussion.send('GET', path)).status).toBe(404);
      expect((await discussion.send('PUT', path, commentBody('Forged'))).status).toBe(404);
      expect((await discussion.send('DELETE', path)).status).toBe(204);
    }
    expect((await discussion.send('POST', `/comments/${reply}/replies`, commentBody('Deeper'))).status).toBe(
      404,
    );
    expect((await discussion.replies(id)).items).toMatchObject([{ id: reply, body: { markdown: 'Well.' } }]);
  });
});

describe.each(DISCUSSION_TARGETS)('the comments on a %s', (target) => {
  let discussion: Discussion;
  beforeEach(async () => {
    discussion = await Discussion.start(server, git, target);
  });

  test('are listed from newest to oldest, or in reverse', async () => {
    const ids: string[] = [];
    for (const markdown of ['1', '2', '3', '4']) {
      ids.push((await discussion.comment(commentBody(markdown))).id);
    }
    const times = (await discussion.list('?order=asc')).items.map(({ postedAt, id }) => `${postedAt} ${id}`);
    expect(times).toEqual(times.toSorted());
    expect(idsOf(await discussion.list('?order=asc')).toSorted()).toEqual(ids.toSorted());
    expect(idsOf(await discussion.list())).toEqual(idsOf(await discussion.list('?order=asc')).reverse());
    expect(idsOf(await discussion.list('?order=desc'))).toEqual(idsOf(await discussion.list()));
  });

  test('can be filtered by status, page and author', async () => {
    const page = await discussion.page('Sizes');
    const settled = await discussion.comment({ page }, commenter);
    await discussion.update(settled.id, { resolved: true });
    const open = await discussion.comment({ page: await discussion.page('Welcome') }, editor);
    const general = await discussion.comment();
    await discussion.reply(general.id, 'A reply is no comment.', commenter);
    const found = async (query: string) => {
      const { items, count } = await discussion.list(`?order=asc&${query}`);
      expect(count).toBe(items.length);
      return new Set(idsOf({ items }));
    };
    expect(await found('')).toEqual(new Set([settled.id, open.id, general.id]));
    expect(await found('status=all')).toEqual(new Set([settled.id, open.id, general.id]));
    expect(await found('status=open')).toEqual(new Set([open.id, general.id]));
    expect(await found('status=resolved')).toEqual(new Set([settled.id]));
    expect(await found(`targetPage=${page}`)).toEqual(new Set([settled.id]));
    expect(await found('targetPage=page_unknown')).toEqual(new Set());
    expect(await found(`authors=${commenter?.id}`)).toEqual(new Set([settled.id]));
    const both = `authors=${commenter?.id}&authors=${editor?.id}`;
    expect(await found(both)).toEqual(new Set([settled.id, open.id]));
    expect(await found(`${both}&status=open`)).toEqual(new Set([open.id]));
  });

  test('are paginated with the same filter to the end', async () => {
    for (const markdown of ['1', '2', '3']) {
      await discussion.comment(commentBody(markdown), commenter);
    }
    await discussion.comment({}, editor);
    const query = `?limit=2&authors=${commenter?.id}`;
    const first = await discussion.list(query);
    expect(first).toMatchObject({ count: 3, items: [{}, {}] });
    const second = await discussion.list(`${query}&page=${first.next?.page}`);
    expect(second.items).toHaveLength(1);
    expect(second.next).toBeUndefined();
    const other = await discussion.send('GET', `/comments?limit=2&page=${first.next?.page}`);
    expect(other.status).toBe(400);
  });

  test('are counted while they are open', async () => {
    const [first] = [await discussion.comment(), await discussion.comment()];
    await discussion.reply(first.id);
    await (await discussion.branch()).comment();
    expect((await discussion.readTarget()).comments).toBe(2);
    await discussion.update(first.id, { resolved: true });
    expect((await discussion.readTarget()).comments).toBe(1);
    await discussion.update(first.id, { resolved: false });
    await discussion.send('DELETE', `/comments/${first.id}`);
    expect((await discussion.readTarget()).comments).toBe(1);
  });
});
