import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ok } from '../../../client/platform/index.ts';
import type { components } from '../../../generated/schema.d.ts';
import { MAX_REQUESTED_REVIEWERS, MAX_REVIEWS } from '../../../server/platform/content/reviews/rules.ts';
import { createSpace } from '../../support/content/imports.ts';
import { fill, idOf, TIME } from '../../support/large/fill-table.ts';
import { type Person, startTestServer, type TestServer } from '../../support/server.ts';

type Schemas = components['schemas'];

const PATH = '/v1/spaces/{spaceId}/change-requests/{changeRequestId}';

let server: TestServer;
let [reviewer, editor, reader, guest]: Person[] = [];

beforeAll(async () => {
  server = await startTestServer();
  reviewer = await server.member('Reviewer', 'review');
  editor = await server.member('Editor', 'edit');
  reader = await server.member('Reader', 'read');
  guest = await server.member('Guest', null);
});
afterAll(() => server.stop());

/** A change request, and calls about its reviews. */
class Reviewed {
  readonly path: { spaceId: string; changeRequestId: string };

  constructor(path: { spaceId: string; changeRequestId: string }) {
    this.path = path;
  }

  static async create(as: Person = server.admin, spaceId?: string): Promise<Reviewed> {
    const space = spaceId ?? (await createSpace(server)).id;
    const params = { path: { spaceId: space } };
    const { id } = await ok(as.client.POST('/v1/spaces/{spaceId}/change-requests', { params, body: {} }));
    return new Reviewed({ spaceId: space, changeRequestId: id });
  }

