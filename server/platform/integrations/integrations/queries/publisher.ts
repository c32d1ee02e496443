import type { Queries } from '../../../../database/database.ts';
import { integrationNameTaken, notFound, publisherRequired } from '../../../../errors/errors.ts';
import type { CallerId } from '../../../../identity/caller.ts';
import { requireInOrganization } from '../../../../identity/membership.ts';
import { findIntegration, type IntegrationRow, ownerFinder, usableOrganizations } from '../queries.ts';

/**
 * Finds the organization that a publication belongs to.
 *
 * @throws ContractError 404 for an unknown organization, 403 if the caller is not its admin, 409 if it is not
 *   determined, or another organization owns the name
 */
export async function publisherFor(
  queries: Queries,
  caller: CallerId,
  { name, organization }: { name: string; organization: string | undefined },
): Promise<string> {
  const existing = await findIntegration(queries, name);
  const requested = organization === undefined ? undefined : await organizationNamed(queries, organization);
  const publisher = requested ?? (await defaultPublisher(queries, caller, name, existing));
  await requireInOrganization(queries, caller, publisher, 'admin');
  if (existing && existing.organization !== publisher) {
    throw integrationNameTaken(name);
  }
  return publisher;
}

async function organizationNamed(queries: Queries, name: string): Promise<string> {
  const row = await queries
    .selectFrom('organizations')
    .select('id')
    .where((either) => either.or([either('id', '=', name), either('hostname', '=', name.toLowerCase())]))
    .executeTakeFirst();
  if (!row) {
    throw notFound('organization');
  }
  return row.id;
}

/** Returns the owner if the caller is its member, and otherwise the only organization that the caller administers. */
async function defaultPublisher(
  queries: Queries,
  caller: CallerId,
  name: string,
  existing: IntegrationRow | undefined,
): Promise<string> {
  if (existing) {
    const { role } = await ownerFinder(queries, caller)(existing.organization);
    if (role !== undefined) {
      return existing.organization;
    }
    throw integrationNameTaken(name);
  }
  const administered = await usableOrganizations(queries, caller)
    .where('members.role', '=', 'admin')
    .limit(2)
    .execute();
  const [only, ...others] = administered;
  if (!only || others.length > 0) {
    throw publisherRequired();
  }
  return only.organization;
}
