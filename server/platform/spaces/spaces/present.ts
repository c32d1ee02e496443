import type { Selectable } from 'kysely';
import type { components } from '../../../../generated/schema.d.ts';
import type { Queries } from '../../../database/database.ts';
import { readJson } from '../../../database/json.ts';
import type { SpaceGit, SpacesTable } from '../../../database/schema/spaces/spaces.ts';
import { Access } from '../../../identity/access.ts';
import { spacePermissions } from '../../../identity/permissions.ts';
import type { ResourceUrls } from '../../kit/resource-urls.ts';
import {
  type Publication,
  publishedUrlsOf,
  readPublication,
  visibilityOf,
} from '../publications/publications.ts';
import { type DetailColumns, detailFinder, readCounts, type SpaceRow } from './queries.ts';

type Schemas = components['schemas'];

/**
 * Creates a function that converts spaces to their representation in the API for a member of their organization. What
 * is read of the spaces of a list page is read in one statement. Called outside the transaction of a change, where
 * maintained counts cannot always be read.
 */
export function spacePresenter(queries: Queries, resourceUrls: ResourceUrls) {
  const detailsOf = detailFinder(queries);
  return async (row: Selectable<SpacesTable>, access: Access): Promise<Schemas['Space']> => {
    const details = await detailsOf(row.id);
    if (!details) {
      throw new Error(`The space ${row.id} has no details.`);
    }
    return presentWithDetails(row, access, details, resourceUrls);
  };
}

/** Converts a space that was read with its details. */
export const presentWithDetails = (
  row: Selectable<SpacesTable>,
  access: Access,
  details: DetailColumns,
  resourceUrls: ResourceUrls,
): Schemas['Space'] =>
  presentSpace(
    Object.assign(row, readCounts(details)),
    access,
    resourceUrls,
    readPublication(details, resourceUrls),
  );

/**
 * Converts a space to its representation in the API for a member of its organization.
 *
 * @param publication where the space is published; undefined if it is not
 */
export function presentSpace(
  row: SpaceRow,
  access: Access,
  resourceUrls: ResourceUrls,
  publication: Publication | undefined,
): Schemas['Space'] {
  const git = readJson(row.git);
  return {
    object: 'space',
    id: row.id,
    title: row.title,
    emoji: row.emoji ?? '',
    visibility: visibilityOf(publication, row.parent),
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
    ...(row.deletedAt !== null && { deletedAt: row.deletedAt }),
    editMode: row.editMode,
    urls: {
      ...resourceUrls.space(row.id),
      ...publishedUrlsOf(publication),
      ...(row.icon !== null && { icon: row.icon }),
    },
    organization: row.organization,
    ...(row.parent !== null && { parent: row.parent }),
    ...(row.language !== null && { language: row.language }),
    ...(git && { gitSync: presentGit(git) }),
    ...(publication?.visibility === 'visitor-auth' && {
      visitorAuth: presentVisitorAuth(publication.authIntegration),
    }),
    revision: row.revision,
    defaultLevel: access.effectiveDefault(row),
    comments: row.comments,
    changeRequests: row.changeRequests,
    changeRequestsOpen: row.changeRequestsOpen,
    changeRequestsDraft: row.changeRequestsDraft,
    permissions: spacePermissions(access.onSpace(row)),
  };
}

const presentVisitorAuth = (integration: string | null): Schemas['VisitorAuth'] =>
  integration === null ? { backend: 'custom' } : { backend: 'integration', integration };

/**
 * Converts a space to its representation in the API for a visitor of a published site: without permissions, and without
 * information about its collection, repository, comments and change requests.
 */
export function presentPublishedSpace(
  row: Selectable<SpacesTable>,
  visibility: Schemas['Space']['visibility'],
  resourceUrls: ResourceUrls,
): Schemas['Space'] {
  const shown: SpaceRow = {
    ...row,
    parent: null,
    defaultLevel: null,
    git: null,
    comments: 0,
    changeRequests: 0,
    changeRequestsOpen: 0,
    changeRequestsDraft: 0,
  };
  const stranger = { user: '', organization: row.organization, role: undefined };
  const access = new Access(stranger, { kind: 'space', resources: [shown] }, new Map(), new Map());
  return { ...presentSpace(shown, access, resourceUrls, undefined), visibility };
}

/** Converts the repository that a space is synchronized with, for `Space.gitSync` and the Git information. */
export function presentGit(git: SpaceGit): Schemas['GitInfo'] {
  return {
    repoName: git.repoName,
    ...(git.installationProvider !== null && { installationProvider: git.installationProvider }),
    ...(git.integration !== null && { integration: git.integration }),
    url: git.url,
    updatedAt: git.updatedAt,
  };
}
