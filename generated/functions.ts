// Generated from spec/main.tsp by `npm run generate`. Do not edit: change the contract and run the command.

import type {
  operations,
  AdaptiveConditionTemplates,
  AuditEventDetails,
  AuditEventList,
  ChangeRequest,
  ChangeRequestCommentReplyUpdate,
  ChangeRequestCreate,
  ChangeRequestList,
  ChangeRequestMergeResult,
  ChangeRequestPatch,
  ChangeRequestReview,
  ChangeRequestReviewCreate,
  ChangeRequestReviewList,
  ChangeRequestUpdateResult,
  Collection,
  CollectionCreate,
  CollectionList,
  CollectionPatch,
  Comment,
  CommentCreate,
  CommentList,
  CommentReply,
  CommentReplyCreate,
  CommentReplyList,
  CommentReplyUpdate,
  CommentUpdate,
  ContentChanges,
  ContentImport,
  ContentImportRun,
  ContentImportRunList,
  ContentInstallationPatch,
  Document,
  EditedChangeRequest,
  EmailDomainOrganizations,
  File,
  FileList,
  GitExport,
  GitImport,
  GitInfo,
  GitRun,
  GitRunList,
  GrantPatch,
  GrantsCreate,
  ImportRun,
  ImportRunCreate,
  ImportRunList,
  ImportedContent,
  Installation,
  InstallationCreate,
  InstallationList,
  InstallationPatch,
  InstallationToken,
  Integration,
  IntegrationEventList,
  IntegrationEventWithTrace,
  IntegrationList,
  IntegrationPublication,
  IntegrationTunnel,
  InviteUsers,
  InvitedUsers,
  LinkInvite,
  LinkInviteCreate,
  LinkInviteList,
  LinkInvitePatch,
  LinkList,
  LocationList,
  Member,
  MemberList,
  MemberPatch,
  MemberSpaceList,
  MemberTeamList,
  MoveContent,
  OpenAPISpec,
  OpenAPISpecCreate,
  OpenAPISpecList,
  OpenAPISpecPatch,
  OpenAPISpecUpdate,
  OpenAPISpecVersion,
  OpenAPISpecVersionList,
  OpenAPIVersionContent,
  Organization,
  OrganizationCreate,
  OrganizationFile,
  OrganizationFileCreate,
  OrganizationFileList,
  OrganizationList,
  OrganizationPatch,
  OrganizationQuotas,
  Page,
  PageTree,
  PdfFile,
  Ping,
  PublishedSite,
  PublishedStructure,
  PublishedUrlRequest,
  PublishedUrlResult,
  RenderRequest,
  RenderResult,
  RequestedReviewerList,
  RequestedReviewers,
  RequestedReviewersCreate,
  ResolvedSiteRedirect,
  Revision,
  SamlProvider,
  SamlProviderCreate,
  SamlProviderList,
  SamlProviderPatch,
  SearchResultPageList,
  SearchResultSpaceList,
  SemanticChanges,
  ShareLink,
  ShareLinkCreate,
  ShareLinkList,
  ShareLinkPatch,
  Site,
  SiteAdaptiveSchema,
  SiteAdaptiveSchemaUpdate,
  SiteAnswer,
  SiteCreate,
  SiteCustomization,
  SiteEntry,
  SiteFeedbackList,
  SiteInsightsEvents,
  SiteInstallation,
  SiteInstallationCreate,
  SiteInstallationList,
  SiteList,
  SitePatch,
  SitePublishingAuth,
  SitePublishingAuthPatch,
  SiteQuestion,
  SiteRedirect,
  SiteRedirectCreate,
  SiteRedirectList,
  SiteRedirectPatch,
  SiteSearch,
  SiteSearchResults,
  SiteSection,
  SiteSectionCreate,
  SiteSectionGroup,
  SiteSectionGroupAddition,
  SiteSectionGroupCreate,
  SiteSectionGroupList,
  SiteSectionGroupMove,
  SiteSectionGroupPatch,
  SiteSectionList,
  SiteSectionMove,
  SiteSectionPatch,
  SiteSpace,
  SiteSpaceCreate,
  SiteSpaceList,
  SiteSpaceMove,
  SiteSpacePatch,
  SiteStructureSort,
  Space,
  SpaceCreate,
  SpaceInstallation,
  SpaceInstallationCreate,
  SpaceInstallationList,
  SpaceList,
  SpaceMap,
  SpaceMapUpdate,
  SpacePatch,
  SsoLogins,
  Subdomain,
  Team,
  TeamCreate,
  TeamGrantList,
  TeamList,
  TeamMemberList,
  TeamMemberSet,
  TeamMembersUpdate,
  TeamPatch,
  TemplateChoice,
  TransferContent,
  Translation,
  TranslationCreate,
  TranslationList,
  TranslationUpdate,
  User,
  UserAccessTokenCreate,
  UserAccessTokenList,
  UserAccessTokenWithSecret,
  UserGrantList,
} from './schema.d.ts';

/** Client of the toolkit, as returned by `createClient`. */
export interface Caller {
  /** Calls an operation, and returns the body of its success response. */
  call<Data>(
    method: string,
    path: string,
    input: object,
    options?: CallOptions,
    format?: CallFormat,
  ): Promise<Data>;
}

/** Differences of an operation from one with parameters by name and JSON bodies: see the client. */
export interface CallFormat {
  nested?: readonly ('path' | 'query' | 'header' | 'cookie')[] | undefined;
  contentType?: string | undefined;
  parseAs?: 'json' | 'text' | 'blob' | 'arrayBuffer' | 'stream' | 'auto' | undefined;
  idempotent?: boolean | undefined;
  styles?: { readonly [location: string]: Styles | undefined } | undefined;
  pages?: object | undefined;
}

/** How parameters of a location are written, by name. */
export type Styles = Readonly<Record<string, string | readonly (string | undefined)[] | undefined>>;

/** Options of a call. */
export interface CallOptions {
  /** Aborts the call: its attempts, the waits between them, and reading of the response. */
  signal?: AbortSignal | undefined;
  /** Headers of this call. They override those of the client. */
  headers?: Readonly<Record<string, string>> | undefined;
  /** Timeout of each attempt in milliseconds. Overrides that of the client. */
  timeout?: number | undefined;
  /** Maximum number of retries, or detailed options. Overrides those of the client. */
  retries?: number | RetryOptions | undefined;
}

/** Options of retries: see the client. */
export interface RetryOptions {
  limit?: number | undefined;
  delay?: number | undefined;
  maxDelay?: number | undefined;
  maxRetryAfter?: number | undefined;
}

/** Allows `undefined` for optional properties, so that an unset filter can be passed. */
type AllowUndefined<T> = {
  [K in keyof T]: Record<never, never> extends Pick<T, K> ? T[K] | undefined : T[K];
};
type Path<Id extends keyof operations> = AllowUndefined<NonNullable<(operations[Id]['parameters'] & { path?: unknown })['path']>>;
type Query<Id extends keyof operations> = AllowUndefined<NonNullable<(operations[Id]['parameters'] & { query?: unknown })['query']>>;
type Header<Id extends keyof operations> = AllowUndefined<NonNullable<(operations[Id]['parameters'] & { header?: unknown })['header']>>;

/** Parameters of `getCollection`. */
export interface GetCollectionInput extends Path<'getCollection'> {}

/**
 * Get a collection
 *
 * Retrieves a collection.
 */
export function getCollection(
  client: Caller,
  input: GetCollectionInput,
  options?: CallOptions,
): Promise<Collection> {
  return client.call('GET', '/v1/collections/{collectionId}', input, options);
}

/** Parameters of `deleteCollection`. */
export interface DeleteCollectionInput extends Path<'deleteCollection'> {}

/**
 * Delete a collection
 *
 * Deletes a collection. Its contents move to its parent.
 */
export function deleteCollection(
  client: Caller,
  input: DeleteCollectionInput,
  options?: CallOptions,
): Promise<void> {
  return client.call('DELETE', '/v1/collections/{collectionId}', input, options);
}

/** Parameters and body of `updateCollection`. */
export interface UpdateCollectionInput extends Path<'updateCollection'> {
  body: CollectionPatch;
}

/**
 * Update a collection
 *
 * Updates a collection.
 */
export function updateCollection(
  client: Caller,
  input: UpdateCollectionInput,
  options?: CallOptions,
): Promise<Collection> {
  return client.call('PATCH', '/v1/collections/{collectionId}', input, options);
}

/** Parameters and body of `moveCollection`. */
export interface MoveCollectionInput extends Path<'moveCollection'> {
  body: MoveContent;
}

/**
 * Move a collection
 *
 * Moves a collection within its organization. Returns 409 if the new parent is the collection itself or one of its
 * descendants. Changes nothing if the collection is already there.
 */
export function moveCollection(
  client: Caller,
  input: MoveCollectionInput,
  options?: CallOptions,
): Promise<Collection> {
  return client.call('POST', '/v1/collections/{collectionId}/move', input, options);
}

/** Parameters and body of `createCollectionGrants`. */
export interface CreateCollectionGrantsInput extends Path<'createCollectionGrants'> {
  body: GrantsCreate;
}

/**
 * Grant access to a collection
 *
 * Grants a role in a collection to users and teams. It replaces any role granted to them before.
 */
export function createCollectionGrants(
  client: Caller,
  input: CreateCollectionGrantsInput,
  options?: CallOptions,
): Promise<void> {
  return client.call('POST', '/v1/collections/{collectionId}/permissions', input, options);
}

/** Parameters of `listCollectionTeamGrants`. */
export interface ListCollectionTeamGrantsInput extends Path<'listCollectionTeamGrants'>, Query<'listCollectionTeamGrants'> {}

/**
 * List the teams with access to a collection
 *
 * Lists the teams that have been granted a role in a collection.
 */
export function listCollectionTeamGrants(
  client: Caller,
  input: ListCollectionTeamGrantsInput,
  options?: CallOptions,
): Promise<TeamGrantList> {
  return client.call('GET', '/v1/collections/{collectionId}/permissions/teams', input, options);
}

/** Parameters of `deleteCollectionTeamGrant`. */
export interface DeleteCollectionTeamGrantInput extends Path<'deleteCollectionTeamGrant'> {}

/**
 * Revoke a team's access to a collection
 *
 * Revokes a team's access to a collection.
 */
export function deleteCollectionTeamGrant(
  client: Caller,
  input: DeleteCollectionTeamGrantInput,
  options?: CallOptions,
): Promise<void> {
  return client.call('DELETE', '/v1/collections/{collectionId}/permissions/teams/{teamId}', input, options);
}

/** Parameters and body of `updateCollectionTeamGrant`. */
export interface UpdateCollectionTeamGrantInput extends Path<'updateCollectionTeamGrant'> {
  body: GrantPatch;
}

/**
 * Update a team's access to a collection
 *
 * Updates the role granted to a team in a collection.
 */
export function updateCollectionTeamGrant(
  client: Caller,
  input: UpdateCollectionTeamGrantInput,
  options?: CallOptions,
): Promise<void> {
  return client.call('PATCH', '/v1/collections/{collectionId}/permissions/teams/{teamId}', input, options);
}

/** Parameters of `listCollectionUserGrants`. */
export interface ListCollectionUserGrantsInput extends Path<'listCollectionUserGrants'>, Query<'listCollectionUserGrants'> {}

/**
 * List the users with access to a collection
 *
 * Lists the users who have been granted a role in a collection.
 */
export function listCollectionUserGrants(
  client: Caller,
  input: ListCollectionUserGrantsInput,
  options?: CallOptions,
): Promise<UserGrantList> {
  return client.call('GET', '/v1/collections/{collectionId}/permissions/users', input, options);
}

/** Parameters of `deleteCollectionUserGrant`. */
export interface DeleteCollectionUserGrantInput extends Path<'deleteCollectionUserGrant'> {}

/**
 * Revoke a user's access to a collection
 *
 * Revokes a user's access to a collection.
 */
export function deleteCollectionUserGrant(
  client: Caller,
  input: DeleteCollectionUserGrantInput,
  options?: CallOptions,
): Promise<void> {
  return client.call('DELETE', '/v1/collections/{collectionId}/permissions/users/{userId}', input, options);
}

/** Parameters and body of `updateCollectionUserGrant`. */
export interface UpdateCollectionUserGrantInput extends Path<'updateCollectionUserGrant'> {
  body: GrantPatch;
}

/**
 * Update a user's access to a collection
 *
 * Updates the role granted to a user in a collection.
 */
export function updateCollectionUserGrant(
  client: Caller,
  input: UpdateCollectionUserGrantInput,
  options?: CallOptions,
): Promise<void> {
  return client.call('PATCH', '/v1/collections/{collectionId}/permissions/users/{userId}', input, options);
}

/** Parameters of `listCollectionSpaces`. */
export interface ListCollectionSpacesInput extends Path<'listCollectionSpaces'>, Query<'listCollectionSpaces'> {}

/**
 * List the spaces of a collection
 *
 * Lists the spaces directly in a collection, in order of their positions.
 */
export function listCollectionSpaces(
  client: Caller,
  input: ListCollectionSpacesInput,
  options?: CallOptions,
): Promise<SpaceList> {
  return client.call('GET', '/v1/collections/{collectionId}/spaces', input, options);
}

/** Parameters and body of `transferCollection`. */
export interface TransferCollectionInput extends Path<'transferCollection'> {
  body: TransferContent;
}

/**
 * Transfer a collection
 *
 * Transfers a collection and all its contents to another organization of the caller. Changes nothing if it
 * already belongs to the organization.
 * Quotas: spaces, pages, bytes.
 */
export function transferCollection(
  client: Caller,
  input: TransferCollectionInput,
  options?: CallOptions,
): Promise<Collection> {
  return client.call('POST', '/v1/collections/{collectionId}/transfer', input, options);
}

/** Parameters of `getEmailDomainOrganizations`. */
export interface GetEmailDomainOrganizationsInput extends Path<'getEmailDomainOrganizations'> {}

/**
 * Get organizations by email domain
 *
 * Retrieves the organizations that users of an email domain can join and that are visible to the caller.
 */
export function getEmailDomainOrganizations(
  client: Caller,
  input: GetEmailDomainOrganizationsInput,
  options?: CallOptions,
): Promise<EmailDomainOrganizations> {
  return client.call('GET', '/v1/email-domains/{emailDomain}/orgs', input, options);
}

/** Parameters of `listIntegrations`. */
export interface ListIntegrationsInput extends Query<'listIntegrations'> {}

/**
 * List integrations
 *
 * Lists the public integrations, and the private ones of the organizations of the caller, oldest first. Unlisted
 * integrations can only be retrieved by name.
 */
export function listIntegrations(
  client: Caller,
  input: ListIntegrationsInput = {},
  options?: CallOptions,
): Promise<IntegrationList> {
  return client.call('GET', '/v1/integrations', input, options);
}

/** Parameters of `getIntegration`. */
export interface GetIntegrationInput extends Path<'getIntegration'> {}

/**
 * Get an integration
 *
 * Retrieves an integration. A private one exists only for members of its owner, and of organizations where it is
 * installed.
 */
export function getIntegration(
  client: Caller,
  input: GetIntegrationInput,
  options?: CallOptions,
): Promise<Integration> {
  return client.call('GET', '/v1/integrations/{integrationName}', input, options);
}

/** Parameters and body of `publishIntegration`. */
export interface PublishIntegrationInput extends Path<'publishIntegration'> {
  body: IntegrationPublication;
}

/**
 * Publish an integration
 *
 * Publishes a version of an integration. The caller must be an admin of the organization that publishes it. Returns
 * 409 if another organization uses the name. The last 10 versions are retained.
 * Quotas: integrations, bytes.
 */
export function publishIntegration(
  client: Caller,
  input: PublishIntegrationInput,
  options?: CallOptions,
): Promise<Integration> {
  return client.call('POST', '/v1/integrations/{integrationName}', input, options);
}

/** Parameters of `unpublishIntegration`. */
export interface UnpublishIntegrationInput extends Path<'unpublishIntegration'> {}

/**
 * Unpublish an integration
 *
 * Unpublishes an integration and removes all its installations.
 */
export function unpublishIntegration(
  client: Caller,
  input: UnpublishIntegrationInput,
  options?: CallOptions,
): Promise<void> {
  return client.call('DELETE', '/v1/integrations/{integrationName}', input, options);
}

/** Parameters and body of `startIntegrationDevelopment`. */
export interface StartIntegrationDevelopmentInput extends Path<'startIntegrationDevelopment'> {
  body: IntegrationTunnel;
}

/**
 * Start developing an integration
 *
 * Redirects the events of an integration to a URL of its developer.
 */
export function startIntegrationDevelopment(
  client: Caller,
  input: StartIntegrationDevelopmentInput,
  options?: CallOptions,
): Promise<void> {
  return client.call('PUT', '/v1/integrations/{integrationName}/dev', input, options);
}

/** Parameters of `stopIntegrationDevelopment`. */
export interface StopIntegrationDevelopmentInput extends Path<'stopIntegrationDevelopment'> {}

/**
 * Stop developing an integration
 *
 * Sends the events of an integration to its published script again.
 */
export function stopIntegrationDevelopment(
  client: Caller,
  input: StopIntegrationDevelopmentInput,
  options?: CallOptions,
): Promise<void> {
  return client.call('DELETE', '/v1/integrations/{integrationName}/dev', input, options);
}

/** Parameters of `listIntegrationEvents`. */
export interface ListIntegrationEventsInput extends Path<'listIntegrationEvents'>, Query<'listIntegrationEvents'> {}

/**
 * List the events of an integration
 *
 * Lists the events that an integration received, newest first. The caller must be an admin of the organization that
 * published it.
 *
 * Calls are events whose sender waits for the response: `fetch`, `fetch_published_script`,
 * `fetch_visitor_authentication` and `ui_render`. They are recorded after the response, without credentials, at most
 * 20 per second and process of the service, and retained for 1 hour. What the content security policy of a page
 * blocked is the log of a failed event `fetch_published_script`.
 *
 * Each installation receives all other events one at a time, in order and at least once. A repeated event has the
 * same `eventId`. An event is handled if the integration responds within 10 seconds with a status of 200 to 299, or
 * with 406 because it has no handler for its type. Other responses are followed by further attempts after 1 and 10
 * seconds, 1, 5 and 15 minutes, and 1 hour. The last attempt is the seventh, or the first one that fails after 24
 * hours. Events are retained for 7 days after the last attempt, and views of pages for 1 hour.
 */
export function listIntegrationEvents(
  client: Caller,
  input: ListIntegrationEventsInput,
  options?: CallOptions,
): Promise<IntegrationEventList> {
  return client.call('GET', '/v1/integrations/{integrationName}/events', input, options);
}

/** Parameters of `getIntegrationEvent`. */
export interface GetIntegrationEventInput extends Path<'getIntegrationEvent'> {}

/**
 * Get an event of an integration
 *
 * Retrieves an event with the log of its last attempt. The caller must be an admin of the owning organization.
 */
export function getIntegrationEvent(
  client: Caller,
  input: GetIntegrationEventInput,
  options?: CallOptions,
): Promise<IntegrationEventWithTrace> {
  return client.call('GET', '/v1/integrations/{integrationName}/events/{eventId}', input, options);
}

/** Parameters of `listInstallations`. */
export interface ListInstallationsInput extends Path<'listInstallations'>, Query<'listInstallations'> {}

