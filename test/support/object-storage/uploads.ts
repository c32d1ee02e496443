import { type Client, ok } from '../../../client/platform/index.ts';
import type { components } from '../../../generated/schema.d.ts';

/** The content of a change request. */
export interface UploadTarget {
  spaceId: string;
  changeRequestId: string;
}

/** Creates a change request of a new space. */
export async function startChange(client: Client, organizationId: string): Promise<UploadTarget> {
  const { id: spaceId } = await ok(
    client.POST('/v1/orgs/{organizationId}/spaces', { params: { path: { organizationId } }, body: {} }),
  );
  const { id } = await ok(
    client.POST('/v1/spaces/{spaceId}/change-requests', { params: { path: { spaceId } }, body: {} }),
  );
  return { spaceId, changeRequestId: id };
}

/** Inserts files with their bytes. */
export const insertFiles = (
  client: Client,
  path: UploadTarget,
  files: Readonly<Record<string, Buffer>>,
  contentType?: string,
) =>
  client.POST('/v1/spaces/{spaceId}/change-requests/{changeRequestId}/content', {
    params: { path },
    body: {
      changes: [
        {
          operation: 'insert_files',
          files: Object.entries(files).map(([name, bytes]) => ({
            name,
            base64: bytes.toString('base64'),
            ...(contentType && { contentType }),
          })),
        },
      ],
    },
  });

/** Lists the files of a change request by name. */
export async function listFiles(
  client: Client,
  path: UploadTarget,
): Promise<Map<string, components['schemas']['File']>> {
  const { items } = await ok(
    client.GET('/v1/spaces/{spaceId}/change-requests/{changeRequestId}/content/files', { params: { path } }),
  );
  return new Map(items.map((file) => [file.name, file]));
}

/** Downloads a file. */
export async function download(file: components['schemas']['File'] | undefined): Promise<Buffer> {
  return Buffer.from(await (await fetch(file?.downloadURL ?? '')).arrayBuffer());
}