  get #params() {
    return { params: { path: this.path } };
  }

  send(as: Person | undefined, status: Schemas['ReviewStatus'], markdown?: string) {
    const body = { status, ...(markdown !== undefined && { comment: { markdown } }) };
    return (as ?? server.admin).client.POST(`${PATH}/reviews`, { ...this.#params, body });
  }

  async review(as: Person | undefined, status: Schemas['ReviewStatus'], markdown?: string) {
    return await ok(this.send(as, status, markdown));
  }

  async reviews(query: { outdated?: boolean; format?: 'document' } = {}) {
    const params = { path: this.path, query };
    return (await ok(server.admin.client.GET(`${PATH}/reviews`, { params }))).items;
  }

  sendRequest(as: Person | undefined, users: Array<string | undefined>, subject?: string) {
    const body = { users: users.map((id) => id ?? ''), ...(subject !== undefined && { subject }) };
    return (as ?? server.admin).client.POST(`${PATH}/requested-reviewers`, { ...this.#params, body });
  }

  async request(as: Person | undefined, ...people: Array<Person | undefined>) {
    return (
      await ok(
        this.sendRequest(
          as,
          people.map((person) => person?.id),
        ),
      )
    ).users;
  }

  async requested(): Promise<string[]> {
    const { items } = await ok(server.admin.client.GET(`${PATH}/requested-reviewers`, this.#params));
    return items.map(({ user }) => user.id);
  }

  async remove(as: Person | undefined, person: Person | undefined): Promise<number> {
    const params = { path: { ...this.path, userId: person?.id ?? '' } };
    const { response } = await (as ?? server.admin).client.DELETE(`${PATH}/requested-reviewers/{userId}`, {
      params,
    });
    return response.status;
  }

  async read(): Promise<Schemas['ChangeRequest']> {
    return await ok(server.admin.client.GET(PATH, this.#params));
  }

  async edit(): Promise<string> {
    const body = { changes: [{ operation: 'insert_page' as const, document: { markdown: 'New.' } }] };
    return (await ok(server.admin.client.POST(`${PATH}/content`, { ...this.#params, body }))).revision;
  }

  async setStatus(status: 'open' | 'archived') {
    await ok(server.admin.client.PATCH(PATH, { ...this.#params, body: { status } }));
  }

  async merge() {
    await ok(server.admin.client.POST(`${PATH}/merge`, this.#params));
  }
}

const failure = async (
  call: Promise<{ response: Response; error?: { reason?: string | undefined } | undefined }>,
) => {
  const { response, error } = await call;
  return { status: response.status, reason: error?.reason };
};

describe('a review', () => {
  test('has its reviewer, decision, revision and comment, and an address', async () => {
    const change = await Reviewed.create();
    const revision = await change.edit();
    const { data: review, response } = await change.send(
      reviewer,
      'changes-requested',
      'Name the *default*.',
    );
    expect(response.status).toBe(201);
    expect(response.headers.get('location')).toBe(review?.urls.location);
    expect(review).toMatchObject({
      object: 'change-request-review',
      revision,
      reviewer: { id: reviewer?.id },
      status: 'changes-requested',
      outdated: false,
      comment: { body: { markdown: 'Name the *default*.' }, postedBy: { id: reviewer?.id } },
    });
    expect(review).not.toHaveProperty('requestedBy');
    expect(await change.reviews()).toEqual([{ ...review, comment: expect.anything() }]);
    const located = await fetch(review?.urls.location ?? '', {
      headers: { Authorization: `Bearer ${reviewer?.token}` },
    });
    expect(await located.json()).toEqual(review);
  });

  test('has a comment of the change request, which names the review', async () => {
    const change = await Reviewed.create();
    const review = await change.review(reviewer, 'approved', 'Clear.');
    await change.review(server.admin, 'approved');
    const params = { path: change.path };
    const comments = await ok(server.admin.client.GET(`${PATH}/comments`, { params }));
    expect(comments.items).toMatchObject([
      { id: review.comment?.id, target: { review: review.id, changeRequest: change.path.changeRequestId } },
    ]);
    expect((await change.read()).comments).toBe(1);
    const [asDocument, withoutComment] = await change.reviews({ format: 'document' });
    expect(asDocument?.comment?.body).toMatchObject({ document: { nodes: [{ type: 'paragraph' }] } });
    expect(withoutComment).not.toHaveProperty('comment');
    const comment = { path: { ...change.path, commentId: review.comment?.id ?? '' } };
    await server.admin.client.DELETE(`${PATH}/comments/{commentId}`, { params: comment });
    expect((await change.reviews())[0]).not.toHaveProperty('comment');
  });

  test('replaces the earlier ones of its reviewer, and no others', async () => {
    const change = await Reviewed.create();
    const first = await change.review(reviewer, 'changes-requested');
    const other = await change.review(server.admin, 'approved');
    const second = await change.review(reviewer, 'approved');
    const idsOf = (items: Schemas['ChangeRequestReview'][]) => items.map(({ id }) => id);
    expect(idsOf(await change.reviews())).toEqual([first.id, other.id, second.id]);
    expect(idsOf(await change.reviews({ outdated: true }))).toEqual([first.id]);
    expect(idsOf(await change.reviews({ outdated: false }))).toEqual([other.id, second.id]);
  });

  test('is not outdated by an edit, but names the revision before it', async () => {
    const change = await Reviewed.create();
    const { revision } = await change.review(reviewer, 'approved');
    await change.edit();
    expect(await change.reviews()).toMatchObject([{ revision, outdated: false }]);
    expect((await change.read()).revision).not.toBe(revision);
  });

  test.each([
    ['merged', 'change_request_merged'],
    ['archived', 'change_request_archived'],
  ])('cannot be added, nor requested, once the change request is %s', async (state, reason) => {
    const change = await Reviewed.create();
    await change.request(server.admin, reader);
    await (state === 'merged' ? change.merge() : change.setStatus('archived'));
    const refused = { status: 409, reason };
    expect(await failure(change.send(reviewer, 'approved'))).toEqual(refused);
    expect(await failure(change.sendRequest(server.admin, [editor?.id]))).toEqual(refused);
    expect(await change.remove(server.admin, reader)).toBe(204);
    expect(await change.reviews()).toEqual([]);
    expect(await change.requested()).toEqual([]);
  });

  test('cannot be added beyond the limit', async () => {
    const change = await Reviewed.create();
    const { space, ...row } = rowOf(await change.read(), change);
    const reviews = { ...row, space, id: idOf(`rvw_${space}`), reviewer: server.admin.id, requestedBy: null };
    await fill(server.database, 'reviews', MAX_REVIEWS - 1, {
      ...reviews,
      status: 'approved',
      outdated: 1,
      updatedAt: TIME,
    });
    await change.review(reviewer, 'approved');
    expect(await failure(change.send(reviewer, 'approved'))).toEqual({
      status: 409,
      reason: 'review_limit_exceeded',
    });
  });

  test('exists only within its change request', async () => {
    const change = await Reviewed.create();
    const { id: reviewId } = await change.review(reviewer, 'approved');
    const other = await Reviewed.create(server.admin, change.path.spaceId);
    const params = { path: { ...other.path, reviewId } };
    const { response } = await server.admin.client.GET(`${PATH}/reviews/{reviewId}`, { params });
    expect(response.status).toBe(404);
  });
});

/** The columns of reviews and of requests that name a change request. */
const rowOf = ({ revision }: Schemas['ChangeRequest'], { path }: Reviewed) => ({
  organization: server.organization,
  space: path.spaceId,
  changeRequest: path.changeRequestId,
  revision,
  createdAt: TIME,
});

describe('a requested reviewer', () => {
  test('may review, also without the permission to', async () => {
    const change = await Reviewed.create();
    expect(await failure(change.send(reader, 'approved'))).toMatchObject({ status: 403 });
    const [request] = await change.request(editor, reader);
    expect(request).toMatchObject({
      object: 'change-request-requested-reviewer',
      kind: 'user',
      user: { id: reader?.id },
      requestedBy: { id: editor?.id },
      revision: (await change.read()).revision,
    });
    const review = await change.review(reader, 'approved', 'Clear.');
    expect(review).toMatchObject({
      requestedBy: { id: editor?.id },
      comment: { postedBy: { id: reader?.id } },
    });
    expect(await change.requested()).toEqual([reader?.id]);
    expect(await change.remove(editor, reader)).toBe(204);
    expect(await failure(change.send(reader, 'approved'))).toMatchObject({ status: 403 });
  });

  test('does not gain the permission by an own request', async () => {
    const change = await Reviewed.create(editor);
    await change.request(editor, editor);
    expect(await failure(change.send(editor, 'approved'))).toMatchObject({ status: 403 });
    await change.request(reviewer, reviewer);
    expect(await change.review(reviewer, 'approved')).toMatchObject({ requestedBy: { id: reviewer?.id } });
  });

  test('outdates their review by another request, and is unchanged without one', async () => {
    const change = await Reviewed.create();
    const [first] = await change.request(server.admin, reader);
    expect(await change.request(editor, reader)).toEqual([first]);
    await change.review(reader, 'changes-requested');
    const revision = await change.edit();
    expect(await change.request(editor, reader)).toMatchObject([
      { user: { id: reader?.id }, requestedBy: { id: editor?.id }, revision },
    ]);
    expect(await change.reviews()).toMatchObject([{ status: 'changes-requested', outdated: true }]);
    expect(await change.requested()).toEqual([reader?.id]);
  });

  test('is listed in the order of the requests, and returned in that of the users', async () => {
    const change = await Reviewed.create();
    await change.request(server.admin, reader);
    const users = await change.request(server.admin, reviewer, editor, reader, reviewer);
    expect(users.map(({ user }) => user.id)).toEqual([reviewer?.id, editor?.id, reader?.id, reviewer?.id]);
    expect((await change.requested()).toSorted()).toEqual([reader?.id, reviewer?.id, editor?.id].toSorted());
    expect((await change.requested())[0]).toBe(reader?.id);
  });

  test('can read the space', async () => {
    const change = await Reviewed.create();
    const outsider = await server.person('Outsider');
    const disabled = await server.member('Disabled', 'read');
    await server.database.query
      .updateTable('members')
      .set({ disabled: 1 })
      .where('user', '=', disabled.id)
      .execute();
    for (const person of [guest, outsider, disabled]) {
      const { response, error } = await change.sendRequest(server.admin, [reader?.id, person?.id]);
      expect(response.status).toBe(400);
      expect(error?.details).toMatchObject([{ in: 'body', path: 'users.1' }]);
    }
    expect(await change.requested()).toEqual([]);
    const params = { path: { spaceId: change.path.spaceId } };
    const body = { role: 'read' as const, users: [guest?.id ?? ''] };
    await ok(server.admin.client.POST('/v1/spaces/{spaceId}/permissions', { params, body }));
    await change.request(server.admin, guest);
    expect(await change.requested()).toEqual([guest?.id]);
  });

  test('is one of a limited number', async () => {
    const change = await Reviewed.create();
    const row = rowOf(await change.read(), change);
    const filled = { ...row, reviewer: idOf('usr_none'), requestedBy: server.admin.id };
    await fill(server.database, 'requestedReviewers', MAX_REQUESTED_REVIEWERS - 1, filled);
    const { response, error } = await change.sendRequest(server.admin, [reader?.id, editor?.id]);
    expect(response.status).toBe(400);
    expect(error?.details).toMatchObject([{ in: 'body', path: 'users' }]);
    await ok(change.sendRequest(server.admin, [reader?.id]));
  });

  test('can be removed by themselves and by editors, repeatedly', async () => {
    const change = await Reviewed.create();
    await change.request(server.admin, reader, reviewer);
    const other = await server.member('Another', 'read');
    expect(await change.remove(other, reader)).toBe(403);
    expect(await change.remove(reader, reader)).toBe(204);
    expect(await change.remove(editor, reviewer)).toBe(204);
    expect(await change.remove(editor, reviewer)).toBe(204);
    expect(await change.requested()).toEqual([]);
  });

  test('is requested with a new subject', async () => {
    const change = await Reviewed.create();
    await ok(change.sendRequest(editor, [reader?.id], 'Explain tokens'));
    expect((await change.read()).subject).toBe('Explain tokens');
  });

  test('is removed with the membership, and keeps the reviews', async () => {
    const change = await Reviewed.create();
    const leaver = await server.member('Leaver', 'read');
    await change.request(server.admin, leaver, reader);
    await change.review(leaver, 'approved');
    const params = { path: { organizationId: server.organization, userId: leaver.id } };
    await server.admin.client.DELETE('/v1/orgs/{organizationId}/members/{userId}', { params });
    expect(await change.requested()).toEqual([reader?.id]);
    expect(await change.reviews()).toMatchObject([{ reviewer: { id: leaver.id } }]);
  });

  test('is removed when the space is transferred, and keeps the reviews', async () => {
    const change = await Reviewed.create();
    await change.request(server.admin, reader);
    await change.review(reader, 'approved', 'Clear.');
    const { id: organization } = await ok(server.admin.client.POST('/v1/orgs', { body: { title: 'New' } }));
    const params = { path: { spaceId: change.path.spaceId } };
    await ok(server.admin.client.POST('/v1/spaces/{spaceId}/transfer', { params, body: { organization } }));
    expect(await change.requested()).toEqual([]);
    expect(await change.reviews()).toMatchObject([
      { reviewer: { id: reader?.id }, comment: { body: { markdown: 'Clear.' } } },
    ]);
    const { organizations } = await server.database.query
      .selectFrom('reviews')
      .select('organization as organizations')
      .where('changeRequest', '=', change.path.changeRequestId)
      .executeTakeFirstOrThrow();
    expect(organizations).toBe(organization);
  });
});

describe('the list of change requests', () => {
  test('is filtered by creator and requested reviewer', async () => {
    const [first, { id: spaceId }] = [await Reviewed.create(editor), await createSpace(server)];
    const [byEditor, byAdmin, requested] = [
      await Reviewed.create(editor, spaceId),
      await Reviewed.create(server.admin, spaceId),
      await Reviewed.create(editor, spaceId),
    ];
    await requested.request(server.admin, reader);
    await first.request(server.admin, reader);
    const list = async (query: { creator?: string; requestedReviewer?: string; contributor?: string }) => {
      const params = { path: { spaceId }, query: { status: 'draft' as const, ...query } };
      const { items, count } = await ok(
        server.admin.client.GET('/v1/spaces/{spaceId}/change-requests', { params }),
      );
      expect(count).toBe(items.length);
      return items.map(({ id }) => id);
    };
    const idsOf = (...changes: Reviewed[]) => changes.map(({ path }) => path.changeRequestId);
    const [editorId, readerId] = [editor?.id ?? '', reader?.id ?? ''];
    expect(await list({ creator: editorId })).toEqual(idsOf(byEditor, requested));
    expect(await list({ creator: server.admin.id })).toEqual(idsOf(byAdmin));
    expect(await list({ requestedReviewer: readerId })).toEqual(idsOf(requested));
    expect(await list({ requestedReviewer: readerId, creator: server.admin.id })).toEqual([]);
    expect(await list({ creator: editorId, contributor: editorId })).toEqual([]);
    expect(await list({})).toEqual(idsOf(byEditor, byAdmin, requested));
  });
});
