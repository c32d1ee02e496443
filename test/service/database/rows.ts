import type { Insertable } from 'kysely';
import type { OrganizationsTable } from '../../../server/database/schema/accounts/organizations.ts';
import type { UsersTable } from '../../../server/database/schema/accounts/users.ts';
import { newOrganizationRow } from '../../../server/identity/organizations.ts';

const CREATED_AT = '2026-01-01T00:00:00.000Z';

/** Returns the row of a user. */
export function userRow(id: string): Insertable<UsersTable> {
  return {
    id,
    email: `${id}@example.com`,
    displayName: id,
    photoURL: null,
    createdAt: CREATED_AT,
  };
}

/** Returns the row of an organization. */
export function organizationRow(id: string): Insertable<OrganizationsTable> {
  return newOrganizationRow({ id, title: id, createdAt: CREATED_AT });
}