/**
 * List the installations of an integration
 *
 * Lists the installations of an integration that are visible to the caller, oldest first.
 */
export function listInstallations(
  client: Caller,
  input: ListInstallationsInput,
  options?: CallOptions,
): Promise<InstallationList> {
  return client.call('GET', '/v1/integrations/{integrationName}/installations', input, options);
}

/** Parameters and body of `createInstallation`. */
export interface CreateInstallationInput extends Path<'createInstallation'> {
  header?: Header<'createInstallation'>;
  body: InstallationCreate;
}

/**
 * Install an integration
 *
 * Installs an integration in an organization. The status is `pending` while a required setting has no value. A
 * private integration can only be installed by its owner. If the organization already has an installation of the
 * integration, it is returned.
 */
export function createInstallation(
  client: Caller,
  input: CreateInstallationInput,
  options?: CallOptions,
): Promise<Installation> {
  return client.call('POST', '/v1/integrations/{integrationName}/installations', input, options, { nested: ['header'], idempotent: true });
}

/** Parameters of `getInstallation`. */
export interface GetInstallationInput extends Path<'getInstallation'> {}

/**
 * Get an installation
 *
 * Retrieves an installation.
 */
export function getInstallation(
  client: Caller,
  input: GetInstallationInput,
  options?: CallOptions,
): Promise<Installation> {
  return client.call('GET', '/v1/integrations/{integrationName}/installations/{installationId}', input, options);
}

/** Parameters of `deleteInstallation`. */
export interface DeleteInstallationInput extends Path<'deleteInstallation'> {}

/**
 * Uninstall an integration
 *
 * Uninstalls an integration from an organization and from its spaces and sites, and revokes the access tokens of the
 * installation.
 */
export function deleteInstallation(
  client: Caller,
  input: DeleteInstallationInput,
  options?: CallOptions,
): Promise<void> {
  return client.call('DELETE', '/v1/integrations/{integrationName}/installations/{installationId}', input, options);
}

/** Parameters and body of `updateInstallation`. */
export interface UpdateInstallationInput extends Path<'updateInstallation'> {
  body: InstallationPatch;
}

/**
 * Update an installation
 *
 * Updates an installation. An access token of the installation can update the configuration and the external
 * identifiers.
 */
export function updateInstallation(
  client: Caller,
  input: UpdateInstallationInput,
  options?: CallOptions,
): Promise<Installation> {
  return client.call('PATCH', '/v1/integrations/{integrationName}/installations/{installationId}', input, options);
}

/** Parameters of `listInstallationSites`. */
export interface ListInstallationSitesInput extends Path<'listInstallationSites'>, Query<'listInstallationSites'> {}

/**
 * List the sites of an installation
 *
 * Lists the sites of an installation, oldest first.
 */
export function listInstallationSites(
  client: Caller,
  input: ListInstallationSitesInput,
  options?: CallOptions,
): Promise<SiteInstallationList> {
  return client.call('GET', '/v1/integrations/{integrationName}/installations/{installationId}/sites', input, options);
}

/** Parameters and body of `createSiteInstallation`. */
export interface CreateSiteInstallationInput extends Path<'createSiteInstallation'> {
  header?: Header<'createSiteInstallation'>;
  body: SiteInstallationCreate;
}

/**
 * Install an integration on a site
 *
 * Installs an integration on a site. The status is `pending` while a required setting of sites has no value.
 * If it is already installed on the site, that installation is returned. Returns 409 if it cannot be installed on sites.
 */
export function createSiteInstallation(
  client: Caller,
  input: CreateSiteInstallationInput,
  options?: CallOptions,
): Promise<SiteInstallation> {
  return client.call('POST', '/v1/integrations/{integrationName}/installations/{installationId}/sites', input, options, { nested: ['header'], idempotent: true });
}

/** Parameters of `getSiteInstallation`. */
export interface GetSiteInstallationInput extends Path<'getSiteInstallation'> {}

/**
 * Get an installation on a site
 *
 * Retrieves an installation on a site. For access tokens of the installation and of the integration, an
 * installation that applies to all sites has one without settings on each, which is stored when it is updated.
 */
export function getSiteInstallation(
  client: Caller,
  input: GetSiteInstallationInput,
  options?: CallOptions,
): Promise<SiteInstallation> {
  return client.call('GET', '/v1/integrations/{integrationName}/installations/{installationId}/sites/{installedSiteId}', input, options);
}

/** Parameters of `deleteSiteInstallation`. */
export interface DeleteSiteInstallationInput extends Path<'deleteSiteInstallation'> {}

/**
 * Uninstall an integration from a site
 *
 * Uninstalls an integration from a site.
 */
export function deleteSiteInstallation(
  client: Caller,
  input: DeleteSiteInstallationInput,
  options?: CallOptions,
): Promise<void> {
  return client.call('DELETE', '/v1/integrations/{integrationName}/installations/{installationId}/sites/{installedSiteId}', input, options);
}

/** Parameters and body of `updateSiteInstallation`. */
export interface UpdateSiteInstallationInput extends Path<'updateSiteInstallation'> {
  body: ContentInstallationPatch;
}

/**
 * Update an installation on a site
 *
 * Updates an installation on a site. An access token of the installation can update the configuration and the
 * external identifiers.
 */
export function updateSiteInstallation(
  client: Caller,
  input: UpdateSiteInstallationInput,
  options?: CallOptions,
): Promise<SiteInstallation> {
  return client.call('PATCH', '/v1/integrations/{integrationName}/installations/{installationId}/sites/{installedSiteId}', input, options);
}

/** Parameters of `listInstallationSpaces`. */
export interface ListInstallationSpacesInput extends Path<'listInstallationSpaces'>, Query<'listInstallationSpaces'> {}

/**
 * List the spaces of an installation
 *
 * Lists the spaces of an installation, oldest first.
 */
export function listInstallationSpaces(
  client: Caller,
  input: ListInstallationSpacesInput,
  options?: CallOptions,
): Promise<SpaceInstallationList> {
  return client.call('GET', '/v1/integrations/{integrationName}/installations/{installationId}/spaces', input, options);
}

/** Parameters and body of `createSpaceInstallation`. */
export interface CreateSpaceInstallationInput extends Path<'createSpaceInstallation'> {
  header?: Header<'createSpaceInstallation'>;
  body: SpaceInstallationCreate;
}

/**
 * Install an integration on a space
 *
 * Installs an integration on a space. The status is `pending` while a required setting of spaces has no value.
 * If it is already installed on the space, that installation is returned. Returns 409 if it cannot be installed on spaces.
 */
export function createSpaceInstallation(
  client: Caller,
  input: CreateSpaceInstallationInput,
  options?: CallOptions,
): Promise<SpaceInstallation> {
  return client.call('POST', '/v1/integrations/{integrationName}/installations/{installationId}/spaces', input, options, { nested: ['header'], idempotent: true });
}

/** Parameters of `getSpaceInstallation`. */
export interface GetSpaceInstallationInput extends Path<'getSpaceInstallation'> {}

/**
 * Get an installation on a space
 *
 * Retrieves an installation on a space. For access tokens of the installation and of the integration, an
 * installation that applies to all spaces has one without settings on each, which is stored when it is updated.
 */
export function getSpaceInstallation(
  client: Caller,
  input: GetSpaceInstallationInput,
  options?: CallOptions,
): Promise<SpaceInstallation> {
  return client.call('GET', '/v1/integrations/{integrationName}/installations/{installationId}/spaces/{installedSpaceId}', input, options);
}

/** Parameters of `deleteSpaceInstallation`. */
export interface DeleteSpaceInstallationInput extends Path<'deleteSpaceInstallation'> {}

/**
 * Uninstall an integration from a space
 *
 * Uninstalls an integration from a space.
 */
export function deleteSpaceInstallation(
  client: Caller,
  input: DeleteSpaceInstallationInput,
  options?: CallOptions,
): Promise<void> {
  return client.call('DELETE', '/v1/integrations/{integrationName}/installations/{installationId}/spaces/{installedSpaceId}', input, options);
}

/** Parameters and body of `updateSpaceInstallation`. */
export interface UpdateSpaceInstallationInput extends Path<'updateSpaceInstallation'> {
  body: ContentInstallationPatch;
}

/**
 * Update an installation on a space
 *
 * Updates an installation on a space. An access token of the installation can update the configuration and the
 * external identifiers.
 */
export function updateSpaceInstallation(
  client: Caller,
  input: UpdateSpaceInstallationInput,
  options?: CallOptions,
): Promise<SpaceInstallation> {
  return client.call('PATCH', '/v1/integrations/{integrationName}/installations/{installationId}/spaces/{installedSpaceId}', input, options);
}

/** Parameters of `createInstallationToken`. */
export interface CreateInstallationTokenInput extends Path<'createInstallationToken'> {}

/**
 * Create an access token of an installation
 *
 * Creates an access token of an installation, for admins of the organization and of the owner of the integration.
 * It has the published scopes of the integration, and access to the spaces that the installation applies to. Returns
 * 409 if the installation is paused, or already has 1,000 tokens that have not expired.
 */
export function createInstallationToken(
  client: Caller,
  input: CreateInstallationTokenInput,
  options?: CallOptions,
): Promise<InstallationToken> {
  return client.call('POST', '/v1/integrations/{integrationName}/installations/{installationId}/tokens', input, options);
}

/** Parameters of `renderIntegration`. */
export interface RenderIntegrationInput extends Path<'renderIntegration'>, Query<'renderIntegration'> {}

/**
 * Render a component of an integration
 *
 * Renders a component of an integration. The request must fit into a URL.
 *
 * The integration must be installed in the organization of the context. A component in a page is rendered for users
 * who can read its space, once the installation is active; the settings of an installation are rendered for users who
 * can change them, and those of a content source for users who can create content.
 *
 * Returns 409 if the installation is paused or, in a page, incomplete, and 502 if the script of the integration does
 * not return a valid element of at most 256 KiB within 10 seconds. An error of the script for its user is returned with
 * its text and the reason `integration_rejected`: the status is that of the script if it is 400, 402, 403, 404, 406,
 * 409, 410 or 422, and 400 for any other status of a client error.
 */
export function renderIntegration(
  client: Caller,
  input: RenderIntegrationInput,
  options?: CallOptions,
): Promise<RenderResult> {
  return client.call('GET', '/v1/integrations/{integrationName}/render', input, options);
}

/** Parameters and body of `renderIntegrationComponent`. */
export interface RenderIntegrationComponentInput extends Path<'renderIntegrationComponent'> {
  body: RenderRequest;
}

/**
 * Render a component of an integration, with a request in the body
 *
 * Renders a component of an integration. Unlike `renderIntegration`, it accepts the request in the body, so the
 * length of a URL does not limit it.
 */
export function renderIntegrationComponent(
  client: Caller,
  input: RenderIntegrationComponentInput,
  options?: CallOptions,
): Promise<RenderResult> {
  return client.call('POST', '/v1/integrations/{integrationName}/render', input, options);
}

/** Parameters of `listSiteInstallations`. */
export interface ListSiteInstallationsInput extends Path<'listSiteInstallations'>, Query<'listSiteInstallations'> {}

/**
 * List the sites of an integration
 *
 * Lists the sites that an integration is installed on, in the organizations of the caller, oldest first.
 */
export function listSiteInstallations(
  client: Caller,
  input: ListSiteInstallationsInput,
  options?: CallOptions,
): Promise<SiteInstallationList> {
  return client.call('GET', '/v1/integrations/{integrationName}/sites', input, options);
}

/** Parameters of `listSpaceInstallations`. */
export interface ListSpaceInstallationsInput extends Path<'listSpaceInstallations'>, Query<'listSpaceInstallations'> {}

/**
 * List the spaces of an integration
 *
 * Lists the spaces that an integration is installed on, in the organizations of the caller, oldest first.
 */
export function listSpaceInstallations(
  client: Caller,
  input: ListSpaceInstallationsInput,
  options?: CallOptions,
): Promise<SpaceInstallationList> {
  return client.call('GET', '/v1/integrations/{integrationName}/spaces', input, options);
}

/** Parameters of `listImportRuns`. */
export interface ListImportRunsInput extends Path<'listImportRuns'>, Query<'listImportRuns'> {}

/**
 * List import runs
 *
 * Lists the import runs of an organization whose spaces the caller can view, newest first. The 100 latest runs of a
 * space that have ended, including other imports and exports, are retained.
 */
export function listImportRuns(
  client: Caller,
  input: ListImportRunsInput,
  options?: CallOptions,
): Promise<ImportRunList> {
  return client.call('GET', '/v1/org/{organizationId}/imports', input, options);
}

/** Parameters and body of `startImportRun`. */
export interface StartImportRunInput extends Path<'startImportRun'> {
  header?: Header<'startImportRun'>;
  body: ImportRunCreate;
}

/**
 * Start an import
 *
 * Starts an import of a website or of files into a space or a change request. The pages are added at the end of the
 * tree, or of the subpages of a page, in one new revision. Returns 409 if the space is locked, or the change request
 * is merged.
 * Quota: jobs.
 */
export function startImportRun(
  client: Caller,
  input: StartImportRunInput,
  options?: CallOptions,
): Promise<ImportRun> {
  return client.call('POST', '/v1/org/{organizationId}/imports', input, options, { nested: ['header'], idempotent: true });
}

/** Parameters of `getImportRun`. */
export interface GetImportRunInput extends Path<'getImportRun'> {}

/**
 * Get an import run
 *
 * Retrieves an import run: its status, result and problems.
 */
export function getImportRun(
  client: Caller,
  input: GetImportRunInput,
  options?: CallOptions,
): Promise<ImportRun> {
  return client.call('GET', '/v1/org/{organizationId}/imports/{importId}', input, options);
}

/** Parameters of `cancelImportRun`. */
export interface CancelImportRunInput extends Path<'cancelImportRun'> {}

/**
 * Cancel an import
 *
 * Cancels an import run: it changes no content. A run that has ended is unchanged.
 */
export function cancelImportRun(
  client: Caller,
  input: CancelImportRunInput,
  options?: CallOptions,
): Promise<ImportRun> {
  return client.call('POST', '/v1/org/{organizationId}/imports/{importId}/cancel', input, options);
}

/** Parameters of `listOrganizations`. */
export interface ListOrganizationsInput extends Query<'listOrganizations'> {}

/**
 * List organizations
 *
 * Lists the organizations that the caller is a member of.
 */
export function listOrganizations(
  client: Caller,
  input: ListOrganizationsInput = {},
  options?: CallOptions,
): Promise<OrganizationList> {
  return client.call('GET', '/v1/orgs', input, options);
}

/** Parameters and body of `createOrganization`. */
export interface CreateOrganizationInput {
  header?: Header<'createOrganization'>;
  body: OrganizationCreate;
}

/**
 * Create an organization
 *
 * Creates an organization. The caller becomes its admin.
 */
export function createOrganization(
  client: Caller,
  input: CreateOrganizationInput,
  options?: CallOptions,
): Promise<Organization> {
  return client.call('POST', '/v1/orgs', input, options, { nested: ['header'], idempotent: true });
}

/** Parameters of `getOrganization`. */
export interface GetOrganizationInput extends Path<'getOrganization'> {}

/**
 * Get an organization
 *
 * Retrieves an organization.
 */
export function getOrganization(
  client: Caller,
  input: GetOrganizationInput,
  options?: CallOptions,
): Promise<Organization> {
  return client.call('GET', '/v1/orgs/{organizationId}', input, options);
}

/** Parameters and body of `updateOrganization`. */
export interface UpdateOrganizationInput extends Path<'updateOrganization'> {
  body: OrganizationPatch;
}

/**
 * Update an organization
 *
 * Updates an organization. Returns 409 if another organization uses the `hostname`.
 */
export function updateOrganization(
  client: Caller,
  input: UpdateOrganizationInput,
  options?: CallOptions,
): Promise<Organization> {
  return client.call('PATCH', '/v1/orgs/{organizationId}', input, options);
}

/** Parameters of `listAuditEvents`. */
export interface ListAuditEventsInput extends Path<'listAuditEvents'>, Query<'listAuditEvents'> {}

/**
 * List audit events
 *
 * Lists the audit events of an organization, newest first, for admins. They report changes to permissions, members,
 * tokens, visibility and integrations, and deletions. Events of access tokens are listed in the organization that
 * their user joined first. Events are retained for 400 days unless the operator configures another period.
 */
export function listAuditEvents(
  client: Caller,
  input: ListAuditEventsInput,
  options?: CallOptions,
): Promise<AuditEventList> {
  return client.call('GET', '/v1/orgs/{organizationId}/audit-events', input, options);
}

/** Parameters of `getAuditEvent`. */
export interface GetAuditEventInput extends Path<'getAuditEvent'> {}

/**
 * Get an audit event
 *
 * Retrieves an audit event, for admins.
 */
export function getAuditEvent(
  client: Caller,
  input: GetAuditEventInput,
  options?: CallOptions,
): Promise<AuditEventDetails> {
  return client.call('GET', '/v1/orgs/{organizationId}/audit-events/{auditEventId}', input, options);
}

/** Parameters of `listCollections`. */
export interface ListCollectionsInput extends Path<'listCollections'>, Query<'listCollections'> {}

/**
 * List collections
 *
 * Lists the collections of an organization that are visible to the caller.
 */
export function listCollections(
  client: Caller,
  input: ListCollectionsInput,
  options?: CallOptions,
): Promise<CollectionList> {
  return client.call('GET', '/v1/orgs/{organizationId}/collections', input, options);
}

/** Parameters and body of `createCollection`. */
export interface CreateCollectionInput extends Path<'createCollection'> {
  header?: Header<'createCollection'>;
  body?: CollectionCreate | undefined;
}

/**
 * Create a collection
 *
 * Creates a collection at the end of its parent.
 */
export function createCollection(
  client: Caller,
  input: CreateCollectionInput,
  options?: CallOptions,
): Promise<Collection> {
  return client.call('POST', '/v1/orgs/{organizationId}/collections', input, options, { nested: ['header'], idempotent: true });
}

/** Parameters of `listOrganizationFiles`. */
export interface ListOrganizationFilesInput extends Path<'listOrganizationFiles'>, Query<'listOrganizationFiles'> {}

/**
 * List the files of an organization
 *
 * Lists the files of an organization, for users who can create sites, oldest first.
 */
export function listOrganizationFiles(
  client: Caller,
  input: ListOrganizationFilesInput,
  options?: CallOptions,
): Promise<OrganizationFileList> {
  return client.call('GET', '/v1/orgs/{organizationId}/files', input, options);
}

/** Parameters and body of `createOrganizationFile`. */
export interface CreateOrganizationFileInput extends Path<'createOrganizationFile'> {
  header?: Header<'createOrganizationFile'>;
  body: OrganizationFileCreate;
}

/**
 * Upload an image of an organization
 *
 * Uploads an image of at most 2 MiB, for users who can create sites. Everyone who knows its URL can read it. If the
 * organization has a file with the same content, that file is returned instead. An organization has at most 1,000
 * files.
 * Quota: bytes.
 */
export function createOrganizationFile(
  client: Caller,
  input: CreateOrganizationFileInput,
  options?: CallOptions,
): Promise<OrganizationFile> {
  return client.call('POST', '/v1/orgs/{organizationId}/files', input, options, { nested: ['header'], idempotent: true });
}

