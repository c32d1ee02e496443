import { ok } from '../../../client/platform/index.ts';
import type { Person } from '../server.ts';

/** A change request and the client of its author. */
export interface Branch {
  token: string;
  client: Person['client'];
  spaceId: string;
  changeRequestId: string;
}

type Writer = Pick<Person, 'client' | 'token'>;

/** Creates a change request on a new space. */
export async function createBranch(person: Writer, organizationId: string): Promise<Branch> {
  const { id: spaceId } = await ok(
    person.client.POST('/v1/orgs/{organizationId}/spaces', {
      params: { path: { organizationId } },
      body: {},
    }),
  );
  return await createBranchOn(person, spaceId);
}

/** Creates a change request on a space. */
export async function createBranchOn({ client, token }: Writer, spaceId: string): Promise<Branch> {
  const { id } = await ok(
    client.POST('/v1/spaces/{spaceId}/change-requests', { params: { path: { spaceId } }, body: {} }),
  );
  return { client, token, spaceId, changeRequestId: id };
}

/** Limit of the contract for one request. */
const MAX_CHANGES = 50;

/** Adds a page for each text. Returns their ids. */
export async function addPages(
  { client, spaceId, changeRequestId }: Branch,
  texts: readonly string[],
): Promise<string[]> {
  const path = { spaceId, changeRequestId };
  const changes = texts.map((markdown, at) => ({
    operation: 'insert_page' as const,
    title: `Page ${at}`,
    document: { markdown },
  }));
  for (let at = 0; at < changes.length; at += MAX_CHANGES) {
    await ok(
      client.POST('/v1/spaces/{spaceId}/change-requests/{changeRequestId}/content', {
        params: { path },
        body: { changes: changes.slice(at, at + MAX_CHANGES) },
      }),
    );
  }
  const { pages } = await ok(
    client.GET('/v1/spaces/{spaceId}/change-requests/{changeRequestId}/content/pages', {
      params: { path },
    }),
  );
  return pages.slice(-texts.length).map(({ id }) => id);
}
