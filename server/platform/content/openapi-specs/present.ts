import type { components } from '../../../../generated/schema.d.ts';
import type { Clock } from '../../../database/seams.ts';
import type { Caller } from '../../../identity/caller.ts';
import type { Role } from '../../../identity/levels.ts';
import { openAPISpecPermissions } from '../../../identity/permissions.ts';
import { linkExpiry } from '../../../identity/signatures.ts';
import type { ResourceUrls } from '../../kit/resource-urls.ts';
import { publishedUrl, versionUrl } from './present/link.ts';
import type { SpecRow, VersionRow } from './queries.ts';

type Schemas = components['schemas'];

/**
 * Converts a specification to its representation in the API for a member of its organization.
 *
 * @param role the member's role; undefined for a guest
 */
export function presentSpec(
  row: SpecRow,
  role: Role | undefined,
  resourceUrls: ResourceUrls,
): Schemas['OpenAPISpec'] {
  return {
    object: 'openapi-spec',
    id: row.id,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
    slug: row.slug,
    ...(row.sourceURL !== null && { sourceURL: row.sourceURL }),
    processingState: row.processingState,
    visibility: row.visibility,
    ...(row.lastVersion !== null && { lastVersion: row.lastVersion }),
    ...(row.lastProcessedAt !== null && { lastProcessedAt: row.lastProcessedAt }),
    ...(row.lastProcessErrorCode !== null && { lastProcessErrorCode: row.lastProcessErrorCode }),
    lastProcessedErrorCount: row.lastProcessErrorCode === null ? 0 : 1,
    permissions: openAPISpecPermissions(role),
    urls: {
      ...resourceUrls.openAPISpec(row.organization, row.slug),
      ...(row.visibility === 'public' && { published: publishedUrl(row, resourceUrls) }),
    },
  };
}

/** Converts a version of a specification to its representation in the API for a caller. */
export function presentVersion(
  row: VersionRow,
  slug: string,
  {
    caller: { id: reader },
    secretKey,
    resourceUrls,
    clock,
  }: { caller: Pick<Caller, 'id'>; secretKey: string; resourceUrls: ResourceUrls; clock: Clock },
): Schemas['OpenAPISpecVersion'] {
  return {
    object: 'openapi-spec-version',
    id: row.id,
    createdAt: row.createdAt,
    url: versionUrl(
      { reader, organization: row.organization, version: row.id, expires: linkExpiry(clock()) },
      secretKey,
      resourceUrls,
    ),
    urls: resourceUrls.openAPISpecVersion(row.organization, slug, row.id),
  };
}
