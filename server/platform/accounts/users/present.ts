import type { Selectable } from 'kysely';
import type { components } from '../../../../generated/schema.d.ts';
import type { UsersTable } from '../../../database/schema/accounts/users.ts';
import type { ResourceUrls } from '../../kit/resource-urls.ts';

/** Converts a user to their representation in the API. */
export function presentUser(
  row: Selectable<UsersTable>,
  resourceUrls: ResourceUrls,
): components['schemas']['User'] {
  return {
    object: 'user',
    id: row.id,
    displayName: row.displayName,
    ...(row.email !== null && { email: row.email }),
    ...(row.photoURL !== null && { photoURL: row.photoURL }),
    urls: resourceUrls.user(row.id),
  };
}
