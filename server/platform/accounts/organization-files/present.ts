import type { components } from '../../../../generated/schema.d.ts';
import type { ResourceUrls } from '../../kit/resource-urls.ts';
import type { OrganizationFileRow } from './queries.ts';

/** Converts a file of an organization to its representation in the API. */
export function presentOrganizationFile(
  { id, organization, hash, name, contentType, extension, size, createdAt }: OrganizationFileRow,
  resourceUrls: ResourceUrls,
): components['schemas']['OrganizationFile'] {
  const { location, content } = resourceUrls.organizationFile(organization, {
    id,
    name: `${hash}.${extension}`,
  });
  return { object: 'file', id, name, contentType, size, createdAt, downloadURL: content, urls: { location } };
}
