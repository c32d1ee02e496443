import { type Expression, type Selectable, sql } from 'kysely';
import type { Queries } from '../../../database/database.ts';
import { readLargeText } from '../../../database/large-text.ts';
import { selectVersion } from '../../../database/lists/cached-counts.ts';
import type {
  OpenAPISpecsTable,
  OpenAPISpecVersionsTable,
} from '../../../database/schema/content/openapi-specs.ts';
import { notFound, permissionMissing } from '../../../errors/errors.ts';
import type { CallerId } from '../../../identity/caller.ts';
import { type Membership, requireMember, roleFor } from '../../../identity/membership.ts';
import { openAPISpecPermissions } from '../../../identity/permissions.ts';

/** A specification without its unprocessed text. */
export type SpecRow = Omit<Selectable<OpenAPISpecsTable>, 'sourceText'>;

/** A version without its texts, which can be large. */
export type VersionRow = Pick<
  Selectable<OpenAPISpecVersionsTable>,
  'id' | 'organization' | 'spec' | 'format' | 'createdAt'
>;

/** Path parameters that identify a specification. */
export interface SpecName {
  organization: string;
  slug: string;
}

/** A specification with the caller's membership. */
export interface SpecWithAccess {
  row: SpecRow;
  access: Membership;
}

/** Columns of {@link SpecRow}. */
export const SPEC_COLUMNS = [
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
] as const satisfies Array<keyof SpecRow>;

/** Selects the specifications of an organization. */
export function specsOf(queries: Queries, organization: string) {
  return queries.selectFrom('openAPISpecs').select(SPEC_COLUMNS).where('organization', '=', organization);
}

/** Selects the versions of a specification. */
export function versionsOf(queries: Queries, spec: string) {
  return queries
    .selectFrom('openAPISpecVersions')
    .select(['id', 'organization', 'spec', 'format', 'createdAt'])
    .where('spec', '=', spec);
}

/** Selects a number that changes with the latest versions of the specifications of an organization. */
export const selectSpecsVersion = (queries: Queries, organization: Expression<string>) =>
  selectVersion(queries, { organization, owner: sql.lit('OpenAPI specs') });

/** Reads a version as UTF-8: its `text` as it was uploaded, or its `document` as JSON; undefined if it was deleted. */
export const readVersionText = (
  queries: Queries,
  version: string,
  column: 'text' | 'document',
): Promise<Buffer | undefined> =>
  readLargeText(
    queries,
    queries.selectFrom('openAPISpecVersions').select(`${column} as value`).where('id', '=', version),
  );

/** Finds the format of a version in an organization. */
export async function findVersionFormat(
  queries: Queries,
  { organization, version }: { organization: string; version: string },
): Promise<VersionRow['format'] | undefined> {
  const row = await queries
    .selectFrom('openAPISpecVersions')
    .select('format')
    .where('id', '=', version)
    .where('organization', '=', organization)
    .executeTakeFirst();
  return row?.format;
}

/**
 * Returns the caller's membership in an organization, with the role for its specifications.
 *
 * @throws ContractError 404 if the caller is not a member or may not use the organization
 */
export async function specMember(
  queries: Queries,
  caller: CallerId,
  organization: string,
): Promise<Membership> {
  const member = await requireMember(queries, caller, organization);
  return { ...member, role: roleFor(member, 'specification') };
}

/**
 * Finds a specification, and requires a permission on it.
 *
 * @throws ContractError 404 if it does not exist for the caller, 403 if the caller lacks the permission
 */
export async function specFor(
  queries: Queries,
  caller: CallerId,
  { organization, slug }: SpecName,
  permission: 'view' | 'edit',
): Promise<SpecWithAccess> {
  const access = await specMember(queries, caller, organization);
  const row = await specsOf(queries, organization).where('slug', '=', slug).executeTakeFirst();
  if (!row) {
    throw notFound('OpenAPI specification');
  }
  requireSpecPermission(access, permission);
  return { row, access };
}

/**
 * Requires a permission of a member on the specifications of the organization.
 *
 * @throws ContractError 403 without the permission
 */
export function requireSpecPermission({ role }: Membership, permission: 'view' | 'edit'): void {
  if (!openAPISpecPermissions(role)[permission]) {
    throw permissionMissing('OpenAPI specification', permission);
  }
}

/**
 * Finds a version of a specification that the caller can view; by default the latest.
 *
 * @throws ContractError 404 if it does not exist for the caller
 */
export async function versionFor(
  queries: Queries,
  caller: CallerId,
  name: SpecName,
  version?: string,
): Promise<{ spec: SpecRow; version: VersionRow }> {
  const { row: spec } = await specFor(queries, caller, name, 'view');
  const requested = version ?? spec.lastVersion;
  const row =
    requested === null
      ? undefined
      : await versionsOf(queries, spec.id).where('id', '=', requested).executeTakeFirst();
  if (!row) {
    throw notFound('version of the OpenAPI specification');
  }
  return { spec, version: row };
}
