import { type Client, ok } from '../../../client/platform/index.ts';

/** Creates a space, and returns its ID. */
export async function createSpace(client: Client, organizationId: string): Promise<string> {
  const params = { path: { organizationId } };
  const body = { title: 'Guide' };
  return (await ok(client.POST('/v1/orgs/{organizationId}/spaces', { params, body }))).id;
}

/** Changes the main content of a space, and returns its new revision. */
export async function edit(client: Client, spaceId: string): Promise<string> {
  const { id: changeRequestId } = await ok(
    client.POST('/v1/spaces/{spaceId}/change-requests', { params: { path: { spaceId } }, body: {} }),
  );
  const params = { path: { spaceId, changeRequestId } };
  const body = {
    changes: [{ operation: 'insert_page' as const, title: 'Page', document: { markdown: 'Text.' } }],
  };
  await ok(client.POST('/v1/spaces/{spaceId}/change-requests/{changeRequestId}/content', { params, body }));
  const { revision } = await ok(
    client.POST('/v1/spaces/{spaceId}/change-requests/{changeRequestId}/merge', { params }),
  );
  return revision;
}