/** Parameters of `getOrganizationFile`. */
export interface GetOrganizationFileInput extends Path<'getOrganizationFile'> {}

/**
 * Get a file of an organization
 *
 * Retrieves a file of an organization, for users who can create sites.
 */
export function getOrganizationFile(
  client: Caller,
  input: GetOrganizationFileInput,
  options?: CallOptions,
): Promise<OrganizationFile> {
  return client.call('GET', '/v1/orgs/{organizationId}/files/{organizationFileId}', input, options);
}

/** Parameters of `deleteOrganizationFile`. */
export interface DeleteOrganizationFileInput extends Path<'deleteOrganizationFile'> {}

/**
 * Delete a file of an organization
 *
 * Deletes a file. Its URL stops working, also on sites that show the image.
 */
export function deleteOrganizationFile(
  client: Caller,
  input: DeleteOrganizationFileInput,
  options?: CallOptions,
): Promise<void> {
  return client.call('DELETE', '/v1/orgs/{organizationId}/files/{organizationFileId}', input, options);
}

/** Parameters and body of `inviteUsers`. */
export interface InviteUsersInput extends Path<'inviteUsers'> {
  body: InviteUsers;
}

/**
 * Invite users by email address
 *
 * Adds members by email address. Existing members are unchanged. An address that belongs to no user gets a pending
 * invitation. It is accepted when an operator creates a user with the address, or when such a user signs in through a
 * SAML provider of the organization; otherwise, the user can accept it with `acceptInvite`.
 * Quota: members.
 */
export function inviteUsers(
  client: Caller,
  input: InviteUsersInput,
  options?: CallOptions,
): Promise<InvitedUsers> {
  return client.call('POST', '/v1/orgs/{organizationId}/invites', input, options);
}

/** Parameters of `acceptInvite`. */
export interface AcceptInviteInput extends Path<'acceptInvite'> {}

/**
 * Accept an invitation
 *
 * Adds the caller as a member through an invite link, or an invitation to their email address. Existing members retain
 * the higher of both roles. Returns 403 if the membership of the caller is disabled, and 409 for an invite link while
 * the organization has invite links disabled.
 * Quota: members.
 */
export function acceptInvite(
  client: Caller,
  input: AcceptInviteInput,
  options?: CallOptions,
): Promise<Member> {
  return client.call('POST', '/v1/orgs/{organizationId}/invites/{inviteId}', input, options);
}

/** Parameters of `listLinkInvites`. */
export interface ListLinkInvitesInput extends Path<'listLinkInvites'>, Query<'listLinkInvites'> {}

/**
 * List invite links
 *
 * Lists the invite links of an organization. Admins see all of them. Other members see those to the spaces and
 * collections for which they have the `viewInviteLinks` permission.
 */
export function listLinkInvites(
  client: Caller,
  input: ListLinkInvitesInput,
  options?: CallOptions,
): Promise<LinkInviteList> {
  return client.call('GET', '/v1/orgs/{organizationId}/link-invites', input, options);
}

/** Parameters and body of `createLinkInvite`. */
export interface CreateLinkInviteInput extends Path<'createLinkInvite'> {
  header?: Header<'createLinkInvite'>;
  body: LinkInviteCreate;
}

/**
 * Create an invite link
 *
 * Creates an invite link to the organization, a space or a collection.
 */
export function createLinkInvite(
  client: Caller,
  input: CreateLinkInviteInput,
  options?: CallOptions,
): Promise<LinkInvite> {
  return client.call('POST', '/v1/orgs/{organizationId}/link-invites', input, options, { nested: ['header'], idempotent: true });
}

/** Parameters of `getLinkInvite`. */
export interface GetLinkInviteInput extends Path<'getLinkInvite'> {}

/**
 * Get an invite link
 *
 * Retrieves an invite link.
 */
export function getLinkInvite(
  client: Caller,
  input: GetLinkInviteInput,
  options?: CallOptions,
): Promise<LinkInvite> {
  return client.call('GET', '/v1/orgs/{organizationId}/link-invites/{inviteId}', input, options);
}

/** Parameters of `deleteLinkInvite`. */
export interface DeleteLinkInviteInput extends Path<'deleteLinkInvite'> {}

/**
 * Delete an invite link
 *
 * Deletes an invite link. It can no longer be accepted.
 */
export function deleteLinkInvite(
  client: Caller,
  input: DeleteLinkInviteInput,
  options?: CallOptions,
): Promise<void> {
  return client.call('DELETE', '/v1/orgs/{organizationId}/link-invites/{inviteId}', input, options);
}

/** Parameters and body of `updateLinkInvite`. */
export interface UpdateLinkInviteInput extends Path<'updateLinkInvite'> {
  body: LinkInvitePatch;
}

/**
 * Update an invite link
 *
 * Updates the role or the level of an invite link. Returns 409 for a `level` if the link is to the organization, and
 * for a `role` if it is to a space or collection.
 */
export function updateLinkInvite(
  client: Caller,
  input: UpdateLinkInviteInput,
  options?: CallOptions,
): Promise<LinkInvite> {
  return client.call('PATCH', '/v1/orgs/{organizationId}/link-invites/{inviteId}', input, options);
}

/** Parameters of `listMembers`. */
export interface ListMembersInput extends Path<'listMembers'>, Query<'listMembers'> {}

/**
 * List members
 *
 * Lists the members of an organization, including guests.
 */
export function listMembers(
  client: Caller,
  input: ListMembersInput,
  options?: CallOptions,
): Promise<MemberList> {
  return client.call('GET', '/v1/orgs/{organizationId}/members', input, options);
}

/** Parameters of `getMember`. */
export interface GetMemberInput extends Path<'getMember'> {}

/**
 * Get a member
 *
 * Retrieves a member.
 */
export function getMember(
  client: Caller,
  input: GetMemberInput,
  options?: CallOptions,
): Promise<Member> {
  return client.call('GET', '/v1/orgs/{organizationId}/members/{userId}', input, options);
}

/** Parameters of `deleteMember`. */
export interface DeleteMemberInput extends Path<'deleteMember'> {}

/**
 * Remove a member
 *
 * Removes a member from the organization, with all grants, team memberships and requested reviews there. Members can
 * remove themselves. Returns 409 for the last admin who is not disabled.
 */
export function deleteMember(
  client: Caller,
  input: DeleteMemberInput,
  options?: CallOptions,
): Promise<void> {
  return client.call('DELETE', '/v1/orgs/{organizationId}/members/{userId}', input, options);
}

/** Parameters and body of `updateMember`. */
export interface UpdateMemberInput extends Path<'updateMember'> {
  body: MemberPatch;
}

/**
 * Update a member
 *
 * Updates the role of a member. Returns 409 if the last admin who is not disabled would lose that role.
 */
export function updateMember(
  client: Caller,
  input: UpdateMemberInput,
  options?: CallOptions,
): Promise<Member> {
  return client.call('PATCH', '/v1/orgs/{organizationId}/members/{userId}', input, options);
}

/** Parameters of `listMemberSpaces`. */
export interface ListMemberSpacesInput extends Path<'listMemberSpaces'>, Query<'listMemberSpaces'> {}

/**
 * List the spaces of a member
 *
 * Lists the spaces that a member has access to and that are visible to the caller, with the role of the member in
 * each.
 */
export function listMemberSpaces(
  client: Caller,
  input: ListMemberSpacesInput,
  options?: CallOptions,
): Promise<MemberSpaceList> {
  return client.call('GET', '/v1/orgs/{organizationId}/members/{userId}/spaces', input, options);
}

/** Parameters of `enableMemberSso`. */
export interface EnableMemberSsoInput extends Path<'enableMemberSso'> {}

/**
 * Enable SSO for a member
 *
 * Requires a member to sign in through the SAML provider of the organization from now on.
 */
export function enableMemberSso(
  client: Caller,
  input: EnableMemberSsoInput,
  options?: CallOptions,
): Promise<Member> {
  return client.call('POST', '/v1/orgs/{organizationId}/members/{userId}/sso', input, options);
}

/** Parameters of `listMemberTeams`. */
export interface ListMemberTeamsInput extends Path<'listMemberTeams'>, Query<'listMemberTeams'> {}

/**
 * List the teams of a member
 *
 * Lists the teams that a member belongs to, with the membership in each.
 */
export function listMemberTeams(
  client: Caller,
  input: ListMemberTeamsInput,
  options?: CallOptions,
): Promise<MemberTeamList> {
  return client.call('GET', '/v1/orgs/{organizationId}/members/{userId}/teams', input, options);
}

/** Parameters of `listMemberAccessTokens`. */
export interface ListMemberAccessTokensInput extends Path<'listMemberAccessTokens'>, Query<'listMemberAccessTokens'> {}

/**
 * List the access tokens of a member
 *
 * Lists the access tokens of a member, for admins. A token acts for its user in all of their organizations, so only
 * one of them manages it: the organization that the user joined first. In any other organization, this operation
 * returns 403, and removing the member ends the access of their tokens.
 */
export function listMemberAccessTokens(
  client: Caller,
  input: ListMemberAccessTokensInput,
  options?: CallOptions,
): Promise<UserAccessTokenList> {
  return client.call('GET', '/v1/orgs/{organizationId}/members/{userId}/tokens', input, options);
}

/** Parameters of `revokeMemberAccessToken`. */
export interface RevokeMemberAccessTokenInput extends Path<'revokeMemberAccessToken'> {}

/**
 * Revoke an access token of a member
 *
 * Revokes an access token of a member, for admins of the organization that the user joined first. The token is
 * rejected from the next request on, in all organizations of the member.
 */
export function revokeMemberAccessToken(
  client: Caller,
  input: RevokeMemberAccessTokenInput,
  options?: CallOptions,
): Promise<void> {
  return client.call('DELETE', '/v1/orgs/{organizationId}/members/{userId}/tokens/{tokenId}', input, options);
}

/** Parameters of `listOpenAPISpecs`. */
export interface ListOpenAPISpecsInput extends Path<'listOpenAPISpecs'>, Query<'listOpenAPISpecs'> {}

/**
 * List OpenAPI specifications
 *
 * Lists the OpenAPI specifications of an organization, oldest first.
 */
export function listOpenAPISpecs(
  client: Caller,
  input: ListOpenAPISpecsInput,
  options?: CallOptions,
): Promise<OpenAPISpecList> {
  return client.call('GET', '/v1/orgs/{organizationId}/openapi', input, options);
}

/** Parameters and body of `createOpenAPISpec`. */
export interface CreateOpenAPISpecInput extends Path<'createOpenAPISpec'> {
  header?: Header<'createOpenAPISpec'>;
  body: OpenAPISpecCreate;
}

/**
 * Create an OpenAPI specification
 *
 * Creates an OpenAPI specification and starts processing its source. Returns 409 if the slug is already in use.
 * Quota: jobs.
 */
export function createOpenAPISpec(
  client: Caller,
  input: CreateOpenAPISpecInput,
  options?: CallOptions,
): Promise<OpenAPISpec> {
  return client.call('POST', '/v1/orgs/{organizationId}/openapi', input, options, { nested: ['header'], idempotent: true });
}

/** Parameters of `getOpenAPISpec`. */
export interface GetOpenAPISpecInput extends Path<'getOpenAPISpec'> {}

/**
 * Get an OpenAPI specification
 *
 * Retrieves an OpenAPI specification with the processing state of its source.
 */
export function getOpenAPISpec(
  client: Caller,
  input: GetOpenAPISpecInput,
  options?: CallOptions,
): Promise<OpenAPISpec> {
  return client.call('GET', '/v1/orgs/{organizationId}/openapi/{specSlug}', input, options);
}

/** Parameters and body of `putOpenAPISpec`. */
export interface PutOpenAPISpecInput extends Path<'putOpenAPISpec'> {
  body: OpenAPISpecUpdate;
}

/**
 * Create or update an OpenAPI specification
 *
 * Creates an OpenAPI specification, or replaces its source. In both cases, processing starts.
 * Quota: jobs.
 */
export function putOpenAPISpec(
  client: Caller,
  input: PutOpenAPISpecInput,
  options?: CallOptions,
): Promise<OpenAPISpec> {
  return client.call('PUT', '/v1/orgs/{organizationId}/openapi/{specSlug}', input, options);
}

/** Parameters of `deleteOpenAPISpec`. */
export interface DeleteOpenAPISpecInput extends Path<'deleteOpenAPISpec'> {}

/**
 * Delete an OpenAPI specification
 *
 * Deletes an OpenAPI specification and all its versions.
 */
export function deleteOpenAPISpec(
  client: Caller,
  input: DeleteOpenAPISpecInput,
  options?: CallOptions,
): Promise<void> {
  return client.call('DELETE', '/v1/orgs/{organizationId}/openapi/{specSlug}', input, options);
}

/** Parameters and body of `updateOpenAPISpec`. */
export interface UpdateOpenAPISpecInput extends Path<'updateOpenAPISpec'> {
  body: OpenAPISpecPatch;
}

/**
 * Update an OpenAPI specification
 *
 * Updates the visibility of an OpenAPI specification.
 */
export function updateOpenAPISpec(
  client: Caller,
  input: UpdateOpenAPISpecInput,
  options?: CallOptions,
): Promise<OpenAPISpec> {
  return client.call('PATCH', '/v1/orgs/{organizationId}/openapi/{specSlug}', input, options);
}

/** Parameters of `listOpenAPISpecVersions`. */
export interface ListOpenAPISpecVersionsInput extends Path<'listOpenAPISpecVersions'>, Query<'listOpenAPISpecVersions'> {}

/**
 * List the versions of an OpenAPI specification
 *
 * Lists the versions of an OpenAPI specification, oldest first.
 */
export function listOpenAPISpecVersions(
  client: Caller,
  input: ListOpenAPISpecVersionsInput,
  options?: CallOptions,
): Promise<OpenAPISpecVersionList> {
  return client.call('GET', '/v1/orgs/{organizationId}/openapi/{specSlug}/versions', input, options);
}

/** Parameters of `getLatestOpenAPISpecVersion`. */
export interface GetLatestOpenAPISpecVersionInput extends Path<'getLatestOpenAPISpecVersion'> {}

/**
 * Get the latest version of an OpenAPI specification
 *
 * Retrieves the latest version of an OpenAPI specification. Returns 404 until its source has been processed once.
 */
export function getLatestOpenAPISpecVersion(
  client: Caller,
  input: GetLatestOpenAPISpecVersionInput,
  options?: CallOptions,
): Promise<OpenAPISpecVersion> {
  return client.call('GET', '/v1/orgs/{organizationId}/openapi/{specSlug}/versions/latest', input, options);
}

/** Parameters of `getLatestOpenAPISpecVersionContent`. */
export interface GetLatestOpenAPISpecVersionContentInput extends Path<'getLatestOpenAPISpecVersionContent'> {}

/**
 * Get the content of the latest version of an OpenAPI specification
 *
 * Retrieves the content of the latest version of an OpenAPI specification.
 */
export function getLatestOpenAPISpecVersionContent(
  client: Caller,
  input: GetLatestOpenAPISpecVersionContentInput,
  options?: CallOptions,
): Promise<OpenAPIVersionContent> {
  return client.call('GET', '/v1/orgs/{organizationId}/openapi/{specSlug}/versions/latest/content', input, options);
}

/** Parameters of `getOpenAPISpecVersion`. */
export interface GetOpenAPISpecVersionInput extends Path<'getOpenAPISpecVersion'> {}

/**
 * Get a version of an OpenAPI specification
 *
 * Retrieves a version of an OpenAPI specification.
 */
export function getOpenAPISpecVersion(
  client: Caller,
  input: GetOpenAPISpecVersionInput,
  options?: CallOptions,
): Promise<OpenAPISpecVersion> {
  return client.call('GET', '/v1/orgs/{organizationId}/openapi/{specSlug}/versions/{versionId}', input, options);
}

/** Parameters of `getOpenAPISpecVersionContent`. */
export interface GetOpenAPISpecVersionContentInput extends Path<'getOpenAPISpecVersionContent'> {}

/**
 * Get the content of a version of an OpenAPI specification
 *
 * Retrieves the content of a version of an OpenAPI specification.
 */
export function getOpenAPISpecVersionContent(
  client: Caller,
  input: GetOpenAPISpecVersionContentInput,
  options?: CallOptions,
): Promise<OpenAPIVersionContent> {
  return client.call('GET', '/v1/orgs/{organizationId}/openapi/{specSlug}/versions/{versionId}/content', input, options);
}

/** Parameters of `pingOrganization`. */
export interface PingOrganizationInput extends Path<'pingOrganization'> {}

/**
 * Record activity of the caller
 *
 * Records that the caller is active in the organization now. Returns a token for visits to its published sites.
 */
export function pingOrganization(
  client: Caller,
  input: PingOrganizationInput,
  options?: CallOptions,
): Promise<Ping> {
  return client.call('POST', '/v1/orgs/{organizationId}/ping', input, options);
}

/** Parameters of `getOrganizationQuotas`. */
export interface GetOrganizationQuotasInput extends Path<'getOrganizationQuotas'> {}

/**
 * Get the quotas of an organization
 *
 * Retrieves the quotas of an organization and their use.
 */
export function getOrganizationQuotas(
  client: Caller,
  input: GetOrganizationQuotasInput,
  options?: CallOptions,
): Promise<OrganizationQuotas> {
  return client.call('GET', '/v1/orgs/{organizationId}/quotas', input, options);
}

/** Parameters of `listSamlProviders`. */
export interface ListSamlProvidersInput extends Path<'listSamlProviders'>, Query<'listSamlProviders'> {}

/**
 * List SAML providers
 *
 * Lists the SAML providers of an organization, for admins.
 */
export function listSamlProviders(
  client: Caller,
  input: ListSamlProvidersInput,
  options?: CallOptions,
): Promise<SamlProviderList> {
  return client.call('GET', '/v1/orgs/{organizationId}/saml', input, options);
}

/** Parameters and body of `createSamlProvider`. */
export interface CreateSamlProviderInput extends Path<'createSamlProvider'> {
  header?: Header<'createSamlProvider'>;
  body: SamlProviderCreate;
}

/**
 * Create a SAML provider
 *
 * Creates a SAML provider. It is pending until its entity ID, certificate and sign-in URL are set.
 */
export function createSamlProvider(
  client: Caller,
  input: CreateSamlProviderInput,
  options?: CallOptions,
): Promise<SamlProvider> {
  return client.call('POST', '/v1/orgs/{organizationId}/saml', input, options, { nested: ['header'], idempotent: true });
}

/** Parameters of `getSamlProvider`. */
export interface GetSamlProviderInput extends Path<'getSamlProvider'> {}

/**
 * Get a SAML provider
 *
 * Retrieves a SAML provider.
 */
export function getSamlProvider(
  client: Caller,
  input: GetSamlProviderInput,
  options?: CallOptions,
): Promise<SamlProvider> {
  return client.call('GET', '/v1/orgs/{organizationId}/saml/{samlProviderId}', input, options);
}

/** Parameters of `deleteSamlProvider`. */
export interface DeleteSamlProviderInput extends Path<'deleteSamlProvider'> {}

/**
 * Delete a SAML provider
 *
 * Deletes a SAML provider. Members can no longer sign in with it.
 */
export function deleteSamlProvider(
  client: Caller,
  input: DeleteSamlProviderInput,
  options?: CallOptions,
): Promise<void> {
  return client.call('DELETE', '/v1/orgs/{organizationId}/saml/{samlProviderId}', input, options);
}

