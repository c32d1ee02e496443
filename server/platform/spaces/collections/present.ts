import type { Selectable } from 'kysely';
import type { components } from '../../../../generated/schema.d.ts';
import type { CollectionsTable } from '../../../database/schema/spaces/collections.ts';
import type { Access } from '../../../identity/access.ts';
import { collectionPermissions } from '../../../identity/permissions.ts';
import type { ResourceUrls } from '../../kit/resource-urls.ts';

/** Converts a collection to its representation in the API for a member of its organization. */
export function presentCollection(
  row: Selectable<CollectionsTable>,
  access: Access,
  resourceUrls: ResourceUrls,
): components['schemas']['Collection'] {
  return {
    object: 'collection',
    id: row.id,
    title: row.title,
    ...(row.description !== null && { description: row.description }),
    organization: row.organization,
    ...(row.parent !== null && { parent: row.parent }),
    defaultLevel: access.effectiveDefault(row),
    urls: resourceUrls.collection(row.id),
    permissions: collectionPermissions(access.onCollection(row)),
  };
}
