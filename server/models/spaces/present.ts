import type { components } from '../../../generated/schema.d.ts';
import { readJson } from '../../database/json.ts';
import type { SpaceGit } from '../../database/schema/spaces.ts';
import type { Access } from '../../identity/access.ts';
import { spacePermissions } from '../../identity/permissions.ts';
import type { Addresses } from '../addresses.ts';
import type { SpaceRow } from './queries.ts';

type Schemas = components['schemas'];

/** A space as a member of its organization sees it. */
export function presentSpace(row: SpaceRow, access: Access, addresses: Addresses): Schemas['Space'] {
  const git = readJson(row.git);
  return {
    object: 'space',
    id: row.id,
    title: row.title,
    emoji: row.emoji ?? '',
    // Derived: no site carries a space yet, so its place decides.
    visibility: row.parent === null ? 'private' : 'in-collection',
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
    ...(row.deletedAt !== null && { deletedAt: row.deletedAt }),
    editMode: row.editMode,
    urls: { ...addresses.space(row.id), ...(row.icon !== null && { icon: row.icon }) },
    organization: row.organization,
    ...(row.parent !== null && { parent: row.parent }),
    ...(row.language !== null && { language: row.language }),
    ...(git && { gitSync: presentGit(git) }),
    revision: row.revision,
    defaultLevel: access.effectiveDefault(row),
    comments: row.comments,
    changeRequests: row.changeRequests,
    changeRequestsOpen: row.changeRequestsOpen,
    changeRequestsDraft: row.changeRequestsDraft,
    permissions: spacePermissions(access.onSpace(row)),
  };
}

/** What a space is synchronised with, as `Space.gitSync` and the Git information show it. */
export function presentGit(git: SpaceGit): Schemas['GitInfo'] {
  return {
    repoName: git.repoName,
    ...(git.installationProvider !== null && { installationProvider: git.installationProvider }),
    ...(git.integration !== null && { integration: git.integration }),
    url: git.url,
    updatedAt: git.updatedAt,
  };
}
