import type { TokensTable } from './schema/accounts/access-tokens.ts';
import type { AuditEventsTable } from './schema/accounts/audit-events.ts';
import type { InvitesTable, LinkInvitesTable } from './schema/accounts/invitations.ts';
import type { MembersTable } from './schema/accounts/members.ts';
import type { OrganizationFilesTable } from './schema/accounts/organization-files.ts';
import type { OrganizationsTable } from './schema/accounts/organizations.ts';
import type { SamlProvidersTable } from './schema/accounts/saml-providers.ts';
import type { SamlAssertionsTable, SamlRequestsTable } from './schema/accounts/saml-sign-ins.ts';
import type { SessionsTable } from './schema/accounts/sessions.ts';
import type { TeamMembersTable, TeamsTable } from './schema/accounts/teams.ts';
import type { UsersTable } from './schema/accounts/users.ts';
import type { BlobChunksTable, BlobsTable, BlobUploadsTable } from './schema/content/blobs.ts';
import type { ChangeRequestsTable } from './schema/content/change-requests.ts';
import type { CommentReactionsTable, CommentsTable } from './schema/content/comments.ts';
import type { ObjectsTable } from './schema/content/objects.ts';
import type { OpenAPISpecsTable, OpenAPISpecVersionsTable } from './schema/content/openapi-specs.ts';
import type { PrintedPdfsTable } from './schema/content/printed-pdfs.ts';
import type { RequestedReviewersTable, ReviewsTable } from './schema/content/reviews.ts';
import type { RevisionsTable } from './schema/content/revisions.ts';
import type { RunsTable } from './schema/content/runs.ts';
import type { SearchPagesTable } from './schema/content/search-pages.ts';
import type { SearchSectionsTable } from './schema/content/search-sections.ts';
import type { SpaceMapsTable } from './schema/content/space-maps.ts';
import type { SyncedBranchesTable } from './schema/content/synced-branches.ts';
import type { IdempotencyKeysTable } from './schema/idempotency-keys.ts';
import type {
  ContentInstallationsTable,
  InstallationExternalIdsTable,
  InstallationsTable,
} from './schema/integrations/installations.ts';
import type {
  IntegrationEventStreamsTable,
  IntegrationEventsTable,
  RaisedEventsTable,
} from './schema/integrations/integration-events.ts';
import type {
  IntegrationAssetsTable,
  IntegrationsTable,
  IntegrationTagsTable,
  IntegrationVersionsTable,
} from './schema/integrations/integrations.ts';
import type { JobsTable } from './schema/jobs.ts';
import type { LockTicketsTable } from './schema/locks.ts';
import type { QuotasTable } from './schema/quotas.ts';
import type { CountingProcessesTable, RequestCountsTable } from './schema/request-counts.ts';
import type { RowCountsTable } from './schema/row-counts.ts';
import type { CountersTable, SettingsTable } from './schema/settings.ts';
import type { SiteFeedbackTable } from './schema/sites/site-feedback.ts';
import type { SiteRedirectsTable } from './schema/sites/site-redirects.ts';
import type {
  ShareLinksTable,
  SiteSectionGroupsTable,
  SiteSectionsTable,
  SiteSpacesTable,
  SitesTable,
} from './schema/sites/sites.ts';
import type { VisitorSessionsTable } from './schema/sites/visitor-sessions.ts';
import type { CollectionsTable } from './schema/spaces/collections.ts';
import type { GrantsTable } from './schema/spaces/grants.ts';
import type { NameChangesTable } from './schema/spaces/name-changes.ts';
import type { SpacesTable } from './schema/spaces/spaces.ts';
import type { VisibilityVersionsTable } from './schema/spaces/visibility-versions.ts';
import type { TranslationSegmentsTable, TranslationsTable } from './schema/translations/translations.ts';

/*
 * Types of the tables for Kysely. Conventions on both engines: IDs are opaque text; `At` columns are ISO 8601 text in
 * UTC with milliseconds (`Date.toISOString`), which sorts as text; booleans are 0 or 1; JSON is text, parsed with
 * `readJson`; text is compared by code point. Every table with data of a tenant has the column `organization`.
 */

/** The tables by name. */
export interface Schema {
  auditEvents: AuditEventsTable;
  settings: SettingsTable;
  users: UsersTable;
  tokens: TokensTable;
  organizations: OrganizationsTable;
  organizationFiles: OrganizationFilesTable;
  members: MembersTable;
  teams: TeamsTable;
  teamMembers: TeamMembersTable;
  grants: GrantsTable;
  linkInvites: LinkInvitesTable;
  invites: InvitesTable;
  samlProviders: SamlProvidersTable;
  samlRequests: SamlRequestsTable;
  samlAssertions: SamlAssertionsTable;
  sessions: SessionsTable;
  collections: CollectionsTable;
  spaceMaps: SpaceMapsTable;
  spaces: SpacesTable;
  revisions: RevisionsTable;
  runs: RunsTable;
  syncedBranches: SyncedBranchesTable;
  changeRequests: ChangeRequestsTable;
  comments: CommentsTable;
  commentReactions: CommentReactionsTable;
  reviews: ReviewsTable;
  requestedReviewers: RequestedReviewersTable;
  openAPISpecs: OpenAPISpecsTable;
  openAPISpecVersions: OpenAPISpecVersionsTable;
  sites: SitesTable;
  siteSectionGroups: SiteSectionGroupsTable;
  siteSections: SiteSectionsTable;
  siteFeedback: SiteFeedbackTable;
  siteSpaces: SiteSpacesTable;
  shareLinks: ShareLinksTable;
  siteRedirects: SiteRedirectsTable;
  visitorSessions: VisitorSessionsTable;
  translations: TranslationsTable;
  translationSegments: TranslationSegmentsTable;
  integrations: IntegrationsTable;
  integrationVersions: IntegrationVersionsTable;
  integrationAssets: IntegrationAssetsTable;
  integrationTags: IntegrationTagsTable;
  installations: InstallationsTable;
  contentInstallations: ContentInstallationsTable;
  installationExternalIds: InstallationExternalIdsTable;
  raisedEvents: RaisedEventsTable;
  integrationEvents: IntegrationEventsTable;
  integrationEventStreams: IntegrationEventStreamsTable;
  objects: ObjectsTable;
  printedPdfs: PrintedPdfsTable;
  idempotencyKeys: IdempotencyKeysTable;
  blobs: BlobsTable;
  blobChunks: BlobChunksTable;
  requestCounts: RequestCountsTable;
  countingProcesses: CountingProcessesTable;
  blobUploads: BlobUploadsTable;
  searchSections: SearchSectionsTable;
  searchPages: SearchPagesTable;
  counters: CountersTable;
  rowCounts: RowCountsTable;
  quotas: QuotasTable;
  visibilityVersions: VisibilityVersionsTable;
  nameChanges: NameChangesTable;
  jobs: JobsTable;
  lockTickets: LockTicketsTable;
}