/** Parameters and body of `updateSamlProvider`. */
export interface UpdateSamlProviderInput extends Path<'updateSamlProvider'> {
  body: SamlProviderPatch;
}

/**
 * Update a SAML provider
 *
 * Updates a SAML provider.
 */
export function updateSamlProvider(
  client: Caller,
  input: UpdateSamlProviderInput,
  options?: CallOptions,
): Promise<SamlProvider> {
  return client.call('PATCH', '/v1/orgs/{organizationId}/saml/{samlProviderId}', input, options);
}

/** Parameters of `searchOrganization`. */
export interface SearchOrganizationInput extends Path<'searchOrganization'>, Query<'searchOrganization'> {}

/**
 * Search an organization
 *
 * Searches all content of an organization that the caller can read. Spaces, and the pages within each space, are
 * sorted by relevance.
 */
export function searchOrganization(
  client: Caller,
  input: SearchOrganizationInput,
  options?: CallOptions,
): Promise<SearchResultSpaceList> {
  return client.call('GET', '/v1/orgs/{organizationId}/search', input, options);
}

/** Parameters of `listSites`. */
export interface ListSitesInput extends Path<'listSites'>, Query<'listSites'> {}

/**
 * List sites
 *
 * Lists the sites of an organization that are visible to the caller, oldest first.
 */
export function listSites(
  client: Caller,
  input: ListSitesInput,
  options?: CallOptions,
): Promise<SiteList> {
  return client.call('GET', '/v1/orgs/{organizationId}/sites', input, options);
}

/** Parameters and body of `createSite`. */
export interface CreateSiteInput extends Path<'createSite'> {
  header?: Header<'createSite'>;
  body?: SiteCreate | undefined;
}

/**
 * Create a site
 *
 * Creates a site. It is initially unpublished. Without a body, it is empty and untitled.
 */
export function createSite(
  client: Caller,
  input: CreateSiteInput,
  options?: CallOptions,
): Promise<Site> {
  return client.call('POST', '/v1/orgs/{organizationId}/sites', input, options, { nested: ['header'], idempotent: true });
}

/** Parameters of `getSite`. */
export interface GetSiteInput extends Path<'getSite'> {}

/**
 * Get a site
 *
 * Retrieves a site.
 */
export function getSite(
  client: Caller,
  input: GetSiteInput,
  options?: CallOptions,
): Promise<Site> {
  return client.call('GET', '/v1/orgs/{organizationId}/sites/{siteId}', input, options);
}

/** Parameters of `deleteSite`. */
export interface DeleteSiteInput extends Path<'deleteSite'> {}

/**
 * Delete a site
 *
 * Deletes a site. Its spaces are not deleted.
 */
export function deleteSite(
  client: Caller,
  input: DeleteSiteInput,
  options?: CallOptions,
): Promise<void> {
  return client.call('DELETE', '/v1/orgs/{organizationId}/sites/{siteId}', input, options);
}

/** Parameters and body of `updateSite`. */
export interface UpdateSiteInput extends Path<'updateSite'> {
  body: SitePatch;
}

/**
 * Update a site
 *
 * Updates the settings of a site. Returns 409 if another site uses the `basename` or the `proxy`.
 */
export function updateSite(
  client: Caller,
  input: UpdateSiteInput,
  options?: CallOptions,
): Promise<Site> {
  return client.call('PATCH', '/v1/orgs/{organizationId}/sites/{siteId}', input, options);
}

/** Parameters of `getSiteAdaptiveSchema`. */
export interface GetSiteAdaptiveSchemaInput extends Path<'getSiteAdaptiveSchema'> {}

/**
 * Get the adaptive schema of a site
 *
 * Retrieves the claims that conditions on a site can use. Returns 404 if they were never set.
 */
export function getSiteAdaptiveSchema(
  client: Caller,
  input: GetSiteAdaptiveSchemaInput,
  options?: CallOptions,
): Promise<SiteAdaptiveSchema> {
  return client.call('GET', '/v1/orgs/{organizationId}/sites/{siteId}/adaptive-schema', input, options);
}

/** Parameters and body of `replaceSiteAdaptiveSchema`. */
export interface ReplaceSiteAdaptiveSchemaInput extends Path<'replaceSiteAdaptiveSchema'> {
  body: SiteAdaptiveSchemaUpdate;
}

/**
 * Replace the adaptive schema of a site
 *
 * Sets the claims that conditions on a site can use. They replace all earlier claims. A condition on a claim that no
 * longer exists is false: sections and site spaces with that condition are hidden.
 */
export function replaceSiteAdaptiveSchema(
  client: Caller,
  input: ReplaceSiteAdaptiveSchemaInput,
  options?: CallOptions,
): Promise<SiteAdaptiveSchema> {
  return client.call('PUT', '/v1/orgs/{organizationId}/sites/{siteId}/adaptive-schema', input, options);
}

/** Parameters of `getSiteAdaptiveConditionTemplates`. */
export interface GetSiteAdaptiveConditionTemplatesInput extends Path<'getSiteAdaptiveConditionTemplates'> {}

/**
 * Get the condition templates of a site
 *
 * Retrieves ready-to-use conditions based on the claims of a site: for each claim, one that it is set and one that it
 * is not set. There are none if the claims were never set.
 */
export function getSiteAdaptiveConditionTemplates(
  client: Caller,
  input: GetSiteAdaptiveConditionTemplatesInput,
  options?: CallOptions,
): Promise<AdaptiveConditionTemplates> {
  return client.call('GET', '/v1/orgs/{organizationId}/sites/{siteId}/adaptive-schema/template-conditions', input, options);
}

/** Parameters and body of `askSite`. */
export interface AskSiteInput extends Path<'askSite'>, Query<'askSite'> {
  body: SiteQuestion;
}

/**
 * Ask a question about a published site
 *
 * Answers a question about the content of a site with a language model. The model receives the question and the best
 * sections that `searchSite` finds for the caller. The answer is returned as a whole, not as a stream, and is not stored.
 * Returns 501 unless the operator of the service configured a language model, and 502 if the model does not answer in time.
 */
export function askSite(
  client: Caller,
  input: AskSiteInput,
  options?: CallOptions,
): Promise<SiteAnswer> {
  return client.call('POST', '/v1/orgs/{organizationId}/sites/{siteId}/ask', input, options);
}

/** Parameters of `getSiteCustomization`. */
export interface GetSiteCustomizationInput extends Path<'getSiteCustomization'> {}

/**
 * Get the customization of a site
 *
 * Retrieves the customization of a site. It has default values until it is replaced.
 */
export function getSiteCustomization(
  client: Caller,
  input: GetSiteCustomizationInput,
  options?: CallOptions,
): Promise<SiteCustomization> {
  return client.call('GET', '/v1/orgs/{organizationId}/sites/{siteId}/customization', input, options);
}

/** Parameters and body of `replaceSiteCustomization`. */
export interface ReplaceSiteCustomizationInput extends Path<'replaceSiteCustomization'> {
  body: SiteCustomization;
}

/**
 * Replace the customization of a site
 *
 * Replaces the customization of a site.
 */
export function replaceSiteCustomization(
  client: Caller,
  input: ReplaceSiteCustomizationInput,
  options?: CallOptions,
): Promise<SiteCustomization> {
  return client.call('PUT', '/v1/orgs/{organizationId}/sites/{siteId}/customization', input, options);
}

/** Parameters of `listSiteFeedback`. */
export interface ListSiteFeedbackInput extends Path<'listSiteFeedback'>, Query<'listSiteFeedback'> {}

/**
 * List the feedback of the readers of a site
 *
 * Lists the opinions of readers about the pages of a site, for users who can edit the site, oldest first. Readers give
 * them in a form below each page, if the customization enables `feedback`. The latest 10,000 are retained, for 400
 * days.
 */
export function listSiteFeedback(
  client: Caller,
  input: ListSiteFeedbackInput,
  options?: CallOptions,
): Promise<SiteFeedbackList> {
  return client.call('GET', '/v1/orgs/{organizationId}/sites/{siteId}/feedback', input, options);
}

/** Parameters and body of `recordSiteEvents`. */
export interface RecordSiteEventsInput extends Path<'recordSiteEvents'>, Query<'recordSiteEvents'> {
  body: SiteInsightsEvents;
}

/**
 * Record events of visitors of a published site
 *
 * Accepts events of visitors of a published site. This service does not store them.
 */
export function recordSiteEvents(
  client: Caller,
  input: RecordSiteEventsInput,
  options?: CallOptions,
): Promise<void> {
  return client.call('POST', '/v1/orgs/{organizationId}/sites/{siteId}/insights/events', input, options);
}

/** Parameters of `publishSite`. */
export interface PublishSiteInput extends Path<'publishSite'> {}

/**
 * Publish a site
 *
 * Publishes a site: the audience set by its `visibility` can reach it at `urls.published`.
 */
export function publishSite(
  client: Caller,
  input: PublishSiteInput,
  options?: CallOptions,
): Promise<Site> {
  return client.call('POST', '/v1/orgs/{organizationId}/sites/{siteId}/publish', input, options);
}

/** Parameters of `getPublishedSite`. */
export interface GetPublishedSiteInput extends Path<'getPublishedSite'>, Query<'getPublishedSite'> {}

/**
 * Get a published site
 *
 * Retrieves a published site as the caller sees it as a visitor: structure, customization and scripts, without
 * sections and spaces whose conditions exclude the caller. Members of the organization are admitted to every
 * visibility. Guests are admitted to sites with a space visible to them; if the `visibility` does not admit them
 * otherwise, they see only such spaces.
 */
export function getPublishedSite(
  client: Caller,
  input: GetPublishedSiteInput,
  options?: CallOptions,
): Promise<PublishedSite> {
  return client.call('GET', '/v1/orgs/{organizationId}/sites/{siteId}/published', input, options);
}

/** Parameters of `getSitePublishingAuth`. */
export interface GetSitePublishingAuthInput extends Path<'getSitePublishingAuth'> {}

/**
 * Get the visitor authentication of a site
 *
 * Retrieves the signing key and settings of visitor authentication, for users who can edit the site.
 */
export function getSitePublishingAuth(
  client: Caller,
  input: GetSitePublishingAuthInput,
  options?: CallOptions,
): Promise<SitePublishingAuth> {
  return client.call('GET', '/v1/orgs/{organizationId}/sites/{siteId}/publishing/auth', input, options);
}

/** Parameters and body of `updateSitePublishingAuth`. */
export interface UpdateSitePublishingAuthInput extends Path<'updateSitePublishingAuth'> {
  body: SitePublishingAuthPatch;
}

/**
 * Update the visitor authentication of a site
 *
 * Updates the settings of visitor authentication. A change of the backend ends all sessions of visitors.
 */
export function updateSitePublishingAuth(
  client: Caller,
  input: UpdateSitePublishingAuthInput,
  options?: CallOptions,
): Promise<SitePublishingAuth> {
  return client.call('PATCH', '/v1/orgs/{organizationId}/sites/{siteId}/publishing/auth', input, options);
}

/** Parameters of `regenerateSitePublishingAuth`. */
export interface RegenerateSitePublishingAuthInput extends Path<'regenerateSitePublishingAuth'> {}

/**
 * Regenerate the signing key of a site
 *
 * Replaces the signing key. Tokens that were signed with the previous key, and all sessions of visitors, end.
 */
export function regenerateSitePublishingAuth(
  client: Caller,
  input: RegenerateSitePublishingAuthInput,
  options?: CallOptions,
): Promise<SitePublishingAuth> {
  return client.call('POST', '/v1/orgs/{organizationId}/sites/{siteId}/publishing/auth/regenerate', input, options);
}

/** Parameters of `getSiteRedirectBySource`. */
export interface GetSiteRedirectBySourceInput extends Path<'getSiteRedirectBySource'>, Query<'getSiteRedirectBySource'> {}

/**
 * Find the redirect of a path of a published site
 *
 * Finds where a path of a published site redirects to: the redirects of the site and of imported repositories, earlier
 * paths of pages, and other forms of the path of a page, except for a slash at its end. Returns 404 if the path does not redirect.
 */
export function getSiteRedirectBySource(
  client: Caller,
  input: GetSiteRedirectBySourceInput,
  options?: CallOptions,
): Promise<ResolvedSiteRedirect> {
  return client.call('GET', '/v1/orgs/{organizationId}/sites/{siteId}/redirect', input, options);
}

/** Parameters of `listSiteRedirects`. */
export interface ListSiteRedirectsInput extends Path<'listSiteRedirects'>, Query<'listSiteRedirects'> {}

/**
 * List the redirects of a site
 *
 * Lists the redirects of a site, oldest first.
 */
export function listSiteRedirects(
  client: Caller,
  input: ListSiteRedirectsInput,
  options?: CallOptions,
): Promise<SiteRedirectList> {
  return client.call('GET', '/v1/orgs/{organizationId}/sites/{siteId}/redirects', input, options);
}

/** Parameters and body of `createSiteRedirect`. */
export interface CreateSiteRedirectInput extends Path<'createSiteRedirect'> {
  header?: Header<'createSiteRedirect'>;
  body: SiteRedirectCreate;
}

/**
 * Create a redirect
 *
 * Creates a redirect from a path that no page has. It takes precedence over redirects of imported repositories and
 * over earlier paths of pages, and exact sources over wildcards, of which the longest applies. Visitors who do not see
 * its destination are not redirected. A site has at most 1,000 redirects.
 */
export function createSiteRedirect(
  client: Caller,
  input: CreateSiteRedirectInput,
  options?: CallOptions,
): Promise<SiteRedirect> {
  return client.call('POST', '/v1/orgs/{organizationId}/sites/{siteId}/redirects', input, options, { nested: ['header'], idempotent: true });
}

/** Parameters of `getSiteRedirect`. */
export interface GetSiteRedirectInput extends Path<'getSiteRedirect'> {}

/**
 * Get a redirect
 *
 * Retrieves a redirect of a site.
 */
export function getSiteRedirect(
  client: Caller,
  input: GetSiteRedirectInput,
  options?: CallOptions,
): Promise<SiteRedirect> {
  return client.call('GET', '/v1/orgs/{organizationId}/sites/{siteId}/redirects/{siteRedirectId}', input, options);
}

/** Parameters of `deleteSiteRedirect`. */
export interface DeleteSiteRedirectInput extends Path<'deleteSiteRedirect'> {}

/**
 * Delete a redirect
 *
 * Deletes a redirect.
 */
export function deleteSiteRedirect(
  client: Caller,
  input: DeleteSiteRedirectInput,
  options?: CallOptions,
): Promise<void> {
  return client.call('DELETE', '/v1/orgs/{organizationId}/sites/{siteId}/redirects/{siteRedirectId}', input, options);
}

/** Parameters and body of `updateSiteRedirect`. */
export interface UpdateSiteRedirectInput extends Path<'updateSiteRedirect'> {
  body: SiteRedirectPatch;
}

/**
 * Update a redirect
 *
 * Updates a redirect.
 */
export function updateSiteRedirect(
  client: Caller,
  input: UpdateSiteRedirectInput,
  options?: CallOptions,
): Promise<SiteRedirect> {
  return client.call('PATCH', '/v1/orgs/{organizationId}/sites/{siteId}/redirects/{siteRedirectId}', input, options);
}

/** Parameters and body of `searchSite`. */
export interface SearchSiteInput extends Path<'searchSite'>, Query<'searchSite'> {
  body: SiteSearch;
}

/**
 * Search a published site
 *
 * Searches a published site as its search page does: only what the caller sees of the site is found.
 */
export function searchSite(
  client: Caller,
  input: SearchSiteInput,
  options?: CallOptions,
): Promise<SiteSearchResults> {
  return client.call('POST', '/v1/orgs/{organizationId}/sites/{siteId}/search', input, options);
}

/** Parameters of `listSiteSectionGroups`. */
export interface ListSiteSectionGroupsInput extends Path<'listSiteSectionGroups'>, Query<'listSiteSectionGroups'> {}

/**
 * List site section groups
 *
 * Lists the section groups of a site, in the order of its structure.
 */
export function listSiteSectionGroups(
  client: Caller,
  input: ListSiteSectionGroupsInput,
  options?: CallOptions,
): Promise<SiteSectionGroupList> {
  return client.call('GET', '/v1/orgs/{organizationId}/sites/{siteId}/section-groups', input, options);
}

/** Parameters and body of `createSiteSectionGroup`. */
export interface CreateSiteSectionGroupInput extends Path<'createSiteSectionGroup'> {
  header?: Header<'createSiteSectionGroup'>;
  body: SiteSectionGroupCreate;
}

/**
 * Create a site section group
 *
 * Creates a section group at the end of a site and moves the specified sections into it. On a site without sections,
 * the spaces at the root first become the variants of a section.
 */
export function createSiteSectionGroup(
  client: Caller,
  input: CreateSiteSectionGroupInput,
  options?: CallOptions,
): Promise<SiteSectionGroup> {
  return client.call('POST', '/v1/orgs/{organizationId}/sites/{siteId}/section-groups', input, options, { nested: ['header'], idempotent: true });
}

/** Parameters of `deleteSiteSectionGroup`. */
export interface DeleteSiteSectionGroupInput extends Path<'deleteSiteSectionGroup'> {}

/**
 * Delete a site section group
 *
 * Deletes a section group. Its sections remain at its position.
 */
export function deleteSiteSectionGroup(
  client: Caller,
  input: DeleteSiteSectionGroupInput,
  options?: CallOptions,
): Promise<void> {
  return client.call('DELETE', '/v1/orgs/{organizationId}/sites/{siteId}/section-groups/{siteSectionGroupId}', input, options);
}

/** Parameters and body of `updateSiteSectionGroup`. */
export interface UpdateSiteSectionGroupInput extends Path<'updateSiteSectionGroup'> {
  body: SiteSectionGroupPatch;
}

/**
 * Update a site section group
 *
 * Updates the title or icon of a section group.
 */
export function updateSiteSectionGroup(
  client: Caller,
  input: UpdateSiteSectionGroupInput,
  options?: CallOptions,
): Promise<SiteSectionGroup> {
  return client.call('PATCH', '/v1/orgs/{organizationId}/sites/{siteId}/section-groups/{siteSectionGroupId}', input, options);
}

/** Parameters and body of `moveSiteSectionGroup`. */
export interface MoveSiteSectionGroupInput extends Path<'moveSiteSectionGroup'> {
  body?: SiteSectionGroupMove | undefined;
}

/**
 * Move a site section group
 *
 * Moves a section group to another position among the section groups and ungrouped sections. Changes nothing if
 * it is already there.
 */
export function moveSiteSectionGroup(
  client: Caller,
  input: MoveSiteSectionGroupInput,
  options?: CallOptions,
): Promise<SiteSectionGroup> {
  return client.call('POST', '/v1/orgs/{organizationId}/sites/{siteId}/section-groups/{siteSectionGroupId}/move', input, options);
}

/** Parameters and body of `addSiteSectionToGroup`. */
export interface AddSiteSectionToGroupInput extends Path<'addSiteSectionToGroup'> {
  header?: Header<'addSiteSectionToGroup'>;
  body: SiteSectionGroupAddition;
}

/**
 * Add a section to a group
 *
 * Moves a section of the site to the end of a section group. Changes nothing if it is already there.
 */
