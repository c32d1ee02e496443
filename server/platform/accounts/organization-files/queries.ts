import type { Selectable } from 'kysely';
import type { Queries } from '../../../database/database.ts';
import type { OrganizationFilesTable } from '../../../database/schema/accounts/organization-files.ts';
import { notFound } from '../../../errors/errors.ts';

export type OrganizationFileRow = Selectable<OrganizationFilesTable>;

/** Selects the files of an organization. */
export const organizationFilesOf = (queries: Queries, organization: string) =>
  queries
    .selectFrom('organizationFiles')
    .selectAll()
    .where('organizationFiles.organization', '=', organization);

/**
 * Finds a file of an organization by its ID.
 *
 * @throws ContractError 404 if the organization has none
 */
export async function organizationFileOf(
  queries: Queries,
  organization: string,
  id: string,
): Promise<OrganizationFileRow> {
  const row = await organizationFilesOf(queries, organization).where('id', '=', id).executeTakeFirst();
  if (!row) {
    throw notFound('file');
  }
  return row;
}

/** Finds a file of an organization by the hash of its content. */
export const findOrganizationFile = async (
  queries: Queries,
  organization: string,
  hash: string,
): Promise<OrganizationFileRow | undefined> =>
  await organizationFilesOf(queries, organization).where('hash', '=', hash).executeTakeFirst();
