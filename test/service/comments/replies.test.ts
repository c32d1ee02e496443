import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ok } from '../../../client/platform/index.ts';
import type { components } from '../../../generated/schema.d.ts';
import {
  commentBody,
  DISCUSSION_TARGETS,
  Discussion,
  type ListPage,
} from '../../support/content/discussion.ts';
import { isFirstEngine } from '../../support/database/engines.ts';
import { type GitServer, startGitServer } from '../../support/git/git-server.ts';
import { type Person, startTestServer, type TestServer } from '../../support/server.ts';

type Schemas = components['schemas'];

let server: TestServer;
let git: GitServer;
let ada: Person;
let grace: Person;

beforeAll(async () => {
  [server, git] = await Promise.all([startTestServer(), startGitServer()]);
  ada = await server.member('Ada', 'comment');
  grace = await server.member('Grace', 'comment');
});
afterAll(() => Promise.all([server.stop(), git.close()]));

/** The statements that find a target are those of comments, which comments.test.ts tests on both engines. */
const targets = DISCUSSION_TARGETS.filter((target) => isFirstEngine || target === 'change request');

describe.each(targets)('on a %s', (target) => {
  let discussion: Discussion;
  let comment: string;
  beforeEach(async () => {
    discussion = await Discussion.start(server, git, target);
    comment = (await discussion.comment({}, ada)).id;
  });

  describe('a reply', () => {
    test('has the fields of a comment, except for those that only comments have', async () => {
      const reply = await discussion.reply(comment, 'Because.', grace);
      expect(Object.keys(reply).toSorted()).toEqual(
        ['object', 'id', 'postedBy', 'postedAt', 'reactions', 'body', 'urls', 'permissions'].toSorted(),
      );
      expect(reply).toMatchObject({
        object: 'comment-reply',
        postedBy: { id: grace.id },
        body: { markdown: 'Because.' },
        permissions: { view: true, edit: true, delete: true },
      });
      const located = await fetch(reply.urls.location, {
        headers: { Authorization: `Bearer ${grace.token}` },
      });
      expect(await located.json()).toEqual(reply);
    });

    test('counts for its author among those who replied', async () => {
      const other = await discussion.comment();
      await discussion.reply(other.id, 'Elsewhere', ada);
      const [first, second] = [
        await discussion.reply(comment, '1', grace),
        await discussion.reply(comment, '2', ada),
      ];
      const last = await discussion.reply(comment, '3', grace);
      const repliers = async () =>
        (await discussion.read(comment)).repliers
          .map(({ user, count, updatedAt }) => [user.id, count, updatedAt])
          .toSorted();
      expect(await repliers()).toEqual(
        [
          [grace.id, 2, last.postedAt],
          [ada.id, 1, second.postedAt],
        ].toSorted(),
      );
      await discussion.send('DELETE', `/comments/${comment}/replies/${second.id}`);
      await discussion.send('DELETE', `/comments/${comment}/replies/${last.id}`);
      expect(await repliers()).toEqual([[grace.id, 1, first.postedAt]]);
      expect((await discussion.list()).items.map(({ id, repliers }) => [id, repliers.length])).toEqual([
        [other.id, 1],
        [comment, 1],
      ]);
    });

    test('follows the replies before it, and is counted', async () => {
      for (const markdown of ['1', '2', '3']) {
        await discussion.reply(comment, markdown);
      }
      await discussion.reply((await discussion.comment()).id, 'Elsewhere');
      const { items, count } = await discussion.replies(comment);
      expect(count).toBe(3);
      const times = items.map(({ postedAt, id }) => `${postedAt} ${id}`);
      expect(times).toEqual(times.toSorted());
      expect((await discussion.read(comment)).replies).toBe(3);
      await discussion.send('DELETE', `/comments/${comment}/replies/${items[0]?.id}`);
      expect((await discussion.read(comment)).replies).toBe(2);
      expect((await discussion.replies(comment)).items.map(({ id }) => id)).toEqual([
        items[1]?.id,
        items[2]?.id,
      ]);
      expect((await discussion.list()).count).toBe(2);
    });

    test('has a time of its last edit after its text changed', async () => {
      const { id } = await discussion.reply(comment, 'First', grace);
      const path = `/comments/${comment}/replies/${id}`;
      const update = async (body: unknown) =>
        (await discussion.send<Schemas['CommentReply']>('PUT', path, body, grace)).body;
      expect(await update(commentBody('First'))).not.toHaveProperty('editedAt');
      const changed = await update(commentBody('Second'));
      expect(changed).toMatchObject({ body: { markdown: 'Second' }, editedAt: expect.any(String) });
      expect((await discussion.send('GET', path)).body).toMatchObject({ body: { markdown: 'Second' } });
    });

    test.skipIf(target === 'space')('resolves its comment if its author may do so', async () => {
      const { id } = await discussion.reply(comment, 'Done.', grace);
      const path = `/comments/${comment}/replies/${id}`;
      expect((await discussion.send('PUT', path, { resolved: true }, grace)).status).toBe(403);
      expect((await discussion.read(comment)).status).toBe('open');
      expect((await discussion.send('PUT', path, { resolved: true }, ada)).status).toBe(200);
      expect(await discussion.read(comment)).toMatchObject({
        status: 'resolved',
        resolvedBy: { id: ada.id },
      });
      expect((await discussion.send('PUT', path, { resolved: false })).status).toBe(200);
      expect((await discussion.read(comment)).status).toBe('open');
    });

    test.skipIf(target !== 'space')('resolves nothing by default', async () => {
      const { id } = await discussion.reply(comment);
      const path = `/comments/${comment}/replies/${id}`;
      expect((await discussion.send('PUT', path, { resolved: true })).status).toBe(400);
    });
  });

  describe('reactions', () => {
    const emojiOf = (reactions: Schemas['Reaction'][]) =>
      Object.fromEntries(reactions.map(({ emoji, users }) => [emoji, users.map(({ user }) => user.id)]));

    test('are counted once per user, in the order of their creation', async () => {
      await discussion.update(comment, { addedReactions: ['🎉', '🎉'] }, ada);
      await discussion.update(comment, { addedReactions: ['🎉', '👍'] }, grace);
      const { reactions } = await discussion.update(comment, { addedReactions: ['🎉'] }, ada);
      expect(emojiOf(reactions)).toEqual({ '🎉': [ada.id, grace.id], '👍': [grace.id] });
      expect(reactions.map(({ emoji, count }) => [emoji, count])).toEqual([
        ['🎉', 2],
        ['👍', 1],
      ]);
      const [first, second] = reactions[0]?.users.map(({ reactedAt }) => Date.parse(reactedAt)) ?? [];
      expect(first).toBeLessThanOrEqual(second ?? Number.NaN);
      expect((await discussion.list()).items[0]?.reactions).toEqual(reactions);
    });

    test('are removed only by their users', async () => {
      await discussion.update(comment, { addedReactions: ['🎉'] }, ada);
      const updated = await discussion.update(comment, { removedReactions: ['🎉', '👍'] }, grace);
      expect(emojiOf(updated.reactions)).toEqual({ '🎉': [ada.id] });
      const swapped = await discussion.update(
        comment,
        { removedReactions: ['🎉'], addedReactions: ['👀'] },
        ada,
      );
      expect(emojiOf(swapped.reactions)).toEqual({ '👀': [ada.id] });
      expect((await discussion.update(comment, { removedReactions: ['👀'] }, ada)).reactions).toEqual([]);
    });

    test('belong to one comment or reply', async () => {
      const { id } = await discussion.reply(comment);
      const path = `/comments/${comment}/replies/${id}`;
      const { body } = await discussion.send<Schemas['CommentReply']>(
        'PUT',
        path,
        { addedReactions: ['🎉'] },
        ada,
      );
      expect(emojiOf(body.reactions)).toEqual({ '🎉': [ada.id] });
      expect((await discussion.read(comment)).reactions).toEqual([]);
      expect((await discussion.replies(comment)).items[0]?.reactions).toEqual(body.reactions);
    });

    test('can exceed the parameters of one statement', async () => {
      const many = Array.from({ length: 9000 }, (_, index) => `emoji-${index}`);
      expect((await discussion.update(comment, { addedReactions: many }, ada)).reactions).toHaveLength(9000);
      const more = Array.from({ length: 1001 }, (_, at) => `more ${at}`);
      const response = await discussion.send('PUT', `/comments/${comment}`, { addedReactions: more });
      expect(response).toMatchObject({
        status: 400,
        body: { error: { details: [{ path: 'addedReactions' }] } },
      });
      expect((await discussion.read(comment)).reactions).toHaveLength(9000);
      expect((await discussion.update(comment, { removedReactions: many }, ada)).reactions).toEqual([]);
    });

    test('can be as long as the contract allows', async () => {
      const response = await discussion.send('PUT', `/comments/${comment}`, {
        addedReactions: ['x'.repeat(51)],
      });
      expect(response.status).toBe(400);
    });
  });

  describe('commenters', () => {
    const commenters = async () => {
      const { body } = await discussion.send<ListPage<Schemas['Member']>>('GET', '/commenters');
      expect(body.count).toBe(body.items.length);
      return body.items;
    };

    test('are the members who wrote a comment or a reply, each once', async () => {
      expect(await commenters()).toMatchObject([{ object: 'member', id: ada.id, user: { id: ada.id } }]);
      await discussion.comment({}, ada);
      await discussion.reply(comment, 'Well.', grace);
      await discussion.update(comment, { addedReactions: ['👍'] });
      await (await discussion.branch()).comment();
      expect((await commenters()).map(({ id }) => id).toSorted()).toEqual([ada.id, grace.id].toSorted());
    });

    test('are no longer members after they left the organization; their comments remain', async () => {
      const leaving = await server.member(`Leaving-${discussion.spaceId}`, 'comment');
      const { id } = await discussion.comment({}, leaving);
      expect(await commenters()).toHaveLength(2);
      const path = { organizationId: server.organization, userId: leaving.id };
      await ok(
        server.admin.client.DELETE('/v1/orgs/{organizationId}/members/{userId}', { params: { path } }),
      );
      expect((await commenters()).map(({ id }) => id)).toEqual([ada.id]);
      expect((await discussion.read(id)).postedBy.id).toBe(leaving.id);
    });
  });
});

