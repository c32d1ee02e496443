import { ok } from '../../../client/platform/index.ts';
import type { components } from '../../../generated/schema.d.ts';
import type { GitServer, ServedRepository } from '../git/git-server.ts';
import type { Person, TestServer } from '../server.ts';
import { createSpace, flatten, importRepository } from './imports.ts';

type Schemas = components['schemas'];

/** Resources with comments. */
export const DISCUSSION_TARGETS = ['space', 'change request'] as const;
export type DiscussionTarget = (typeof DISCUSSION_TARGETS)[number];

/** Page of a list of comments or replies. */
export interface ListPage<Item> {
  items: Item[];
  count: number;
  next?: { page: string };
}

const PAGES = {
  'README.md': '# Welcome\n\nFirst words.\n\n> Quoted words.\n',
  'sizes.md': '# Sizes\n\n| Size | Price |\n| --- | --- |\n| Small | 1 |\n| Large | 2 |\n',
};

/** Imported space of each server. */
const originals = new WeakMap<TestServer, Promise<string>>();

async function importOriginal(server: TestServer, git: GitServer): Promise<string> {
  const { id } = await createSpace(server);
  await importRepository(server, id, await git.createRepository(PAGES));
  return id;
}

/**
 * Comments on a space or on a change request: the same calls for the operations of both, and content to comment on,
 * in pages named Welcome and Sizes.
 */
export class Discussion {
  readonly server: TestServer;
  readonly spaceId: string;
  readonly changeRequestId: string | undefined;
  readonly #git: GitServer;
  #repository: ServedRepository | undefined;

  private constructor(
    server: TestServer,
    spaceId: string,
    changeRequestId: string | undefined,
    git: GitServer,
  ) {
    this.server = server;
    this.spaceId = spaceId;
    this.changeRequestId = changeRequestId;
    this.#git = git;
  }

  /** Starts a discussion in a new space: a duplicate of one that is imported once per server. */
  static async start(server: TestServer, git: GitServer, target: DiscussionTarget): Promise<Discussion> {
    const original = originals.get(server) ?? importOriginal(server, git);
    originals.set(server, original);
    const params = { path: { spaceId: await original } };
    const { id } = await ok(server.admin.client.POST('/v1/spaces/{spaceId}/duplicate', { params }));
    const inSpace = new Discussion(server, id, undefined, git);
    return target === 'space' ? inSpace : await inSpace.branch();
  }

  /** Starts a discussion on a new change request of the same space. */
  async branch(): Promise<Discussion> {
    const { client } = this.server.admin;
    const params = { path: { spaceId: this.spaceId } };
    const { id } = await ok(client.POST('/v1/spaces/{spaceId}/change-requests', { params, body: {} }));
    return new Discussion(this.server, this.spaceId, id, this.#git);
  }

  /** Reads the space or the change request: both count their comments. */
  async readTarget(): Promise<{ comments: number; revision: string }> {
    return (await this.send<Schemas['ChangeRequest']>('GET', '')).body;
  }

  /** Commits files and imports the commit. */
  async change(files: Record<string, string | null>): Promise<void> {
    this.#repository ??= await this.#git.createRepository(PAGES);
    await this.#repository.update(files);
    await importRepository(this.server, this.spaceId, this.#repository);
    if (this.changeRequestId !== undefined) {
      await this.send('POST', '/update');
    }
  }

  /** Returns the id of the page with a title. */
  async page(title: string): Promise<string> {
    const { body } = await this.send<{ pages: Schemas['Page'][] }>('GET', '/content/pages');
    const page = flatten(body.pages).find((item) => item.title === title);
    if (!page) {
      throw new Error(`There is no page ${title}.`);
    }
    return page.id;
  }

  /** Returns the top-level blocks of the page with a title. */
  async blocks(title: string): Promise<Schemas['DocumentBlock'][]> {
    const { body } = await this.send<Schemas['DocumentPage']>(
      'GET',
      `/content/page/${await this.page(title)}`,
    );
    return body.document?.nodes ?? [];
  }

  /** Creates a comment, as the admin by default. */
  async comment(about: Partial<Schemas['CommentCreate']> = {}, as?: Person): Promise<Schemas['Comment']> {
    const response = await this.send<Schemas['Comment']>(
      'POST',
      '/comments',
      { ...commentBody('Hm.'), ...about },
      as,
    );
    return bodyOf(response, 201);
  }

  async reply(comment: string, markdown = 'Well.', as?: Person): Promise<Schemas['CommentReply']> {
    const path = `/comments/${comment}/replies`;
    return bodyOf(await this.send<Schemas['CommentReply']>('POST', path, commentBody(markdown), as), 201);
  }

  async read(comment: string, query = '', as?: Person): Promise<Schemas['Comment']> {
    return bodyOf(
      await this.send<Schemas['Comment']>('GET', `/comments/${comment}${query}`, undefined, as),
      200,
    );
  }

  async list(query = ''): Promise<ListPage<Schemas['Comment']>> {
    return bodyOf(await this.send<ListPage<Schemas['Comment']>>('GET', `/comments${query}`), 200);
  }

  async replies(comment: string): Promise<ListPage<Schemas['CommentReply']>> {
    return bodyOf(
      await this.send<ListPage<Schemas['CommentReply']>>('GET', `/comments/${comment}/replies`),
      200,
    );
  }

  async update(comment: string, body: Schemas['CommentUpdate'], as?: Person): Promise<Schemas['Comment']> {
    return bodyOf(await this.send<Schemas['Comment']>('PUT', `/comments/${comment}`, body, as), 200);
  }

  /** Sends a request to a path relative to the space or the change request. */
  async send<Body>(
    method: string,
    path: string,
    body?: unknown,
    { token }: { token: string } = this.server.admin,
  ): Promise<{ status: number; body: Body }> {
    const changeRequest =
      this.changeRequestId === undefined ? '' : `/change-requests/${this.changeRequestId}`;
    const response = await fetch(`${this.server.url}/v1/spaces/${this.spaceId}${changeRequest}${path}`, {
      method,
      headers: {
        Authorization: `Bearer ${token}`,
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const reply = await response.text();
    // The server checks its responses against the contract, and the types of the calls are generated from it.
    return { status: response.status, body: (reply === '' ? undefined : JSON.parse(reply)) as Body };
  }
}

/** Returns the body of a comment or a reply. */
export const commentBody = (markdown: string): Schemas['CommentReplyCreate'] => ({ body: { markdown } });

function bodyOf<Body>({ status, body }: { status: number; body: Body }, expectedStatus: number): Body {
  if (status !== expectedStatus) {
    throw new Error(`The server returned ${status}: ${JSON.stringify(body)}`);
  }
  return body;
}
