import type { Insertable } from 'kysely';
import { writeJson } from '../../../server/database/json.ts';
import type { OrganizationsTable } from '../../../server/database/schema/organizations.ts';
import type { UsersTable } from '../../../server/database/schema/users.ts';

/** Rows with everything that a table asks for and nothing that a test is about. */

export function userRow(id: string): Insertable<UsersTable> {
  return {
    id,
    email: `${id}@example.com`,
    displayName: id,
    photoURL: null,
    createdAt: '2026-01-01T00:00:00.000Z',
  };
}

export function organizationRow(id: string): Insertable<OrganizationsTable> {
  return {
    id,
    title: id,
    emailDomains: writeJson([]),
    hostname: null,
    type: 'business',
    useCase: null,
    communityType: null,
    defaultRole: null,
    hasDefaultRole: 0,
    defaultContent: null,
    sso: 0,
    ai: 0,
    inviteLinks: 1,
    plan: 'free_2024',
    logo: null,
    createdAt: '2026-01-01T00:00:00.000Z',
  };
}
