import type { Selectable } from 'kysely';
import type { components } from '../../../generated/schema.d.ts';
import type { UsersTable } from '../../database/schema/users.ts';
import type { Addresses } from '../addresses.ts';

/** Converts a user to their representation in the API. */
export function presentUser(
  row: Selectable<UsersTable>,
  addresses: Addresses,
): components['schemas']['User'] {
  return {
    object: 'user',
    id: row.id,
    displayName: row.displayName,
    ...(row.email !== null && { email: row.email }),
    ...(row.photoURL !== null && { photoURL: row.photoURL }),
    urls: addresses.user(row.id),
  };
}
