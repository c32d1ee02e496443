import type { Selectable } from 'kysely';
import type { Queries } from '../../database/database.ts';
import type { OpenAPISpecsTable, OpenAPISpecVersionsTable } from '../../database/schema/openapi-specs.ts';
import { notFound, permissionMissing } from '../../errors.ts';
import { type Membership, requireMember } from '../../identity/access.ts';
import type { CallerId } from '../../identity/caller.ts';
import { openAPISpecPermissions } from '../../identity/permissions.ts';

/** A specification without the text that waits to be read. */
export type SpecRow = Omit<Selectable<OpenAPISpecsTable>, 'sourceText'>;

/** A version without what it says, which may be long. */
export type VersionRow = Pick<
  Selectable<OpenAPISpecVersionsTable>,
  'id' | 'organization' | 'spec' | 'createdAt'
>;

/** A specification, as a path names it. */
export interface SpecName {
  organization: string;
  slug: string;
}

/** A specification with the access of who asks for it. */
export interface FoundSpec {
  row: SpecRow;
  access: Membership;
}

/** The specifications of an organization. */
export function specsOf(queries: Queries, organization: string) {
  return queries
    .selectFrom('openAPISpecs')
    .select([
      'id',
      'organization',
      'slug',
      'visibility',
      'sourceURL',
      'generation',
      'processingState',
      'lastVersion',
      'lastProcessedAt',
      'lastProcessErrorCode',
      'createdAt',
      'updatedAt',
    ])
    .where('organization', '=', organization);
}

/** The versions of a specification. */
export function versionsOf(queries: Queries, spec: string) {
  return queries
    .selectFrom('openAPISpecVersions')
    .select(['id', 'organization', 'spec', 'createdAt'])
    .where('spec', '=', spec);
}

/**
 * The specification that a user names, if they may do what `permission` says to it.
 *
 * @throws ContractError 404 if it does not exist for the user, 403 if the user lacks the permission
 */
export async function specFor(
  queries: Queries,
  caller: CallerId,
  { organization, slug }: SpecName,
  permission: 'view' | 'edit',
): Promise<FoundSpec> {
  const access = await requireMember(queries, caller, organization);
  const row = await specsOf(queries, organization).where('slug', '=', slug).executeTakeFirst();
  if (!row) throw notFound('OpenAPI specification');
  if (!openAPISpecPermissions(access.role)[permission])
    throw permissionMissing('OpenAPI specification', permission);
  return { row, access };
}

/**
 * A version of a specification that a user may read; the newest one where none is named.
 *
 * @throws ContractError 404 where it does not exist for them
 */
export async function versionFor(
  queries: Queries,
  caller: CallerId,
  name: SpecName,
  version?: string,
): Promise<{ spec: SpecRow; version: VersionRow }> {
  const { row: spec } = await specFor(queries, caller, name, 'view');
  const wanted = version ?? spec.lastVersion;
  const row =
    wanted === null
      ? undefined
      : await versionsOf(queries, spec.id).where('id', '=', wanted).executeTakeFirst();
  if (!row) throw notFound('version of the OpenAPI specification');
  return { spec, version: row };
}