export function addSiteSectionToGroup(
  client: Caller,
  input: AddSiteSectionToGroupInput,
  options?: CallOptions,
): Promise<SiteSectionGroup> {
  return client.call('POST', '/v1/orgs/{organizationId}/sites/{siteId}/section-groups/{siteSectionGroupId}/sections', input, options, { nested: ['header'], idempotent: true });
}

/** Parameters of `removeSiteSectionFromGroup`. */
export interface RemoveSiteSectionFromGroupInput extends Path<'removeSiteSectionFromGroup'> {}

/**
 * Remove a section from a group
 *
 * Removes a section from a section group. It remains on the site, after the group.
 */
export function removeSiteSectionFromGroup(
  client: Caller,
  input: RemoveSiteSectionFromGroupInput,
  options?: CallOptions,
): Promise<void> {
  return client.call('DELETE', '/v1/orgs/{organizationId}/sites/{siteId}/section-groups/{siteSectionGroupId}/sections/{siteSectionId}', input, options);
}

/** Parameters of `listSiteSections`. */
export interface ListSiteSectionsInput extends Path<'listSiteSections'>, Query<'listSiteSections'> {}

/**
 * List site sections
 *
 * Lists the sections of a site, in the order of its structure. For visitors of the published site, these are the
 * sections whose conditions include them.
 */
export function listSiteSections(
  client: Caller,
  input: ListSiteSectionsInput,
  options?: CallOptions,
): Promise<SiteSectionList> {
  return client.call('GET', '/v1/orgs/{organizationId}/sites/{siteId}/sections', input, options);
}

/** Parameters and body of `createSiteSection`. */
export interface CreateSiteSectionInput extends Path<'createSiteSection'> {
  header?: Header<'createSiteSection'>;
  body: SiteSectionCreate;
}

/**
 * Create a site section
 *
 * Creates a section at the end of a site, with one space as its first variant. Requires the role `create` in the
 * space. On a site without sections, the spaces at the root first become the variants of a section, which is named
 * after the default site space and is the default.
 */
export function createSiteSection(
  client: Caller,
  input: CreateSiteSectionInput,
  options?: CallOptions,
): Promise<SiteSection> {
  return client.call('POST', '/v1/orgs/{organizationId}/sites/{siteId}/sections', input, options, { nested: ['header'], idempotent: true });
}

/** Parameters of `deleteSiteSection`. */
export interface DeleteSiteSectionInput extends Path<'deleteSiteSection'> {}

/**
 * Delete a site section
 *
 * Deletes a section with its variants. The spaces are not deleted. If the default is deleted, the first section that remains becomes the default.
 */
export function deleteSiteSection(
  client: Caller,
  input: DeleteSiteSectionInput,
  options?: CallOptions,
): Promise<void> {
  return client.call('DELETE', '/v1/orgs/{organizationId}/sites/{siteId}/sections/{siteSectionId}', input, options);
}

/** Parameters and body of `updateSiteSection`. */
export interface UpdateSiteSectionInput extends Path<'updateSiteSection'> {
  body: SiteSectionPatch;
}

/**
 * Update a site section
 *
 * Updates a section. Returns 409 if another section uses the `path`.
 */
export function updateSiteSection(
  client: Caller,
  input: UpdateSiteSectionInput,
  options?: CallOptions,
): Promise<SiteSection> {
  return client.call('PATCH', '/v1/orgs/{organizationId}/sites/{siteId}/sections/{siteSectionId}', input, options);
}

/** Parameters and body of `moveSiteSection`. */
export interface MoveSiteSectionInput extends Path<'moveSiteSection'> {
  body?: SiteSectionMove | undefined;
}

/**
 * Move a site section
 *
 * Moves a section to another position among its siblings. Changes nothing if the section is already there.
 * Superseded by `sortSiteStructure`.
 *
 * @deprecated
 */
export function moveSiteSection(
  client: Caller,
  input: MoveSiteSectionInput,
  options?: CallOptions,
): Promise<SiteSection> {
  return client.call('POST', '/v1/orgs/{organizationId}/sites/{siteId}/sections/{siteSectionId}/move', input, options);
}

/** Parameters of `listShareLinks`. */
export interface ListShareLinksInput extends Path<'listShareLinks'>, Query<'listShareLinks'> {}

/**
 * List the share links of a site
 *
 * Lists the share links of a site, for users who can edit the site, oldest first.
 */
export function listShareLinks(
  client: Caller,
  input: ListShareLinksInput,
  options?: CallOptions,
): Promise<ShareLinkList> {
  return client.call('GET', '/v1/orgs/{organizationId}/sites/{siteId}/share-links', input, options);
}

/** Parameters and body of `createShareLink`. */
export interface CreateShareLinkInput extends Path<'createShareLink'> {
  header?: Header<'createShareLink'>;
  body: ShareLinkCreate;
}

/**
 * Create a share link
 *
 * Creates a share link with a new secret.
 */
export function createShareLink(
  client: Caller,
  input: CreateShareLinkInput,
  options?: CallOptions,
): Promise<ShareLink> {
  return client.call('POST', '/v1/orgs/{organizationId}/sites/{siteId}/share-links', input, options, { nested: ['header'], idempotent: true });
}

/** Parameters of `deleteShareLink`. */
export interface DeleteShareLinkInput extends Path<'deleteShareLink'> {}

/**
 * Delete a share link
 *
 * Deletes a share link. Its URL stops working immediately.
 */
export function deleteShareLink(
  client: Caller,
  input: DeleteShareLinkInput,
  options?: CallOptions,
): Promise<void> {
  return client.call('DELETE', '/v1/orgs/{organizationId}/sites/{siteId}/share-links/{shareLinkId}', input, options);
}

/** Parameters and body of `updateShareLink`. */
export interface UpdateShareLinkInput extends Path<'updateShareLink'> {
  body: ShareLinkPatch;
}

/**
 * Update a share link
 *
 * Updates the name of a share link, or deactivates it.
 */
export function updateShareLink(
  client: Caller,
  input: UpdateShareLinkInput,
  options?: CallOptions,
): Promise<ShareLink> {
  return client.call('PATCH', '/v1/orgs/{organizationId}/sites/{siteId}/share-links/{shareLinkId}', input, options);
}

/** Parameters of `listSiteSpaces`. */
export interface ListSiteSpacesInput extends Path<'listSiteSpaces'>, Query<'listSiteSpaces'> {}

/**
 * List site spaces
 *
 * Lists the spaces of a site, in the order of its structure. For visitors of the published site, these are the spaces
 * whose conditions include them.
 */
export function listSiteSpaces(
  client: Caller,
  input: ListSiteSpacesInput,
  options?: CallOptions,
): Promise<SiteSpaceList> {
  return client.call('GET', '/v1/orgs/{organizationId}/sites/{siteId}/site-spaces', input, options);
}

/** Parameters and body of `createSiteSpace`. */
export interface CreateSiteSpaceInput extends Path<'createSiteSpace'> {
  header?: Header<'createSiteSpace'>;
  body: SiteSpaceCreate;
}

/**
 * Add a space to a site
 *
 * Adds a space to a site, at the end of a section or of the root. Requires the role `create` in the space. On a site
 * that has section groups but no sections, the space becomes a new section. If the section or the root already
 * shows the space, the existing site space is returned.
 */
export function createSiteSpace(
  client: Caller,
  input: CreateSiteSpaceInput,
  options?: CallOptions,
): Promise<SiteSpace> {
  return client.call('POST', '/v1/orgs/{organizationId}/sites/{siteId}/site-spaces', input, options, { nested: ['header'], idempotent: true });
}

/** Parameters of `deleteSiteSpace`. */
export interface DeleteSiteSpaceInput extends Path<'deleteSiteSpace'> {}

/**
 * Remove a space from a site
 *
 * Removes a space from a site. The space itself is not deleted. A section is deleted with its last site space. If the
 * default is removed, the first site space that remains becomes the default.
 */
export function deleteSiteSpace(
  client: Caller,
  input: DeleteSiteSpaceInput,
  options?: CallOptions,
): Promise<void> {
  return client.call('DELETE', '/v1/orgs/{organizationId}/sites/{siteId}/site-spaces/{siteSpaceId}', input, options);
}

/** Parameters and body of `updateSiteSpace`. */
export interface UpdateSiteSpaceInput extends Path<'updateSiteSpace'> {
  body: SiteSpacePatch;
}

/**
 * Update a site space
 *
 * Updates a site space. Returns 409 if a sibling uses the `path` or shows the space.
 */
export function updateSiteSpace(
  client: Caller,
  input: UpdateSiteSpaceInput,
  options?: CallOptions,
): Promise<SiteSpace> {
  return client.call('PATCH', '/v1/orgs/{organizationId}/sites/{siteId}/site-spaces/{siteSpaceId}', input, options);
}

/** Parameters and body of `moveSiteSpace`. */
export interface MoveSiteSpaceInput extends Path<'moveSiteSpace'> {
  body?: SiteSpaceMove | undefined;
}

/**
 * Move a site space
 *
 * Moves a site space to another position among the site spaces of its section or of the root. Changes nothing if it is
 * already there.
 */
export function moveSiteSpace(
  client: Caller,
  input: MoveSiteSpaceInput,
  options?: CallOptions,
): Promise<SiteSpace> {
  return client.call('POST', '/v1/orgs/{organizationId}/sites/{siteId}/site-spaces/{siteSpaceId}/move', input, options);
}

/** Parameters of `getSiteStructure`. */
export interface GetSiteStructureInput extends Path<'getSiteStructure'>, Query<'getSiteStructure'> {}

/**
 * Get the structure of a site
 *
 * Retrieves the structure of a site: its sections and section groups, or its spaces if it has no sections. Visitors of
 * the published site retrieve the part whose conditions include them.
 */
export function getSiteStructure(
  client: Caller,
  input: GetSiteStructureInput,
  options?: CallOptions,
): Promise<PublishedStructure> {
  return client.call('GET', '/v1/orgs/{organizationId}/sites/{siteId}/structure', input, options);
}

/** Parameters and body of `sortSiteStructure`. */
export interface SortSiteStructureInput extends Path<'sortSiteStructure'> {
  body: SiteStructureSort;
}

/**
 * Move an entry of a site
 *
 * Moves a section, section group or site space to another position among its siblings. Changes nothing if
 * it is already there.
 */
export function sortSiteStructure(
  client: Caller,
  input: SortSiteStructureInput,
  options?: CallOptions,
): Promise<SiteEntry> {
  return client.call('PATCH', '/v1/orgs/{organizationId}/sites/{siteId}/structure/sort', input, options);
}

/** Parameters of `unpublishSite`. */
export interface UnpublishSiteInput extends Path<'unpublishSite'> {}

/**
 * Unpublish a site
 *
 * Unpublishes a site. Its structure and settings are unchanged.
 */
export function unpublishSite(
  client: Caller,
  input: UnpublishSiteInput,
  options?: CallOptions,
): Promise<Site> {
  return client.call('POST', '/v1/orgs/{organizationId}/sites/{siteId}/unpublish', input, options);
}

/** Parameters of `getSpaceMap`. */
export interface GetSpaceMapInput extends Path<'getSpaceMap'> {}

/**
 * Get the space map of an organization
 *
 * Retrieves the space map of an organization: the spaces that links to spaces of the platform that was left lead to.
 * Spaces that were deleted or transferred since are omitted.
 */
export function getSpaceMap(
  client: Caller,
  input: GetSpaceMapInput,
  options?: CallOptions,
): Promise<SpaceMap> {
  return client.call('GET', '/v1/orgs/{organizationId}/space-map', input, options);
}

/** Parameters and body of `replaceSpaceMap`. */
export interface ReplaceSpaceMapInput extends Path<'replaceSpaceMap'> {
  body: SpaceMapUpdate;
}

/**
 * Replace the space map of an organization
 *
 * Sets the space map of an organization. It replaces the earlier one, including what imports added to it. Links are
 * resolved when they are read: all content that was already imported follows the new map at once.
 */
export function replaceSpaceMap(
  client: Caller,
  input: ReplaceSpaceMapInput,
  options?: CallOptions,
): Promise<SpaceMap> {
  return client.call('PUT', '/v1/orgs/{organizationId}/space-map', input, options);
}

/** Parameters of `listSpaces`. */
export interface ListSpacesInput extends Path<'listSpaces'>, Query<'listSpaces'> {}

/**
 * List spaces
 *
 * Lists the spaces of an organization that are visible to the caller.
 */
export function listSpaces(
  client: Caller,
  input: ListSpacesInput,
  options?: CallOptions,
): Promise<SpaceList> {
  return client.call('GET', '/v1/orgs/{organizationId}/spaces', input, options);
}

/** Parameters and body of `createSpace`. */
export interface CreateSpaceInput extends Path<'createSpace'> {
  header?: Header<'createSpace'>;
  body?: SpaceCreate | undefined;
}

/**
 * Create a space
 *
 * Creates a space at the end of its parent.
 * Quotas: spaces, pages, bytes.
 */
export function createSpace(
  client: Caller,
  input: CreateSpaceInput,
  options?: CallOptions,
): Promise<Space> {
  return client.call('POST', '/v1/orgs/{organizationId}/spaces', input, options, { nested: ['header'], idempotent: true });
}

/** Parameters of `getSsoLogins`. */
export interface GetSsoLoginsInput extends Path<'getSsoLogins'> {}

/**
 * Get sign-in options
 *
 * Retrieves the options to sign in to an organization.
 */
export function getSsoLogins(
  client: Caller,
  input: GetSsoLoginsInput,
  options?: CallOptions,
): Promise<SsoLogins> {
  return client.call('GET', '/v1/orgs/{organizationId}/sso', input, options);
}

/** Parameters of `listTeams`. */
export interface ListTeamsInput extends Path<'listTeams'>, Query<'listTeams'> {}

/**
 * List teams
 *
 * Lists the teams of an organization.
 */
export function listTeams(
  client: Caller,
  input: ListTeamsInput,
  options?: CallOptions,
): Promise<TeamList> {
  return client.call('GET', '/v1/orgs/{organizationId}/teams', input, options);
}

/** Parameters and body of `createTeam`. */
export interface CreateTeamInput extends Path<'createTeam'> {
  header?: Header<'createTeam'>;
  body: TeamCreate;
}

/**
 * Create a team
 *
 * Creates a team. The caller becomes its owner.
 */
export function createTeam(
  client: Caller,
  input: CreateTeamInput,
  options?: CallOptions,
): Promise<Team> {
  return client.call('PUT', '/v1/orgs/{organizationId}/teams', input, options, { nested: ['header'], idempotent: true });
}

/** Parameters of `getTeam`. */
export interface GetTeamInput extends Path<'getTeam'> {}

/**
 * Get a team
 *
 * Retrieves a team.
 */
export function getTeam(
  client: Caller,
  input: GetTeamInput,
  options?: CallOptions,
): Promise<Team> {
  return client.call('GET', '/v1/orgs/{organizationId}/teams/{teamId}', input, options);
}

/** Parameters of `deleteTeam`. */
export interface DeleteTeamInput extends Path<'deleteTeam'> {}

/**
 * Delete a team
 *
 * Deletes a team and its grants. SAML providers that used it as their default team have none afterwards.
 */
export function deleteTeam(
  client: Caller,
  input: DeleteTeamInput,
  options?: CallOptions,
): Promise<void> {
  return client.call('DELETE', '/v1/orgs/{organizationId}/teams/{teamId}', input, options);
}

/** Parameters and body of `updateTeam`. */
export interface UpdateTeamInput extends Path<'updateTeam'> {
  body: TeamPatch;
}

/**
 * Update a team
 *
 * Updates a team.
 */
export function updateTeam(
  client: Caller,
  input: UpdateTeamInput,
  options?: CallOptions,
): Promise<Team> {
  return client.call('PATCH', '/v1/orgs/{organizationId}/teams/{teamId}', input, options);
}

/** Parameters of `listTeamMembers`. */
export interface ListTeamMembersInput extends Path<'listTeamMembers'>, Query<'listTeamMembers'> {}

/**
 * List the members of a team
 *
 * Lists the members of a team with their roles.
 */
export function listTeamMembers(
  client: Caller,
  input: ListTeamMembersInput,
  options?: CallOptions,
): Promise<TeamMemberList> {
  return client.call('GET', '/v1/orgs/{organizationId}/teams/{teamId}/members', input, options);
}

/** Parameters and body of `updateTeamMembers`. */
export interface UpdateTeamMembersInput extends Path<'updateTeamMembers'> {
  body: TeamMembersUpdate;
}

/**
 * Add and remove members of a team
 *
 * Adds and removes members of a team in one step.
 */
export function updateTeamMembers(
  client: Caller,
  input: UpdateTeamMembersInput,
  options?: CallOptions,
): Promise<void> {
  return client.call('PUT', '/v1/orgs/{organizationId}/teams/{teamId}/members', input, options);
}

/** Parameters and body of `setTeamMember`. */
export interface SetTeamMemberInput extends Path<'setTeamMember'> {
  body: TeamMemberSet;
}

/**
 * Add or update a member of a team
 *
 * Adds a member to a team, or updates the membership.
 */
export function setTeamMember(
  client: Caller,
  input: SetTeamMemberInput,
  options?: CallOptions,
): Promise<void> {
  return client.call('PUT', '/v1/orgs/{organizationId}/teams/{teamId}/members/{userId}', input, options);
}

/** Parameters of `deleteTeamMember`. */
export interface DeleteTeamMemberInput extends Path<'deleteTeamMember'> {}

/**
 * Remove a member from a team
 *
 * Removes a member from a team. Members can remove themselves.
 */
export function deleteTeamMember(
  client: Caller,
  input: DeleteTeamMemberInput,
  options?: CallOptions,
): Promise<void> {
  return client.call('DELETE', '/v1/orgs/{organizationId}/teams/{teamId}/members/{userId}', input, options);
}

/** Parameters of `listTranslations`. */
export interface ListTranslationsInput extends Path<'listTranslations'>, Query<'listTranslations'> {}

/**
 * List translations
 *
 * Lists the translations of an organization, oldest first.
 */
export function listTranslations(
  client: Caller,
  input: ListTranslationsInput,
  options?: CallOptions,
): Promise<TranslationList> {
  return client.call('GET', '/v1/orgs/{organizationId}/translations', input, options);
}

/** Parameters and body of `createTranslation`. */
export interface CreateTranslationInput extends Path<'createTranslation'> {
  header?: Header<'createTranslation'>;
  body: TranslationCreate;
}

/**
 * Create a translation
 *
 * Creates a translation and starts its first run. Returns 409 if its language is that of the source, or if it has no
 * `source` and the organization does not have exactly one space with a language.
 * Quota: jobs.
 */
export function createTranslation(
  client: Caller,
  input: CreateTranslationInput,
  options?: CallOptions,
): Promise<Translation> {
  return client.call('POST', '/v1/orgs/{organizationId}/translations', input, options, { nested: ['header'], idempotent: true });
}

/** Parameters of `getTranslation`. */
export interface GetTranslationInput extends Path<'getTranslation'> {}

/**
 * Get a translation
 *
 * Retrieves a translation, with the status of its last run.
 */
export function getTranslation(
  client: Caller,
  input: GetTranslationInput,
  options?: CallOptions,
): Promise<Translation> {
  return client.call('GET', '/v1/orgs/{organizationId}/translations/{translationId}', input, options);
}

