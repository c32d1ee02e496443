import type { LargeOrganization } from './large-organization.ts';

/** A read of a large organization. */
export interface LargeRead {
  /** Operation id. */
  operation: string;
  /** Query string of its filters. */
  filter?: string;
  target: string;
}

/** Returns the requests of every list of a large organization, with and without its filters. */
export function largeLists(large: LargeOrganization): LargeRead[] {
  const org = `/v1/orgs/${large.organizationId}`;
  const space = `/v1/spaces/${large.spaceId}`;
  const site = `${org}/sites/site_10000001`;
  const changeRequest = `${space}/change-requests/${large.changeRequestId}`;
  const list = (operation: string, path: string, ...filters: string[]): LargeRead[] => [
    { operation, target: path },
    ...filters.map((filter) => ({ operation, filter, target: `${path}?${filter}` })),
  ];
  const comments = (name: string, base: string, comment: string) => [
    ...list(
      `list${name}Comments`,
      `${base}/comments`,
      'status=all',
      `authors=${large.userId}`,
      'targetPage=none',
      'order=asc',
    ),
    ...list(`list${name}CommentReplies`, `${base}/comments/${comment}/replies`),
    ...list(`list${name}Commenters`, `${base}/commenters`),
  ];
  const grants = (name: string, base: string) => [
    ...list(`list${name}UserGrants`, `${base}/permissions/users`),
    ...list(`list${name}TeamGrants`, `${base}/permissions/teams`),
  ];
  const integration = `/v1/integrations/${large.integrationName}`;
  const content = (name: string, plural: string) => [
    ...list(`list${name}Installations`, `${integration}/${plural}`, 'externalId=none'),
    ...list(
      `listInstallation${name}s`,
      `${integration}/installations/${large.installationId}/${plural}`,
      'externalId=none',
    ),
  ];
  return [
    ...list('listOrganizations', '/v1/orgs'),
    ...list(
      'listMembers',
      `${org}/members`,
      'role=read',
      'role=guest',
      'sort=lastSeenAt',
      'sort=lastSeenAt&order=asc',
      'search=person1000',
      'search=nobody',
    ),
    ...list('listMemberSpaces', `${org}/members/${large.userId}/spaces`, 'order=asc'),
    ...list(
      'listMemberTeams',
      `${org}/members/${large.teammateId}/teams`,
      'title=team',
      'title=5',
      'title=nothing',
    ),
    ...list('listMemberAccessTokens', `${org}/members/${large.userId}/tokens`),
    ...list('listTeams', `${org}/teams`, `owner=${large.userId}`, 'title=team', 'title=nothing'),
    ...list('listTeamMembers', `${org}/teams/${large.teamId}/members`),
    ...list('listCollections', `${org}/collections`, 'nested=false'),
    ...list('listCollectionSpaces', `/v1/collections/${large.shelfId}/spaces`),
    ...list('listSpaces', `${org}/spaces`),
    ...list(
      'listSites',
      `${org}/sites`,
      'published=true',
      'published=false',
      'title=site',
      'title=5',
      'title=1000000',
      'title=nothing',
      'space=spc_10000001',
      `space=${large.visited.sharedSpaceId}`,
      'type=basic',
      'type=premium',
    ),
    ...list('listSiteSpaces', `${site}/site-spaces`, 'default=true'),
    ...list('listSiteSections', `${site}/sections`),
    ...list('listSiteSectionGroups', `${site}/section-groups`),
    ...grants('Space', space),
    ...grants('Collection', `/v1/collections/${large.collectionId}`),
    ...list('listLinkInvites', `${org}/link-invites`),
    ...list('listOpenAPISpecs', `${org}/openapi`),
    ...list('listOpenAPISpecVersions', `${org}/openapi/${large.specSlug}/versions`),
    ...list('listTranslations', `${org}/translations`),
    ...list('listSamlProviders', `${org}/saml`),
    ...list(
      'listIntegrations',
      '/v1/integrations',
      'search=integration',
      'search=nothing',
      'target=space',
      'contentSources=true',
      'blockDomain=example.com',
      'category=analytics',
      'scope=space:views:read',
      'blocks=true',
      `owner=${large.organizationId}`,
    ),
    ...list('listInstallations', `${integration}/installations`, 'externalId=none'),
    ...list('listIntegrationEvents', `${integration}/events`),
    ...content('Space', 'spaces'),
    ...content('Site', 'sites'),
    ...list(
      'listAuditEvents',
      `${org}/audit-events`,
      'action=member.added',
      'actor=operator',
      `resource=${large.userId}`,
      'resourceType=user',
      'from=2026-01-01T00:00:00Z',
      'until=2026-02-01T00:00:00Z',
      'requestId=none',
      'address=127.0.0.1',
    ),
    ...list(
      'listChangeRequests',
      `${space}/change-requests`,
      'status=draft',
      'status=merged',
      `contributor=${large.userId}`,
      `creator=${large.userId}`,
      `requestedReviewer=${large.userId}`,
    ),
    ...list('listSiteFeedback', `${site}/feedback`),
    ...list('listSiteRedirects', `${site}/redirects`),
    ...list('listChangeRequestReviews', `${changeRequest}/reviews`, 'outdated=true', 'outdated=false'),
    ...list('listRequestedReviewers', `${changeRequest}/requested-reviewers`),
    ...list(
      'listImportRuns',
      `/v1/org/${large.organizationId}/imports`,
      `space=spc_10000001`,
      'changeRequest=none',
      'status=active',
      'status=completed',
    ),
    ...list('listGitRuns', `${space}/git/runs`),
    ...list('listContentImportRuns', `${space}/content/import/runs`),
    ...comments('Space', space, large.commentId),
    ...comments('ChangeRequest', changeRequest, large.changeRequestCommentId),
    ...list('searchOrganization', `${org}/search?query=needle`),
    ...list('searchOrganization', `${org}/search?query=common`),
    ...list('searchSpace', `${space}/search?query=common`),
    ...list('listAccessTokens', '/v1/user/tokens'),
  ];
}