describe('discussions', () => {
  const transfer = (spaceId: string, organization: string) =>
    ok(
      server.admin.client.POST('/v1/spaces/{spaceId}/transfer', {
        params: { path: { spaceId } },
        body: { organization },
      }),
    );

  test.each(DISCUSSION_TARGETS)('on a %s move with the space to another organization', async (target) => {
    const discussion = await Discussion.start(server, git, target);
    const { id } = await discussion.comment({ page: await discussion.page('Sizes') });
    await discussion.update(id, { addedReactions: ['👍'], resolved: true });
    await discussion.reply(id);
    await discussion.change({ 'sizes.md': null });
    const before = await discussion.read(id);
    const { id: other } = await ok(server.admin.client.POST('/v1/orgs', { body: { title: 'Other' } }));
    await transfer(discussion.spaceId, other);
    expect(await discussion.read(id)).toEqual(before);
    expect((await discussion.replies(id)).count).toBe(1);
  });

  test('are not copied with a space, and are hidden while the space is deleted', async () => {
    const discussion = await Discussion.start(server, git, 'space');
    const { id } = await discussion.comment();
    const path = { spaceId: discussion.spaceId };
    const copy = await ok(server.admin.client.POST('/v1/spaces/{spaceId}/duplicate', { params: { path } }));
    const copied = await ok(
      server.admin.client.GET('/v1/spaces/{spaceId}/comments', { params: { path: { spaceId: copy.id } } }),
    );
    expect(copied.count).toBe(0);
    await ok(server.admin.client.DELETE('/v1/spaces/{spaceId}', { params: { path } }));
    expect((await discussion.send('GET', `/comments/${id}`)).status).toBe(404);
    expect((await discussion.send('GET', '/comments')).status).toBe(404);
    expect((await discussion.send('DELETE', `/comments/${id}`)).status).toBe(204);
    await ok(server.admin.client.POST('/v1/spaces/{spaceId}/restore', { params: { path } }));
    expect((await discussion.list()).items).toMatchObject([{ id }]);
  });
});