/** Parameters and body of `updateTranslation`. */
export interface UpdateTranslationInput extends Path<'updateTranslation'> {
  body: TranslationUpdate;
}

/**
 * Update a translation
 *
 * Updates the instructions for the translator. They apply from the next run on.
 */
export function updateTranslation(
  client: Caller,
  input: UpdateTranslationInput,
  options?: CallOptions,
): Promise<Translation> {
  return client.call('PUT', '/v1/orgs/{organizationId}/translations/{translationId}', input, options);
}

/** Parameters of `deleteTranslation`. */
export interface DeleteTranslationInput extends Path<'deleteTranslation'> {}

/**
 * Delete a translation
 *
 * Deletes a translation. The translated space is retained.
 */
export function deleteTranslation(
  client: Caller,
  input: DeleteTranslationInput,
  options?: CallOptions,
): Promise<void> {
  return client.call('DELETE', '/v1/orgs/{organizationId}/translations/{translationId}', input, options);
}

/** Parameters of `runTranslation`. */
export interface RunTranslationInput extends Path<'runTranslation'> {}

/**
 * Run a translation
 *
 * Starts another run, which translates the blocks that changed since the last run. If a run is in progress, the new
 * run starts after it. Edits of the translated space remain, except in pages that changed in the source. If the
 * translated space was deleted, the run creates another one.
 * Quota: jobs.
 */
export function runTranslation(
  client: Caller,
  input: RunTranslationInput,
  options?: CallOptions,
): Promise<void> {
  return client.call('POST', '/v1/orgs/{organizationId}/translations/{translationId}/run', input, options);
}

/** Parameters of `getSpace`. */
export interface GetSpaceInput extends Path<'getSpace'>, Query<'getSpace'> {}

/**
 * Get a space
 *
 * Retrieves a space. Its admins can also retrieve it after its deletion, with `deletedAt`, while it can be restored.
 * Visitors of a published site that shows them the space can retrieve it, too, without permissions and without
 * information about its collection, repository, comments and change requests.
 */
export function getSpace(
  client: Caller,
  input: GetSpaceInput,
  options?: CallOptions,
): Promise<Space> {
  return client.call('GET', '/v1/spaces/{spaceId}', input, options);
}

/** Parameters of `deleteSpace`. */
export interface DeleteSpaceInput extends Path<'deleteSpace'> {}

/**
 * Delete a space
 *
 * Deletes a space and removes it from its sites. It can be restored for 7 days.
 */
export function deleteSpace(
  client: Caller,
  input: DeleteSpaceInput,
  options?: CallOptions,
): Promise<void> {
  return client.call('DELETE', '/v1/spaces/{spaceId}', input, options);
}

/** Parameters and body of `updateSpace`. */
export interface UpdateSpaceInput extends Path<'updateSpace'> {
  body: SpacePatch;
}

/**
 * Update a space
 *
 * Updates a space.
 */
export function updateSpace(
  client: Caller,
  input: UpdateSpaceInput,
  options?: CallOptions,
): Promise<Space> {
  return client.call('PATCH', '/v1/spaces/{spaceId}', input, options);
}

/** Parameters of `listChangeRequests`. */
export interface ListChangeRequestsInput extends Path<'listChangeRequests'>, Query<'listChangeRequests'> {}

/**
 * List change requests
 *
 * Lists the change requests of a space. By default, only open ones are returned.
 */
export function listChangeRequests(
  client: Caller,
  input: ListChangeRequestsInput,
  options?: CallOptions,
): Promise<ChangeRequestList> {
  return client.call('GET', '/v1/spaces/{spaceId}/change-requests', input, options);
}

/** Parameters and body of `createChangeRequest`. */
export interface CreateChangeRequestInput extends Path<'createChangeRequest'> {
  header?: Header<'createChangeRequest'>;
  body: ChangeRequestCreate;
}

/**
 * Create a change request
 *
 * Creates a change request from the current content of a space, as a draft.
 */
export function createChangeRequest(
  client: Caller,
  input: CreateChangeRequestInput,
  options?: CallOptions,
): Promise<ChangeRequest> {
  return client.call('POST', '/v1/spaces/{spaceId}/change-requests', input, options, { nested: ['header'], idempotent: true });
}

/** Parameters of `getChangeRequest`. */
export interface GetChangeRequestInput extends Path<'getChangeRequest'> {}

/**
 * Get a change request
 *
 * Retrieves a change request.
 */
export function getChangeRequest(
  client: Caller,
  input: GetChangeRequestInput,
  options?: CallOptions,
): Promise<ChangeRequest> {
  return client.call('GET', '/v1/spaces/{spaceId}/change-requests/{changeRequestId}', input, options);
}

/** Parameters and body of `updateChangeRequest`. */
export interface UpdateChangeRequestInput extends Path<'updateChangeRequest'> {
  body: ChangeRequestPatch;
}

/**
 * Update a change request
 *
 * Updates the subject or the status of a change request. Returns 409 if it is already merged.
 */
export function updateChangeRequest(
  client: Caller,
  input: UpdateChangeRequestInput,
  options?: CallOptions,
): Promise<ChangeRequest> {
  return client.call('PATCH', '/v1/spaces/{spaceId}/change-requests/{changeRequestId}', input, options);
}

/** Parameters of `getChangeRequestChanges`. */
export interface GetChangeRequestChangesInput extends Path<'getChangeRequestChanges'>, Query<'getChangeRequestChanges'> {}

/**
 * Get the changes of a change request
 *
 * Returns the changes of a change request: its content compared with the revision of the space that it was created from
 * or last updated to.
 */
export function getChangeRequestChanges(
  client: Caller,
  input: GetChangeRequestChangesInput,
  options?: CallOptions,
): Promise<SemanticChanges> {
  return client.call('GET', '/v1/spaces/{spaceId}/change-requests/{changeRequestId}/changes', input, options);
}

/** Parameters of `listChangeRequestCommenters`. */
export interface ListChangeRequestCommentersInput extends Path<'listChangeRequestCommenters'>, Query<'listChangeRequestCommenters'> {}

/**
 * List the commenters of a change request
 *
 * Lists the members who have commented on a change request.
 */
export function listChangeRequestCommenters(
  client: Caller,
  input: ListChangeRequestCommentersInput,
  options?: CallOptions,
): Promise<MemberList> {
  return client.call('GET', '/v1/spaces/{spaceId}/change-requests/{changeRequestId}/commenters', input, options);
}

/** Parameters of `listChangeRequestComments`. */
export interface ListChangeRequestCommentsInput extends Path<'listChangeRequestComments'>, Query<'listChangeRequestComments'> {}

/**
 * List the comments on a change request
 *
 * Lists the comments on a change request. By default, comments of any status are returned, newest first.
 */
export function listChangeRequestComments(
  client: Caller,
  input: ListChangeRequestCommentsInput,
  options?: CallOptions,
): Promise<CommentList> {
  return client.call('GET', '/v1/spaces/{spaceId}/change-requests/{changeRequestId}/comments', input, options);
}

/** Parameters and body of `createChangeRequestComment`. */
export interface CreateChangeRequestCommentInput extends Path<'createChangeRequestComment'> {
  header?: Header<'createChangeRequestComment'>;
  body: CommentCreate;
}

/**
 * Create a comment on a change request
 *
 * Creates a comment on a change request: on the whole content, a page, a node of a page, or a table cell.
 */
export function createChangeRequestComment(
  client: Caller,
  input: CreateChangeRequestCommentInput,
  options?: CallOptions,
): Promise<Comment> {
  return client.call('POST', '/v1/spaces/{spaceId}/change-requests/{changeRequestId}/comments', input, options, { nested: ['header'], idempotent: true });
}

/** Parameters of `getChangeRequestComment`. */
export interface GetChangeRequestCommentInput extends Path<'getChangeRequestComment'>, Query<'getChangeRequestComment'> {}

/**
 * Get a comment on a change request
 *
 * Retrieves a comment on a change request.
 */
export function getChangeRequestComment(
  client: Caller,
  input: GetChangeRequestCommentInput,
  options?: CallOptions,
): Promise<Comment> {
  return client.call('GET', '/v1/spaces/{spaceId}/change-requests/{changeRequestId}/comments/{commentId}', input, options);
}

/** Parameters and body of `updateChangeRequestComment`. */
export interface UpdateChangeRequestCommentInput extends Path<'updateChangeRequestComment'> {
  body: CommentUpdate;
}

/**
 * Update a comment on a change request
 *
 * Updates the text of a comment on a change request, resolves or reopens it, and adds or removes reactions.
 */
export function updateChangeRequestComment(
  client: Caller,
  input: UpdateChangeRequestCommentInput,
  options?: CallOptions,
): Promise<Comment> {
  return client.call('PUT', '/v1/spaces/{spaceId}/change-requests/{changeRequestId}/comments/{commentId}', input, options);
}

/** Parameters of `deleteChangeRequestComment`. */
export interface DeleteChangeRequestCommentInput extends Path<'deleteChangeRequestComment'> {}

/**
 * Delete a comment on a change request
 *
 * Deletes a comment on a change request and its replies.
 */
export function deleteChangeRequestComment(
  client: Caller,
  input: DeleteChangeRequestCommentInput,
  options?: CallOptions,
): Promise<void> {
  return client.call('DELETE', '/v1/spaces/{spaceId}/change-requests/{changeRequestId}/comments/{commentId}', input, options);
}

/** Parameters of `listChangeRequestCommentReplies`. */
export interface ListChangeRequestCommentRepliesInput extends Path<'listChangeRequestCommentReplies'>, Query<'listChangeRequestCommentReplies'> {}

/**
 * List the replies to a comment on a change request
 *
 * Lists the replies to a comment on a change request, oldest first.
 */
export function listChangeRequestCommentReplies(
  client: Caller,
  input: ListChangeRequestCommentRepliesInput,
  options?: CallOptions,
): Promise<CommentReplyList> {
  return client.call('GET', '/v1/spaces/{spaceId}/change-requests/{changeRequestId}/comments/{commentId}/replies', input, options);
}

/** Parameters and body of `createChangeRequestCommentReply`. */
export interface CreateChangeRequestCommentReplyInput extends Path<'createChangeRequestCommentReply'>, Query<'createChangeRequestCommentReply'> {
  header?: Header<'createChangeRequestCommentReply'>;
  body: CommentReplyCreate;
}

/**
 * Reply to a comment on a change request
 *
 * Creates a reply to a comment on a change request.
 */
export function createChangeRequestCommentReply(
  client: Caller,
  input: CreateChangeRequestCommentReplyInput,
  options?: CallOptions,
): Promise<CommentReply> {
  return client.call('POST', '/v1/spaces/{spaceId}/change-requests/{changeRequestId}/comments/{commentId}/replies', input, options, { nested: ['header'], idempotent: true });
}

/** Parameters of `getChangeRequestCommentReply`. */
export interface GetChangeRequestCommentReplyInput extends Path<'getChangeRequestCommentReply'>, Query<'getChangeRequestCommentReply'> {}

/**
 * Get a reply to a comment on a change request
 *
 * Retrieves a reply to a comment on a change request.
 */
export function getChangeRequestCommentReply(
  client: Caller,
  input: GetChangeRequestCommentReplyInput,
  options?: CallOptions,
): Promise<CommentReply> {
  return client.call('GET', '/v1/spaces/{spaceId}/change-requests/{changeRequestId}/comments/{commentId}/replies/{commentReplyId}', input, options);
}

/** Parameters and body of `updateChangeRequestCommentReply`. */
export interface UpdateChangeRequestCommentReplyInput extends Path<'updateChangeRequestCommentReply'> {
  body: ChangeRequestCommentReplyUpdate;
}

/**
 * Update a reply to a comment on a change request
 *
 * Updates the text of a reply to a comment on a change request, and adds or removes reactions.
 */
export function updateChangeRequestCommentReply(
  client: Caller,
  input: UpdateChangeRequestCommentReplyInput,
  options?: CallOptions,
): Promise<CommentReply> {
  return client.call('PUT', '/v1/spaces/{spaceId}/change-requests/{changeRequestId}/comments/{commentId}/replies/{commentReplyId}', input, options);
}

/** Parameters of `deleteChangeRequestCommentReply`. */
export interface DeleteChangeRequestCommentReplyInput extends Path<'deleteChangeRequestCommentReply'> {}

/**
 * Delete a reply to a comment on a change request
 *
 * Deletes a reply to a comment on a change request.
 */
export function deleteChangeRequestCommentReply(
  client: Caller,
  input: DeleteChangeRequestCommentReplyInput,
  options?: CallOptions,
): Promise<void> {
  return client.call('DELETE', '/v1/spaces/{spaceId}/change-requests/{changeRequestId}/comments/{commentId}/replies/{commentReplyId}', input, options);
}

/** Parameters of `getChangeRequestContent`. */
export interface GetChangeRequestContentInput extends Path<'getChangeRequestContent'>, Query<'getChangeRequestContent'> {}

/**
 * Get the content of a change request
 *
 * Retrieves the current revision of a change request in full: page tree, files, reusable content and variables.
 */
export function getChangeRequestContent(
  client: Caller,
  input: GetChangeRequestContentInput,
  options?: CallOptions,
): Promise<Revision> {
  return client.call('GET', '/v1/spaces/{spaceId}/change-requests/{changeRequestId}/content', input, options);
}

/** Parameters and body of `updateChangeRequestContent`. */
export interface UpdateChangeRequestContentInput extends Path<'updateChangeRequestContent'> {
  body: ContentChanges;
}

/**
 * Edit the content of a change request
 *
 * Adds, updates, moves and deletes pages, and adds files, in a new revision of a change request. Conditions in the
 * texts that cannot be evaluated are reported in `notices`. Returns 409 if it is already merged.
 * Quota: bytes.
 */
export function updateChangeRequestContent(
  client: Caller,
  input: UpdateChangeRequestContentInput,
  options?: CallOptions,
): Promise<EditedChangeRequest> {
  return client.call('POST', '/v1/spaces/{spaceId}/change-requests/{changeRequestId}/content', input, options);
}

/** Parameters of `listChangeRequestFiles`. */
export interface ListChangeRequestFilesInput extends Path<'listChangeRequestFiles'>, Query<'listChangeRequestFiles'> {}

/**
 * List the files of a change request
 *
 * Lists the files of a change request.
 */
export function listChangeRequestFiles(
  client: Caller,
  input: ListChangeRequestFilesInput,
  options?: CallOptions,
): Promise<FileList> {
  return client.call('GET', '/v1/spaces/{spaceId}/change-requests/{changeRequestId}/content/files', input, options);
}

/** Parameters of `getChangeRequestFile`. */
export interface GetChangeRequestFileInput extends Path<'getChangeRequestFile'>, Query<'getChangeRequestFile'> {}

/**
 * Get a file of a change request
 *
 * Retrieves a file of a change request: its metadata and its download URL.
 */
export function getChangeRequestFile(
  client: Caller,
  input: GetChangeRequestFileInput,
  options?: CallOptions,
): Promise<File> {
  return client.call('GET', '/v1/spaces/{spaceId}/change-requests/{changeRequestId}/content/files/{fileId}', input, options);
}

/** Parameters of `listChangeRequestFileBacklinks`. */
export interface ListChangeRequestFileBacklinksInput extends Path<'listChangeRequestFileBacklinks'>, Query<'listChangeRequestFileBacklinks'> {}

/**
 * List the locations that link to a file of a change request
 *
 * Lists the locations that link to a file of a change request.
 */
export function listChangeRequestFileBacklinks(
  client: Caller,
  input: ListChangeRequestFileBacklinksInput,
  options?: CallOptions,
): Promise<LocationList> {
  return client.call('GET', '/v1/spaces/{spaceId}/change-requests/{changeRequestId}/content/files/{fileId}/backlinks', input, options);
}

/** Parameters and body of `importChangeRequestContent`. */
export interface ImportChangeRequestContentInput extends Path<'importChangeRequestContent'> {
  header?: Header<'importChangeRequestContent'>;
  body: ContentImport;
}

/**
 * Import content into a change request
 *
 * Imports content from a URL into a change request: converts it to pages and files, in a new revision. Returns 409 if the
 * change request is merged, or a content limit would be exceeded. Quotas: pages, bytes.
 */
export function importChangeRequestContent(
  client: Caller,
  input: ImportChangeRequestContentInput,
  options?: CallOptions,
): Promise<ImportedContent> {
  return client.call('POST', '/v1/spaces/{spaceId}/change-requests/{changeRequestId}/content/import', input, options, { nested: ['header'], idempotent: true });
}

/** Parameters of `getChangeRequestPage`. */
export interface GetChangeRequestPageInput extends Path<'getChangeRequestPage'>, Query<'getChangeRequestPage'> {}

/**
 * Get a page of a change request
 *
 * Retrieves a page of a change request with its body and the tree of its subpages.
 */
export function getChangeRequestPage(
  client: Caller,
  input: GetChangeRequestPageInput,
  options?: CallOptions,
): Promise<Page> {
  return client.call('GET', '/v1/spaces/{spaceId}/change-requests/{changeRequestId}/content/page/{pageId}', input, options);
}

/** Parameters of `listChangeRequestPageBacklinks`. */
export interface ListChangeRequestPageBacklinksInput extends Path<'listChangeRequestPageBacklinks'>, Query<'listChangeRequestPageBacklinks'> {}

/**
 * List the locations that link to a page of a change request
 *
 * Lists the locations that link to a page of a change request: its own, and those in the main content of up to 200 other spaces that the caller sees.
 */
export function listChangeRequestPageBacklinks(
  client: Caller,
  input: ListChangeRequestPageBacklinksInput,
  options?: CallOptions,
): Promise<LocationList> {
  return client.call('GET', '/v1/spaces/{spaceId}/change-requests/{changeRequestId}/content/page/{pageId}/backlinks', input, options);
}

/** Parameters of `listChangeRequestPageLinks`. */
export interface ListChangeRequestPageLinksInput extends Path<'listChangeRequestPageLinks'>, Query<'listChangeRequestPageLinks'> {}

/**
 * List the links on a page of a change request
 *
 * Lists the links on a page of a change request and their status.
 */
export function listChangeRequestPageLinks(
  client: Caller,
  input: ListChangeRequestPageLinksInput,
  options?: CallOptions,
): Promise<LinkList> {
  return client.call('GET', '/v1/spaces/{spaceId}/change-requests/{changeRequestId}/content/page/{pageId}/links', input, options);
}

/** Parameters of `getChangeRequestPageTree`. */
export interface GetChangeRequestPageTreeInput extends Path<'getChangeRequestPageTree'>, Query<'getChangeRequestPageTree'> {}

/**
 * Get the page tree of a change request
 *
 * Retrieves only the page tree of a change request.
 */
export function getChangeRequestPageTree(
  client: Caller,
  input: GetChangeRequestPageTreeInput,
  options?: CallOptions,
): Promise<PageTree> {
  return client.call('GET', '/v1/spaces/{spaceId}/change-requests/{changeRequestId}/content/pages', input, options);
}

/** Parameters of `getChangeRequestPageByPath`. */
export interface GetChangeRequestPageByPathInput extends Path<'getChangeRequestPageByPath'>, Query<'getChangeRequestPageByPath'> {}

/**
 * Get a page of a change request by its path
 *
 * Retrieves the page of a change request at a path, with its body and the tree of its subpages.
 */