/** Returns reads of one resource that require a permission. */
export function largeReads(large: LargeOrganization): LargeRead[] {
  const org = `/v1/orgs/${large.organizationId}`;
  const space = `/v1/spaces/${large.spaceId}`;
  return [
    { operation: 'getOrganization', target: org },
    { operation: 'getSpace', target: space },
    { operation: 'getSpacePageTree', target: `${space}/content/pages` },
    { operation: 'getCollection', target: `/v1/collections/${large.collectionId}` },
    { operation: 'getTeam', target: `${org}/teams/${large.teamId}` },
    { operation: 'getMember', target: `${org}/members/${large.teammateId}` },
    { operation: 'getChangeRequest', target: `${space}/change-requests/${large.changeRequestId}` },
    { operation: 'getSpaceComment', target: `${space}/comments/${large.commentId}` },
    { operation: 'getSite', target: `${org}/sites/site_10000001` },
    { operation: 'getOpenAPISpec', target: `${org}/openapi/${large.specSlug}` },
    { operation: 'getTranslation', target: `${org}/translations/trn_10000001` },
    { operation: 'getLinkInvite', target: `${org}/link-invites/inv_10000001` },
  ];
}

/**
 * Returns reads of what is published, by members and visitors. They load the structure of the site, which has a limited
 * size.
 */
export function publishedReads({ organizationId, visited }: LargeOrganization): LargeRead[] {
  const site = `/v1/orgs/${organizationId}/sites/${visited.wideSiteId}`;
  return [
    { operation: 'getSpace', target: `/v1/spaces/${visited.sharedSpaceId}` },
    { operation: 'getPublishedSite', target: `${site}/published` },
    { operation: 'getSiteStructure', target: `${site}/structure` },
    { operation: 'listSiteSections', target: `${site}/sections` },
    { operation: 'listSiteSpaces', target: `${site}/site-spaces` },
  ];
}
