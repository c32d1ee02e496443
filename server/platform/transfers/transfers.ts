import type { Schema } from '../../database/schema.ts';
import { auditEventTransfer } from '../accounts/audit-events/transfer.ts';
import { memberTransfer } from '../accounts/members/transfer.ts';
import { organizationFileTransfer } from '../accounts/organization-files/transfer.ts';
import { organizationTransfer } from '../accounts/organizations/transfer.ts';
import { samlProviderTransfer } from '../accounts/saml-providers/transfer.ts';
import { teamMemberTransfer, teamTransfer } from '../accounts/teams/transfer.ts';
import { userTransfer } from '../accounts/users/transfer.ts';
import { changeRequestTransfer } from '../content/change-requests/transfer.ts';
import { commentReactionTransfer, commentTransfer } from '../content/comments/transfer.ts';
import { syncedBranchTransfer } from '../content/git/transfer.ts';
import { openAPISpecTransfer, openAPISpecVersionTransfer } from '../content/openapi-specs/transfer.ts';
import { requestedReviewerTransfer, reviewTransfer } from '../content/reviews/transfer.ts';
import { revisionTransfer } from '../content/revisions/transfer.ts';
import { runTransfer } from '../content/runs/transfer.ts';
import { spaceMapTransfer } from '../content/space-maps/transfer.ts';
import {
  contentInstallationTransfer,
  installationExternalIdTransfer,
  installationTransfer,
} from '../integrations/installations/transfer.ts';
import {
  integrationAssetTransfer,
  integrationTagTransfer,
  integrationTransfer,
  integrationVersionTransfer,
} from '../integrations/integrations/transfer.ts';
import type { Transfer } from '../kit/transfer/define.ts';
import { shareLinkTransfer } from '../sites/share-links/transfer.ts';
import { siteFeedbackTransfer } from '../sites/site-feedback/transfer.ts';
import { siteRedirectTransfer } from '../sites/site-redirects/transfer.ts';
import { siteSectionGroupTransfer } from '../sites/site-section-groups/transfer.ts';
import { siteSectionTransfer } from '../sites/site-sections/transfer.ts';
import { siteSpaceTransfer } from '../sites/site-spaces/transfer.ts';
import { siteTransfer } from '../sites/sites/transfer.ts';
import { collectionTransfer } from '../spaces/collections/transfer.ts';
import { grantTransfer } from '../spaces/grants/transfer.ts';
import { inviteTransfer, linkInviteTransfer } from '../spaces/invitations/transfer.ts';
import { spaceTransfer } from '../spaces/spaces/transfer.ts';
import { translationSegmentTransfer, translationTransfer } from '../translations/translations/transfer.ts';

/** The nouns of an organization that travel, each after those that its rows refer to. */
export const TRANSFERS: readonly Transfer[] = [
  organizationTransfer,
  organizationFileTransfer,
  teamTransfer,
  collectionTransfer,
  spaceTransfer,
  revisionTransfer,
  changeRequestTransfer,
  reviewTransfer,
  requestedReviewerTransfer,
  commentTransfer,
  commentReactionTransfer,
  runTransfer,
  syncedBranchTransfer,
  spaceMapTransfer,
  openAPISpecTransfer,
  openAPISpecVersionTransfer,
  siteTransfer,
  siteSectionGroupTransfer,
  siteSectionTransfer,
  siteSpaceTransfer,
  shareLinkTransfer,
  siteRedirectTransfer,
  siteFeedbackTransfer,
  translationTransfer,
  translationSegmentTransfer,
  auditEventTransfer,
  userTransfer,
  memberTransfer,
  teamMemberTransfer,
  samlProviderTransfer,
  grantTransfer,
  linkInviteTransfer,
  inviteTransfer,
  integrationTransfer,
  integrationVersionTransfer,
  integrationAssetTransfer,
  integrationTagTransfer,
  installationTransfer,
  contentInstallationTransfer,
  installationExternalIdTransfer,
];

/** Tables of an organization that travel in another form, or that follow from what travels. */
export const DERIVED_TABLES = {
  objects: 'content, with those that a revision refers to',
  blobs: 'files of their own',
  blobChunks: 'files of their own',
  blobUploads: 'maintained with the bytes of files',
  searchSections: 'indexed again',
  searchPages: 'indexed again',
  rowCounts: 'maintained by triggers',
  visibilityVersions: 'maintained by triggers',
  nameChanges: 'maintained by triggers',
  counters: 'numbers of sweeps, which start again',
  printedPdfs: 'a cache',
} as const satisfies Partial<Record<keyof Schema, string>>;

/** Tables of an organization that do not travel. */
export const STAYING_TABLES = {
  sessions: 'credentials of members',
  samlRequests: 'sign-ins that have not ended',
  samlAssertions: 'sign-ins at this server',
  visitorSessions: 'credentials of visitors',
  quotas: 'limits of this server',
  jobs: 'work of this server; what is required is enqueued again',
  raisedEvents: 'deliveries of this server',
  integrationEvents: 'deliveries of this server',
  integrationEventStreams: 'deliveries of this server',
} as const satisfies Partial<Record<keyof Schema, string>>;