export function getChangeRequestPageByPath(
  client: Caller,
  input: GetChangeRequestPageByPathInput,
  options?: CallOptions,
): Promise<Page> {
  return client.call('GET', '/v1/spaces/{spaceId}/change-requests/{changeRequestId}/content/path/{pagePath}', input, options);
}

/** Parameters of `listChangeRequestLinks`. */
export interface ListChangeRequestLinksInput extends Path<'listChangeRequestLinks'>, Query<'listChangeRequestLinks'> {}

/**
 * List the links in a change request
 *
 * Lists the targets that the content of a change request links to, and their status.
 */
export function listChangeRequestLinks(
  client: Caller,
  input: ListChangeRequestLinksInput,
  options?: CallOptions,
): Promise<LinkList> {
  return client.call('GET', '/v1/spaces/{spaceId}/change-requests/{changeRequestId}/links', input, options);
}

/** Parameters of `mergeChangeRequest`. */
export interface MergeChangeRequestInput extends Path<'mergeChangeRequest'> {}

/**
 * Merge a change request
 *
 * Merges a change request into its space, page by page and line by line. If both changed the same lines, the space is
 * unchanged, and both versions are written to the text of the change request, in lines between
 * `<<<<<<< change request`, `=======` and `>>>>>>> primary content`. It can be merged again once no page contains
 * these markers. Returns 409 if it is already merged, or a content limit would be exceeded.
 * Quota: pages.
 */
export function mergeChangeRequest(
  client: Caller,
  input: MergeChangeRequestInput,
  options?: CallOptions,
): Promise<ChangeRequestMergeResult> {
  return client.call('POST', '/v1/spaces/{spaceId}/change-requests/{changeRequestId}/merge', input, options);
}

/** Parameters of `getChangeRequestPdf`. */
export interface GetChangeRequestPdfInput extends Path<'getChangeRequestPdf'>, Query<'getChangeRequestPdf'> {}

/**
 * Get a PDF of a change request
 *
 * Prints the content of a change request, or part of it, to a PDF and returns its URL.
 */
export function getChangeRequestPdf(
  client: Caller,
  input: GetChangeRequestPdfInput,
  options?: CallOptions,
): Promise<PdfFile> {
  return client.call('GET', '/v1/spaces/{spaceId}/change-requests/{changeRequestId}/pdf', input, options);
}

/** Parameters of `listRequestedReviewers`. */
export interface ListRequestedReviewersInput extends Path<'listRequestedReviewers'>, Query<'listRequestedReviewers'> {}

/**
 * List the requested reviewers of a change request
 *
 * Lists the users who were requested to review a change request, in the order of the requests.
 */
export function listRequestedReviewers(
  client: Caller,
  input: ListRequestedReviewersInput,
  options?: CallOptions,
): Promise<RequestedReviewerList> {
  return client.call('GET', '/v1/spaces/{spaceId}/change-requests/{changeRequestId}/requested-reviewers', input, options);
}

/** Parameters and body of `addRequestedReviewers`. */
export interface AddRequestedReviewersInput extends Path<'addRequestedReviewers'> {
  body: RequestedReviewersCreate;
}

/**
 * Request reviews of a change request
 *
 * Requests users to review a change request, and permits them to. Earlier reviews by them become outdated; a request
 * that no review followed yet is unchanged. Returns 409 if the change request is merged or archived.
 */
export function addRequestedReviewers(
  client: Caller,
  input: AddRequestedReviewersInput,
  options?: CallOptions,
): Promise<RequestedReviewers> {
  return client.call('POST', '/v1/spaces/{spaceId}/change-requests/{changeRequestId}/requested-reviewers', input, options);
}

/** Parameters of `removeRequestedReviewer`. */
export interface RemoveRequestedReviewerInput extends Path<'removeRequestedReviewer'> {}

/**
 * Remove a requested reviewer of a change request
 *
 * Removes a user from the requested reviewers of a change request. Requested reviewers can remove themselves.
 */
export function removeRequestedReviewer(
  client: Caller,
  input: RemoveRequestedReviewerInput,
  options?: CallOptions,
): Promise<void> {
  return client.call('DELETE', '/v1/spaces/{spaceId}/change-requests/{changeRequestId}/requested-reviewers/{userId}', input, options);
}

/** Parameters of `listChangeRequestReviews`. */
export interface ListChangeRequestReviewsInput extends Path<'listChangeRequestReviews'>, Query<'listChangeRequestReviews'> {}

/**
 * List the reviews of a change request
 *
 * Lists the reviews of a change request, oldest first.
 */
export function listChangeRequestReviews(
  client: Caller,
  input: ListChangeRequestReviewsInput,
  options?: CallOptions,
): Promise<ChangeRequestReviewList> {
  return client.call('GET', '/v1/spaces/{spaceId}/change-requests/{changeRequestId}/reviews', input, options);
}

/** Parameters and body of `createChangeRequestReview`. */
export interface CreateChangeRequestReviewInput extends Path<'createChangeRequestReview'> {
  header?: Header<'createChangeRequestReview'>;
  body: ChangeRequestReviewCreate;
}

/**
 * Review a change request
 *
 * Approves a change request, or requests changes. Requires the permission `review` on the space, unless another user
 * requested the review of the caller. Earlier reviews by the caller become outdated. Returns 409 if the change request is merged or
 * archived.
 */
export function createChangeRequestReview(
  client: Caller,
  input: CreateChangeRequestReviewInput,
  options?: CallOptions,
): Promise<ChangeRequestReview> {
  return client.call('POST', '/v1/spaces/{spaceId}/change-requests/{changeRequestId}/reviews', input, options, { nested: ['header'], idempotent: true });
}

/** Parameters of `getChangeRequestReview`. */
export interface GetChangeRequestReviewInput extends Path<'getChangeRequestReview'>, Query<'getChangeRequestReview'> {}

/**
 * Get a review of a change request
 *
 * Retrieves a review of a change request.
 */
export function getChangeRequestReview(
  client: Caller,
  input: GetChangeRequestReviewInput,
  options?: CallOptions,
): Promise<ChangeRequestReview> {
  return client.call('GET', '/v1/spaces/{spaceId}/change-requests/{changeRequestId}/reviews/{reviewId}', input, options);
}

/** Parameters of `syncChangeRequest`. */
export interface SyncChangeRequestInput extends Path<'syncChangeRequest'> {}

/**
 * Synchronize a change request with its space
 *
 * Merges the changes of the space since the last update into a change request, by the same rules as a merge. Returns
 * 409 if it is already merged, or a content limit would be exceeded.
 */
export function syncChangeRequest(
  client: Caller,
  input: SyncChangeRequestInput,
  options?: CallOptions,
): Promise<ChangeRequestUpdateResult> {
  return client.call('POST', '/v1/spaces/{spaceId}/change-requests/{changeRequestId}/update', input, options);
}

/** Parameters of `listSpaceCommenters`. */
export interface ListSpaceCommentersInput extends Path<'listSpaceCommenters'>, Query<'listSpaceCommenters'> {}

/**
 * List the commenters of a space
 *
 * Lists the members who have commented on a space.
 */
export function listSpaceCommenters(
  client: Caller,
  input: ListSpaceCommentersInput,
  options?: CallOptions,
): Promise<MemberList> {
  return client.call('GET', '/v1/spaces/{spaceId}/commenters', input, options);
}

/** Parameters of `listSpaceComments`. */
export interface ListSpaceCommentsInput extends Path<'listSpaceComments'>, Query<'listSpaceComments'> {}

/**
 * List the comments on a space
 *
 * Lists the comments on a space. By default, comments of any status are returned, newest first.
 */
export function listSpaceComments(
  client: Caller,
  input: ListSpaceCommentsInput,
  options?: CallOptions,
): Promise<CommentList> {
  return client.call('GET', '/v1/spaces/{spaceId}/comments', input, options);
}

/** Parameters and body of `createSpaceComment`. */
export interface CreateSpaceCommentInput extends Path<'createSpaceComment'> {
  header?: Header<'createSpaceComment'>;
  body: CommentCreate;
}

/**
 * Create a comment on a space
 *
 * Creates a comment on a space: on the whole content, a page, a node of a page, or a table cell.
 */
export function createSpaceComment(
  client: Caller,
  input: CreateSpaceCommentInput,
  options?: CallOptions,
): Promise<Comment> {
  return client.call('POST', '/v1/spaces/{spaceId}/comments', input, options, { nested: ['header'], idempotent: true });
}

/** Parameters of `getSpaceComment`. */
export interface GetSpaceCommentInput extends Path<'getSpaceComment'>, Query<'getSpaceComment'> {}

/**
 * Get a comment on a space
 *
 * Retrieves a comment on a space.
 */
export function getSpaceComment(
  client: Caller,
  input: GetSpaceCommentInput,
  options?: CallOptions,
): Promise<Comment> {
  return client.call('GET', '/v1/spaces/{spaceId}/comments/{commentId}', input, options);
}

/** Parameters and body of `updateSpaceComment`. */
export interface UpdateSpaceCommentInput extends Path<'updateSpaceComment'> {
  body: CommentUpdate;
}

/**
 * Update a comment on a space
 *
 * Updates the text of a comment on a space, resolves or reopens it, and adds or removes reactions.
 */
export function updateSpaceComment(
  client: Caller,
  input: UpdateSpaceCommentInput,
  options?: CallOptions,
): Promise<Comment> {
  return client.call('PUT', '/v1/spaces/{spaceId}/comments/{commentId}', input, options);
}

/** Parameters of `deleteSpaceComment`. */
export interface DeleteSpaceCommentInput extends Path<'deleteSpaceComment'> {}

/**
 * Delete a comment on a space
 *
 * Deletes a comment on a space and its replies.
 */
export function deleteSpaceComment(
  client: Caller,
  input: DeleteSpaceCommentInput,
  options?: CallOptions,
): Promise<void> {
  return client.call('DELETE', '/v1/spaces/{spaceId}/comments/{commentId}', input, options);
}

/** Parameters of `listSpaceCommentReplies`. */
export interface ListSpaceCommentRepliesInput extends Path<'listSpaceCommentReplies'>, Query<'listSpaceCommentReplies'> {}

/**
 * List the replies to a comment on a space
 *
 * Lists the replies to a comment on a space, oldest first.
 */
export function listSpaceCommentReplies(
  client: Caller,
  input: ListSpaceCommentRepliesInput,
  options?: CallOptions,
): Promise<CommentReplyList> {
  return client.call('GET', '/v1/spaces/{spaceId}/comments/{commentId}/replies', input, options);
}

/** Parameters and body of `createSpaceCommentReply`. */
export interface CreateSpaceCommentReplyInput extends Path<'createSpaceCommentReply'> {
  header?: Header<'createSpaceCommentReply'>;
  body: CommentReplyCreate;
}

/**
 * Reply to a comment on a space
 *
 * Creates a reply to a comment on a space.
 */
export function createSpaceCommentReply(
  client: Caller,
  input: CreateSpaceCommentReplyInput,
  options?: CallOptions,
): Promise<CommentReply> {
  return client.call('POST', '/v1/spaces/{spaceId}/comments/{commentId}/replies', input, options, { nested: ['header'], idempotent: true });
}

/** Parameters of `getSpaceCommentReply`. */
export interface GetSpaceCommentReplyInput extends Path<'getSpaceCommentReply'>, Query<'getSpaceCommentReply'> {}

/**
 * Get a reply to a comment on a space
 *
 * Retrieves a reply to a comment on a space.
 */
export function getSpaceCommentReply(
  client: Caller,
  input: GetSpaceCommentReplyInput,
  options?: CallOptions,
): Promise<CommentReply> {
  return client.call('GET', '/v1/spaces/{spaceId}/comments/{commentId}/replies/{commentReplyId}', input, options);
}

/** Parameters and body of `updateSpaceCommentReply`. */
export interface UpdateSpaceCommentReplyInput extends Path<'updateSpaceCommentReply'> {
  body: CommentReplyUpdate;
}

/**
 * Update a reply to a comment on a space
 *
 * Updates the text of a reply to a comment on a space, and adds or removes reactions.
 */
export function updateSpaceCommentReply(
  client: Caller,
  input: UpdateSpaceCommentReplyInput,
  options?: CallOptions,
): Promise<CommentReply> {
  return client.call('PUT', '/v1/spaces/{spaceId}/comments/{commentId}/replies/{commentReplyId}', input, options);
}

/** Parameters of `deleteSpaceCommentReply`. */
export interface DeleteSpaceCommentReplyInput extends Path<'deleteSpaceCommentReply'> {}

/**
 * Delete a reply to a comment on a space
 *
 * Deletes a reply to a comment on a space.
 */
export function deleteSpaceCommentReply(
  client: Caller,
  input: DeleteSpaceCommentReplyInput,
  options?: CallOptions,
): Promise<void> {
  return client.call('DELETE', '/v1/spaces/{spaceId}/comments/{commentId}/replies/{commentReplyId}', input, options);
}

/** Parameters of `getSpaceContent`. */
export interface GetSpaceContentInput extends Path<'getSpaceContent'>, Query<'getSpaceContent'> {}

/**
 * Get the content of a space
 *
 * Retrieves the current revision of a space in full: page tree, files, reusable content and variables.
 */
export function getSpaceContent(
  client: Caller,
  input: GetSpaceContentInput,
  options?: CallOptions,
): Promise<Revision> {
  return client.call('GET', '/v1/spaces/{spaceId}/content', input, options);
}

/** Parameters of `listSpaceFiles`. */
export interface ListSpaceFilesInput extends Path<'listSpaceFiles'>, Query<'listSpaceFiles'> {}

/**
 * List the files of a space
 *
 * Lists the files of a space.
 */
export function listSpaceFiles(
  client: Caller,
  input: ListSpaceFilesInput,
  options?: CallOptions,
): Promise<FileList> {
  return client.call('GET', '/v1/spaces/{spaceId}/content/files', input, options);
}

/** Parameters of `getSpaceFile`. */
export interface GetSpaceFileInput extends Path<'getSpaceFile'>, Query<'getSpaceFile'> {}

/**
 * Get a file of a space
 *
 * Retrieves a file of a space: its metadata and its download URL.
 */
export function getSpaceFile(
  client: Caller,
  input: GetSpaceFileInput,
  options?: CallOptions,
): Promise<File> {
  return client.call('GET', '/v1/spaces/{spaceId}/content/files/{fileId}', input, options);
}

/** Parameters of `listSpaceFileBacklinks`. */
export interface ListSpaceFileBacklinksInput extends Path<'listSpaceFileBacklinks'>, Query<'listSpaceFileBacklinks'> {}

/**
 * List the locations that link to a file of a space
 *
 * Lists the locations that link to a file of a space.
 */
export function listSpaceFileBacklinks(
  client: Caller,
  input: ListSpaceFileBacklinksInput,
  options?: CallOptions,
): Promise<LocationList> {
  return client.call('GET', '/v1/spaces/{spaceId}/content/files/{fileId}/backlinks', input, options);
}

/** Parameters and body of `importSpaceContent`. */
export interface ImportSpaceContentInput extends Path<'importSpaceContent'> {
  header?: Header<'importSpaceContent'>;
  body: ContentImport;
}

/**
 * Import content into a space
 *
 * Imports content from a URL into a space: converts it to pages and files, in a new revision. Returns 409 if the
 * space is locked, or a content limit would be exceeded. Quotas: pages, bytes.
 */
export function importSpaceContent(
  client: Caller,
  input: ImportSpaceContentInput,
  options?: CallOptions,
): Promise<ImportedContent> {
  return client.call('POST', '/v1/spaces/{spaceId}/content/import', input, options, { nested: ['header'], idempotent: true });
}

/** Parameters of `listContentImportRuns`. */
export interface ListContentImportRunsInput extends Path<'listContentImportRuns'>, Query<'listContentImportRuns'> {}

/**
 * List content import runs
 *
 * Lists the imports of content into a space and its change requests, newest first. The 100 latest runs of a space that
 * have ended, including Git imports and exports, are retained.
 */
export function listContentImportRuns(
  client: Caller,
  input: ListContentImportRunsInput,
  options?: CallOptions,
): Promise<ContentImportRunList> {
  return client.call('GET', '/v1/spaces/{spaceId}/content/import/runs', input, options);
}

/** Parameters of `getContentImportRun`. */
export interface GetContentImportRunInput extends Path<'getContentImportRun'> {}

/**
 * Get a content import run
 *
 * Retrieves an import of content: its status, result and problems.
 */
export function getContentImportRun(
  client: Caller,
  input: GetContentImportRunInput,
  options?: CallOptions,
): Promise<ContentImportRun> {
  return client.call('GET', '/v1/spaces/{spaceId}/content/import/runs/{importRunId}', input, options);
}

/** Parameters of `getSpacePage`. */
export interface GetSpacePageInput extends Path<'getSpacePage'>, Query<'getSpacePage'> {}

/**
 * Get a page of a space
 *
 * Retrieves a page of a space with its body and the tree of its subpages.
 */
export function getSpacePage(
  client: Caller,
  input: GetSpacePageInput,
  options?: CallOptions,
): Promise<Page> {
  return client.call('GET', '/v1/spaces/{spaceId}/content/page/{pageId}', input, options);
}

/** Parameters of `listSpacePageBacklinks`. */
export interface ListSpacePageBacklinksInput extends Path<'listSpacePageBacklinks'>, Query<'listSpacePageBacklinks'> {}

/**
 * List the locations that link to a page of a space
 *
 * Lists the locations that link to a page of a space: its own, and those in the main content of up to 200 other spaces that the caller sees.
 */
export function listSpacePageBacklinks(
  client: Caller,
  input: ListSpacePageBacklinksInput,
  options?: CallOptions,
): Promise<LocationList> {
  return client.call('GET', '/v1/spaces/{spaceId}/content/page/{pageId}/backlinks', input, options);
}

/** Parameters of `listSpacePageLinks`. */
export interface ListSpacePageLinksInput extends Path<'listSpacePageLinks'>, Query<'listSpacePageLinks'> {}

/**
 * List the links on a page of a space
 *
 * Lists the links on a page of a space and their status.
 */
export function listSpacePageLinks(
  client: Caller,
  input: ListSpacePageLinksInput,
  options?: CallOptions,
): Promise<LinkList> {
  return client.call('GET', '/v1/spaces/{spaceId}/content/page/{pageId}/links', input, options);
}

/** Parameters of `getSpacePageTree`. */
export interface GetSpacePageTreeInput extends Path<'getSpacePageTree'>, Query<'getSpacePageTree'> {}

/**
 * Get the page tree of a space
 *
 * Retrieves only the page tree of a space.
 */
export function getSpacePageTree(
  client: Caller,
  input: GetSpacePageTreeInput,
  options?: CallOptions,
): Promise<PageTree> {
  return client.call('GET', '/v1/spaces/{spaceId}/content/pages', input, options);
}

/** Parameters of `getSpacePageByPath`. */
export interface GetSpacePageByPathInput extends Path<'getSpacePageByPath'>, Query<'getSpacePageByPath'> {}

/**
 * Get a page of a space by its path
 *
 * Retrieves the page of a space at a path, with its body and the tree of its subpages.
 */
export function getSpacePageByPath(
  client: Caller,
  input: GetSpacePageByPathInput,
  options?: CallOptions,
): Promise<Page> {
  return client.call('GET', '/v1/spaces/{spaceId}/content/path/{pagePath}', input, options);
}

