import type { TokensTable } from './schema/access-tokens.ts';
import type { AuditEventsTable } from './schema/audit-events.ts';
import type { BlobChunksTable, BlobsTable, BlobUploadsTable } from './schema/blobs.ts';
import type { ChangeRequestsTable } from './schema/change-requests.ts';
import type { CollectionsTable } from './schema/collections.ts';
import type { CommentReactionsTable, CommentsTable } from './schema/comments.ts';
import type { GrantsTable } from './schema/grants.ts';
import type { IdempotencyKeysTable } from './schema/idempotency-keys.ts';
import type {
  ContentInstallationsTable,
  InstallationExternalIdsTable,
  InstallationsTable,
} from './schema/installations.ts';
import type {
  IntegrationEventStreamsTable,
  IntegrationEventsTable,
  RaisedEventsTable,
} from './schema/integration-events.ts';
import type {
  IntegrationAssetsTable,
  IntegrationsTable,
  IntegrationTagsTable,
  IntegrationVersionsTable,
} from './schema/integrations.ts';
import type { InvitesTable, LinkInvitesTable } from './schema/invitations.ts';
import type { JobsTable } from './schema/jobs.ts';
import type { LockTicketsTable } from './schema/locks.ts';
import type { MembersTable } from './schema/members.ts';
import type { NameChangesTable } from './schema/name-changes.ts';
import type { ObjectsTable } from './schema/objects.ts';
import type { OpenAPISpecsTable, OpenAPISpecVersionsTable } from './schema/openapi-specs.ts';
import type { OrganizationFilesTable } from './schema/organization-files.ts';
import type { OrganizationsTable } from './schema/organizations.ts';
import type { PrintedPdfsTable } from './schema/printed-pdfs.ts';
import type { CountingProcessesTable, RequestCountsTable } from './schema/request-counts.ts';
import type { RequestedReviewersTable, ReviewsTable } from './schema/reviews.ts';
import type { RevisionsTable } from './schema/revisions.ts';
import type { RowCountsTable } from './schema/row-counts.ts';
import type { RunsTable } from './schema/runs.ts';
import type { SamlProvidersTable } from './schema/saml-providers.ts';
import type { SamlAssertionsTable, SamlRequestsTable } from './schema/saml-sign-ins.ts';
import type { SearchPagesTable } from './schema/search-pages.ts';
import type { SearchSectionsTable } from './schema/search-sections.ts';
import type { SessionsTable } from './schema/sessions.ts';
import type { CountersTable, SettingsTable } from './schema/settings.ts';
import type { SiteFeedbackTable } from './schema/site-feedback.ts';
import type { SiteRedirectsTable } from './schema/site-redirects.ts';
import type {
  ShareLinksTable,
  SiteSectionGroupsTable,
  SiteSectionsTable,
  SiteSpacesTable,
  SitesTable,
} from './schema/sites.ts';
import type { SpaceMapsTable } from './schema/space-maps.ts';
import type { SpacesTable } from './schema/spaces.ts';
import type { SyncedBranchesTable } from './schema/synced-branches.ts';
import type { TeamMembersTable, TeamsTable } from './schema/teams.ts';
import type { TranslationSegmentsTable, TranslationsTable } from './schema/translations.ts';
import type { UsersTable } from './schema/users.ts';
import type { VisibilityVersionsTable } from './schema/visibility-versions.ts';
import type { VisitorSessionsTable } from './schema/visitor-sessions.ts';

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
  visibilityVersions: VisibilityVersionsTable;
  nameChanges: NameChangesTable;
  jobs: JobsTable;
  lockTickets: LockTicketsTable;
}