/** Parameters and body of `applySpaceTemplate`. */
export interface ApplySpaceTemplateInput extends Path<'applySpaceTemplate'> {
  body: TemplateChoice;
}

/**
 * Fill a space from a template
 *
 * Fills a space with the pages and files of a template, in a new revision. Returns 409 if the space is locked, or a
 * content limit would be exceeded.
 * Quotas: pages, bytes.
 */
export function applySpaceTemplate(
  client: Caller,
  input: ApplySpaceTemplateInput,
  options?: CallOptions,
): Promise<void> {
  return client.call('POST', '/v1/spaces/{spaceId}/content/template', input, options);
}

/** Parameters of `duplicateSpace`. */
export interface DuplicateSpaceInput extends Path<'duplicateSpace'> {
  header?: Header<'duplicateSpace'>;
}

/**
 * Duplicate a space
 *
 * Creates a copy of a space in the same parent, with the same content but without the history.
 * Quotas: spaces, pages.
 */
export function duplicateSpace(
  client: Caller,
  input: DuplicateSpaceInput,
  options?: CallOptions,
): Promise<Space> {
  return client.call('POST', '/v1/spaces/{spaceId}/duplicate', input, options, { nested: ['header'], idempotent: true });
}

/** Parameters and body of `exportGitRepository`. */
export interface ExportGitRepositoryInput extends Path<'exportGitRepository'> {
  body: GitExport;
}

/**
 * Export to Git
 *
 * Starts an export of the content of a space to a Git branch, as one commit. The run in the `Location` header reports
 * the result. An existing `.gitbook.yaml` is not changed.
 * Quota: jobs.
 */
export function exportGitRepository(
  client: Caller,
  input: ExportGitRepositoryInput,
  options?: CallOptions,
): Promise<void> {
  return client.call('POST', '/v1/spaces/{spaceId}/git/export', input, options);
}

/** Parameters and body of `importGitRepository`. */
export interface ImportGitRepositoryInput extends Path<'importGitRepository'> {
  body: GitImport;
}

/**
 * Import from Git
 *
 * Starts an import of the content of a space from a Git branch. The response does not wait for the import: the run in
 * its `Location` header reports the result. A page keeps its identifier when its path is imported again. Returns 409
 * if the space is locked.
 *
 * The changes of the branch since the last import or export are merged with the edits of the space, line by line. Where
 * both changed the same lines or settings, those of the branch are used. The run then lists a problem of each page,
 * and names an open change request with those of the space. Into a space that was never synchronized, the content of
 * the branch replaces the existing content, which the change request then holds.
 *
 * With `force`, the content of the branch replaces that of the space, including all edits. Without it, an import of a
 * commit that the space already contains, because it imported or exported it and imported no other branch since,
 * changes nothing.
 *
 * Without `.gitbook.yaml` and a table of contents in the top folder, the `book.json` of HonKit or the `book.toml` of
 * mdBook locates the pages. Without any table of contents, folders do.
 *
 * `redirects` of `.gitbook.yaml` are imported, too: published sites redirect these paths of the space to the pages that
 * they name. Redirects to anything but a page of the space are reported and skipped.
 * Quota: jobs.
 */
export function importGitRepository(
  client: Caller,
  input: ImportGitRepositoryInput,
  options?: CallOptions,
): Promise<void> {
  return client.call('POST', '/v1/spaces/{spaceId}/git/import', input, options);
}

/** Parameters of `getGitInfo`. */
export interface GetGitInfoInput extends Path<'getGitInfo'> {}

/**
 * Get the Git repository of a space
 *
 * Retrieves the Git repository that a space is synchronized with. Returns 404 if there is none.
 */
export function getGitInfo(
  client: Caller,
  input: GetGitInfoInput,
  options?: CallOptions,
): Promise<GitInfo> {
  return client.call('GET', '/v1/spaces/{spaceId}/git/info', input, options);
}

/** Parameters of `deleteLegacyGitInstallation`. */
export interface DeleteLegacyGitInstallationInput extends Path<'deleteLegacyGitInstallation'> {}

/**
 * Remove a legacy Git installation
 *
 * Removes the legacy Git installation of a space, to allow one of the integrations to replace it.
 */
export function deleteLegacyGitInstallation(
  client: Caller,
  input: DeleteLegacyGitInstallationInput,
  options?: CallOptions,
): Promise<void> {
  return client.call('DELETE', '/v1/spaces/{spaceId}/git/legacy-installation', input, options);
}

/** Parameters of `listGitRuns`. */
export interface ListGitRunsInput extends Path<'listGitRuns'>, Query<'listGitRuns'> {}

/**
 * List Git runs
 *
 * Lists the Git imports and exports of a space, newest first. The 100 latest runs of a space that have ended,
 * including imports of content, are retained.
 */
export function listGitRuns(
  client: Caller,
  input: ListGitRunsInput,
  options?: CallOptions,
): Promise<GitRunList> {
  return client.call('GET', '/v1/spaces/{spaceId}/git/runs', input, options);
}

/** Parameters of `getGitRun`. */
export interface GetGitRunInput extends Path<'getGitRun'> {}

/**
 * Get a Git run
 *
 * Retrieves a Git import or export: its status, progress, result and problems.
 */
export function getGitRun(
  client: Caller,
  input: GetGitRunInput,
  options?: CallOptions,
): Promise<GitRun> {
  return client.call('GET', '/v1/spaces/{spaceId}/git/runs/{runId}', input, options);
}

/** Parameters of `listSpaceLinks`. */
export interface ListSpaceLinksInput extends Path<'listSpaceLinks'>, Query<'listSpaceLinks'> {}

/**
 * List the links in a space
 *
 * Lists the targets that the content of a space links to, and their status.
 */
export function listSpaceLinks(
  client: Caller,
  input: ListSpaceLinksInput,
  options?: CallOptions,
): Promise<LinkList> {
  return client.call('GET', '/v1/spaces/{spaceId}/links', input, options);
}

/** Parameters and body of `moveSpace`. */
export interface MoveSpaceInput extends Path<'moveSpace'> {
  body: MoveContent;
}

/**
 * Move a space
 *
 * Moves a space within its organization. Changes nothing if the space is already there.
 */
export function moveSpace(
  client: Caller,
  input: MoveSpaceInput,
  options?: CallOptions,
): Promise<Space> {
  return client.call('POST', '/v1/spaces/{spaceId}/move', input, options);
}

/** Parameters and body of `createSpaceGrants`. */
export interface CreateSpaceGrantsInput extends Path<'createSpaceGrants'> {
  body: GrantsCreate;
}

/**
 * Grant access to a space
 *
 * Grants a role in a space to users and teams. It replaces any role granted to them before.
 */
export function createSpaceGrants(
  client: Caller,
  input: CreateSpaceGrantsInput,
  options?: CallOptions,
): Promise<void> {
  return client.call('POST', '/v1/spaces/{spaceId}/permissions', input, options);
}

/** Parameters of `listSpaceTeamGrants`. */
export interface ListSpaceTeamGrantsInput extends Path<'listSpaceTeamGrants'>, Query<'listSpaceTeamGrants'> {}

/**
 * List the teams with access to a space
 *
 * Lists the teams that have been granted a role in a space.
 */
export function listSpaceTeamGrants(
  client: Caller,
  input: ListSpaceTeamGrantsInput,
  options?: CallOptions,
): Promise<TeamGrantList> {
  return client.call('GET', '/v1/spaces/{spaceId}/permissions/teams', input, options);
}

/** Parameters of `deleteSpaceTeamGrant`. */
export interface DeleteSpaceTeamGrantInput extends Path<'deleteSpaceTeamGrant'> {}

/**
 * Revoke a team's access to a space
 *
 * Revokes a team's access to a space.
 */
export function deleteSpaceTeamGrant(
  client: Caller,
  input: DeleteSpaceTeamGrantInput,
  options?: CallOptions,
): Promise<void> {
  return client.call('DELETE', '/v1/spaces/{spaceId}/permissions/teams/{teamId}', input, options);
}

/** Parameters and body of `updateSpaceTeamGrant`. */
export interface UpdateSpaceTeamGrantInput extends Path<'updateSpaceTeamGrant'> {
  body: GrantPatch;
}

/**
 * Update a team's access to a space
 *
 * Updates the role granted to a team in a space.
 */
export function updateSpaceTeamGrant(
  client: Caller,
  input: UpdateSpaceTeamGrantInput,
  options?: CallOptions,
): Promise<void> {
  return client.call('PATCH', '/v1/spaces/{spaceId}/permissions/teams/{teamId}', input, options);
}

/** Parameters of `listSpaceUserGrants`. */
export interface ListSpaceUserGrantsInput extends Path<'listSpaceUserGrants'>, Query<'listSpaceUserGrants'> {}

/**
 * List the users with access to a space
 *
 * Lists the users who have been granted a role in a space.
 */
export function listSpaceUserGrants(
  client: Caller,
  input: ListSpaceUserGrantsInput,
  options?: CallOptions,
): Promise<UserGrantList> {
  return client.call('GET', '/v1/spaces/{spaceId}/permissions/users', input, options);
}

/** Parameters of `deleteSpaceUserGrant`. */
export interface DeleteSpaceUserGrantInput extends Path<'deleteSpaceUserGrant'> {}

/**
 * Revoke a user's access to a space
 *
 * Revokes a user's access to a space.
 */
export function deleteSpaceUserGrant(
  client: Caller,
  input: DeleteSpaceUserGrantInput,
  options?: CallOptions,
): Promise<void> {
  return client.call('DELETE', '/v1/spaces/{spaceId}/permissions/users/{userId}', input, options);
}

/** Parameters and body of `updateSpaceUserGrant`. */
export interface UpdateSpaceUserGrantInput extends Path<'updateSpaceUserGrant'> {
  body: GrantPatch;
}

/**
 * Update a user's access to a space
 *
 * Updates the role granted to a user in a space.
 */
export function updateSpaceUserGrant(
  client: Caller,
  input: UpdateSpaceUserGrantInput,
  options?: CallOptions,
): Promise<void> {
  return client.call('PATCH', '/v1/spaces/{spaceId}/permissions/users/{userId}', input, options);
}

/** Parameters of `restoreSpace`. */
export interface RestoreSpaceInput extends Path<'restoreSpace'> {}

/**
 * Restore a space
 *
 * Restores a space that was deleted less than 7 days ago. Changes nothing if the space is not deleted.
 * Quotas: spaces, pages.
 */
export function restoreSpace(
  client: Caller,
  input: RestoreSpaceInput,
  options?: CallOptions,
): Promise<Space> {
  return client.call('POST', '/v1/spaces/{spaceId}/restore', input, options);
}

/** Parameters of `getRevision`. */
export interface GetRevisionInput extends Path<'getRevision'>, Query<'getRevision'> {}

/**
 * Get a revision
 *
 * Retrieves a revision in full: page tree, files, reusable content and variables.
 */
export function getRevision(
  client: Caller,
  input: GetRevisionInput,
  options?: CallOptions,
): Promise<Revision> {
  return client.call('GET', '/v1/spaces/{spaceId}/revisions/{revisionId}', input, options);
}

/** Parameters of `getRevisionChanges`. */
export interface GetRevisionChangesInput extends Path<'getRevisionChanges'>, Query<'getRevisionChanges'> {}

/**
 * Get the changes of a revision
 *
 * Returns the changes of a revision: its content compared with that of the revision that it follows. For a merge, that is
 * the revision of the space before the merge. The first revision of a space has no changes. Returns 404 if
 * the revision before was deleted.
 */
export function getRevisionChanges(
  client: Caller,
  input: GetRevisionChangesInput,
  options?: CallOptions,
): Promise<SemanticChanges> {
  return client.call('GET', '/v1/spaces/{spaceId}/revisions/{revisionId}/changes', input, options);
}

/** Parameters of `listRevisionFiles`. */
export interface ListRevisionFilesInput extends Path<'listRevisionFiles'>, Query<'listRevisionFiles'> {}

/**
 * List the files of a revision
 *
 * Lists the files of a revision.
 */
export function listRevisionFiles(
  client: Caller,
  input: ListRevisionFilesInput,
  options?: CallOptions,
): Promise<FileList> {
  return client.call('GET', '/v1/spaces/{spaceId}/revisions/{revisionId}/files', input, options);
}

/** Parameters of `getRevisionPage`. */
export interface GetRevisionPageInput extends Path<'getRevisionPage'>, Query<'getRevisionPage'> {}

/**
 * Get a page of a revision
 *
 * Retrieves a page of a revision with its body and the tree of its subpages.
 */
export function getRevisionPage(
  client: Caller,
  input: GetRevisionPageInput,
  options?: CallOptions,
): Promise<Page> {
  return client.call('GET', '/v1/spaces/{spaceId}/revisions/{revisionId}/page/{pageId}', input, options);
}

/** Parameters of `getRevisionPageDocument`. */
export interface GetRevisionPageDocumentInput extends Path<'getRevisionPageDocument'>, Query<'getRevisionPageDocument'> {}

/**
 * Get the document of a page of a revision
 *
 * Retrieves the body of a page of a revision as a document.
 */
export function getRevisionPageDocument(
  client: Caller,
  input: GetRevisionPageDocumentInput,
  options?: CallOptions,
): Promise<Document> {
  return client.call('GET', '/v1/spaces/{spaceId}/revisions/{revisionId}/page/{pageId}/document', input, options);
}

/** Parameters of `getRevisionPageTree`. */
export interface GetRevisionPageTreeInput extends Path<'getRevisionPageTree'>, Query<'getRevisionPageTree'> {}

/**
 * Get the page tree of a revision
 *
 * Retrieves only the page tree of a revision.
 */
export function getRevisionPageTree(
  client: Caller,
  input: GetRevisionPageTreeInput,
  options?: CallOptions,
): Promise<PageTree> {
  return client.call('GET', '/v1/spaces/{spaceId}/revisions/{revisionId}/pages', input, options);
}

/** Parameters of `getRevisionPageByPath`. */
export interface GetRevisionPageByPathInput extends Path<'getRevisionPageByPath'>, Query<'getRevisionPageByPath'> {}

/**
 * Get a page of a revision by its path
 *
 * Retrieves the page of a revision at a path, with its body and the tree of its subpages.
 */
export function getRevisionPageByPath(
  client: Caller,
  input: GetRevisionPageByPathInput,
  options?: CallOptions,
): Promise<Page> {
  return client.call('GET', '/v1/spaces/{spaceId}/revisions/{revisionId}/path/{pagePath}', input, options);
}

/** Parameters of `getRevisionReusableContentDocument`. */
export interface GetRevisionReusableContentDocumentInput extends Path<'getRevisionReusableContentDocument'>, Query<'getRevisionReusableContentDocument'> {}

/**
 * Get the document of a reusable content of a revision
 *
 * Retrieves the body of a reusable content of a revision as a document.
 */
export function getRevisionReusableContentDocument(
  client: Caller,
  input: GetRevisionReusableContentDocumentInput,
  options?: CallOptions,
): Promise<Document> {
  return client.call('GET', '/v1/spaces/{spaceId}/revisions/{revisionId}/reusable-contents/{reusableContentId}/document', input, options);
}

/** Parameters of `searchSpace`. */
export interface SearchSpaceInput extends Path<'searchSpace'>, Query<'searchSpace'> {}

/**
 * Search a space
 *
 * Searches a space. Returns the pages that contain the search terms, best match first, with the matching sections.
 */
export function searchSpace(
  client: Caller,
  input: SearchSpaceInput,
  options?: CallOptions,
): Promise<SearchResultPageList> {
  return client.call('GET', '/v1/spaces/{spaceId}/search', input, options);
}

/** Parameters and body of `transferSpace`. */
export interface TransferSpaceInput extends Path<'transferSpace'> {
  body: TransferContent;
}

/**
 * Transfer a space
 *
 * Transfers a space to another organization of the caller. Changes nothing if it already belongs to the
 * organization.
 * Quotas: spaces, pages, bytes.
 */
export function transferSpace(
  client: Caller,
  input: TransferSpaceInput,
  options?: CallOptions,
): Promise<Space> {
  return client.call('POST', '/v1/spaces/{spaceId}/transfer', input, options);
}

/** Parameters of `getSubdomain`. */
export interface GetSubdomainInput extends Path<'getSubdomain'> {}

/**
 * Get a subdomain
 *
 * Retrieves the organization that uses a subdomain as its `hostname`.
 */
export function getSubdomain(
  client: Caller,
  input: GetSubdomainInput,
  options?: CallOptions,
): Promise<Subdomain> {
  return client.call('GET', '/v1/subdomains/{subdomain}', input, options);
}

/** Parameters and body of `resolvePublishedUrl`. */
export interface ResolvePublishedUrlInput {
  body: PublishedUrlRequest;
}

/**
 * Resolve a URL of published content
 *
 * Resolves the URL of published content for a visitor, as the published site does: for programs that display sites.
 * Returns 404 if the URL does not lead to a published site, or the visitor is not admitted to it and cannot sign in,
 * and 401 if the visitor token is rejected. Whether the site space has a page at `pathname` is not verified.
 */
export function resolvePublishedUrl(
  client: Caller,
  input: ResolvePublishedUrlInput,
  options?: CallOptions,
): Promise<PublishedUrlResult> {
  return client.call('POST', '/v1/urls/published', input, options);
}

/** Parameters of `getCurrentUser`. */
export interface GetCurrentUserInput {}

/**
 * Get the authenticated user
 *
 * Retrieves the user that the access token belongs to.
 */
export function getCurrentUser(
  client: Caller,
  input: GetCurrentUserInput = {},
  options?: CallOptions,
): Promise<User> {
  return client.call('GET', '/v1/user', input, options);
}

/** Parameters of `listAccessTokens`. */
export interface ListAccessTokensInput extends Query<'listAccessTokens'> {}

/**
 * List the caller's access tokens
 *
 * Lists the access tokens of the caller, including expired but not revoked ones.
 */
export function listAccessTokens(
  client: Caller,
  input: ListAccessTokensInput = {},
  options?: CallOptions,
): Promise<UserAccessTokenList> {
  return client.call('GET', '/v1/user/tokens', input, options);
}

/** Parameters and body of `createAccessToken`. */
export interface CreateAccessTokenInput {
  header?: Header<'createAccessToken'>;
  body: UserAccessTokenCreate;
}

/**
 * Create an access token
 *
 * Creates an access token for the caller. Only this response contains the secret. Returns 403 if the new token would
 * have more permissions, or expire later, than the token of the request. Returns 409 if the user already has 100
 * tokens that are neither expired nor revoked.
 */
export function createAccessToken(
  client: Caller,
  input: CreateAccessTokenInput,
  options?: CallOptions,
): Promise<UserAccessTokenWithSecret> {
  return client.call('POST', '/v1/user/tokens', input, options, { nested: ['header'], idempotent: true });
}

/** Parameters of `revokeAccessToken`. */
export interface RevokeAccessTokenInput extends Path<'revokeAccessToken'> {}

/**
 * Revoke an access token
 *
 * Revokes an access token of the caller, which can be the token of the request. The token is rejected from the next
 * request on.
 */
export function revokeAccessToken(
  client: Caller,
  input: RevokeAccessTokenInput,
  options?: CallOptions,
): Promise<void> {
  return client.call('DELETE', '/v1/user/tokens/{tokenId}', input, options);
}
