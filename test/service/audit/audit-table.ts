import type { AuditAction } from '../../../server/database/schema/accounts/audit-events.ts';
import { publishSite, type TestResources } from '../../support/resources.ts';

/** Reason why an operation that writes records nothing. */
export type Reason =
  | 'content: stored as revisions'
  | 'a discussion: grants no permissions'
  | 'a new resource: has the rights of its parent'
  | 'a name or a note: grants no permissions'
  | 'a query: writes nothing';

/** Recorded actions of an operation, and its request, if the access table has no suitable body. */
export interface RecordedActions {
  actions: readonly AuditAction[];
  body?: (resources: TestResources) => unknown;
  /** Prepares state before the request. */
  prepare?: (resources: TestResources) => Promise<unknown>;
}

const records = (...actions: AuditAction[]): RecordedActions => ({ actions });

/** A user without any rights. */
const newMember = (resources: TestResources) => resources.fresh().idFor('userId');
const defaultLevel = () => ({ defaultLevel: 'read' });
const condition = () => ({ condition: 'false' });
const toRead = () => ({ role: 'read' });
/** Redirects the events of the integration to its developer. */
const inDevelopment = async (resources: TestResources) => {
  const path = { integrationName: await resources.idFor('integrationName') };
  const body = { tunnelUrl: 'https://quiet-fox.example.net' };
  await resources.owner.client.PUT('/v1/integrations/{integrationName}/dev', { params: { path }, body });
};

/**
 * Actions that each operation that writes records in the audit trail, or the reason why it records none. A new
 * operation that writes needs a row.
 */
export const AUDIT_TABLE: Record<string, RecordedActions | Reason> = {
  // Collections
  createCollection: 'a new resource: has the rights of its parent',
  updateCollection: { ...records('collection.access_changed'), body: defaultLevel },
  deleteCollection: records('collection.deleted'),
  moveCollection: records('collection.moved'),
  transferCollection: records('collection.transferred'),
  createCollectionGrants: records('grant.created'),
  updateCollectionUserGrant: { ...records('grant.changed'), body: toRead },
  deleteCollectionUserGrant: records('grant.deleted'),
  updateCollectionTeamGrant: { ...records('grant.changed'), body: toRead },
  deleteCollectionTeamGrant: records('grant.deleted'),

  // Organizations and invitations
  createOrganization: records('organization.created'),
  updateOrganization: records('organization.settings_changed'),
  replaceSpaceMap: {
    ...records('organization.settings_changed'),
    body: async (resources) => ({ spaceMap: { former: await resources.idFor('spaceId') } }),
  },
  inviteUsers: { ...records('invite.created'), body: () => ({ emails: ['audited@example.com'] }) },
  acceptInvite: records('member.added'),
  createLinkInvite: records('invite.created'),
  updateLinkInvite: { ...records('invite.changed'), body: () => ({ role: 'comment' }) },
  deleteLinkInvite: records('invite.deleted'),

  // Members and their tokens
  updateMember: { ...records('member.role_changed'), body: toRead },
  deleteMember: records('member.removed'),
  enableMemberSso: records('member.sso_enabled'),
  pingOrganization: 'a name or a note: grants no permissions',
  createAccessToken: records('token.created'),
  revokeAccessToken: records('token.revoked'),
  revokeMemberAccessToken: records('token.revoked'),

  // Teams
  createTeam: records('team.created'),
  updateTeam: 'a name or a note: grants no permissions',
  deleteTeam: records('team.deleted'),
  updateTeamMembers: {
    ...records('team.member_added'),
    body: async (resources) => ({ add: [await newMember(resources)] }),
  },
  setTeamMember: records('team.member_role_changed'),
  deleteTeamMember: records('team.member_removed'),

  // SAML and SSO
  createSamlProvider: records('saml_provider.created'),
  updateSamlProvider: records('saml_provider.updated'),
  deleteSamlProvider: records('saml_provider.deleted'),

  // Spaces
  createSpace: 'a new resource: has the rights of its parent',
  duplicateSpace: 'a new resource: has the rights of its parent',
  updateSpace: { ...records('space.access_changed'), body: defaultLevel },
  deleteSpace: records('space.deleted'),
  restoreSpace: records('space.restored'),
  moveSpace: records('space.moved'),
  transferSpace: records('space.transferred'),
  createSpaceGrants: records('grant.created'),
  updateSpaceUserGrant: { ...records('grant.changed'), body: toRead },
  deleteSpaceUserGrant: records('grant.deleted'),
  updateSpaceTeamGrant: { ...records('grant.changed'), body: toRead },
  deleteSpaceTeamGrant: records('grant.deleted'),

  // Sites
  createSite: 'a new resource: has the rights of its parent',
  createSiteRedirect: 'a name or a note: grants no permissions',
  updateSiteRedirect: 'a name or a note: grants no permissions',
  deleteSiteRedirect: 'a name or a note: grants no permissions',
  resolvePublishedUrl: 'a query: writes nothing',
  searchSite: 'a query: writes nothing',
  recordSiteEvents: 'a query: writes nothing',
  askSite: 'a query: writes nothing',
  createOrganizationFile: 'a name or a note: grants no permissions',
  deleteOrganizationFile: 'a name or a note: grants no permissions',
  updateSite: { ...records('site.visibility_changed'), body: () => ({ visibility: 'unlisted' }) },
  deleteSite: records('site.deleted'),
  replaceSiteCustomization: 'a name or a note: grants no permissions',
  sortSiteStructure: 'a name or a note: grants no permissions',
  createSiteSection: records('site.space_added'),
  updateSiteSection: { ...records('site.conditions_changed'), body: condition },
  deleteSiteSection: records('site.space_removed'),
  moveSiteSection: 'a name or a note: grants no permissions',
  createSiteSectionGroup: 'a name or a note: grants no permissions',
  updateSiteSectionGroup: 'a name or a note: grants no permissions',
  deleteSiteSectionGroup: records('site.section_group_deleted'),
  moveSiteSectionGroup: 'a name or a note: grants no permissions',
  addSiteSectionToGroup: 'a name or a note: grants no permissions',
  removeSiteSectionFromGroup: 'a name or a note: grants no permissions',
  createSiteSpace: records('site.space_added'),
  // Another space is recorded like one that is removed and one that is added.
  updateSiteSpace: { ...records('site.conditions_changed'), body: condition },
  deleteSiteSpace: records('site.space_removed'),
  moveSiteSpace: 'a name or a note: grants no permissions',
  publishSite: records('site.published'),
  unpublishSite: { ...records('site.unpublished'), prepare: publishSite },
  replaceSiteAdaptiveSchema: records('site.conditions_changed'),
  updateSitePublishingAuth: {
    ...records('site.authentication_changed'),
    body: () => ({ fallbackURL: 'https://accounts.example.com/login' }),
  },
  regenerateSitePublishingAuth: records('site.signing_key_regenerated'),
  createShareLink: records('share_link.created'),
  updateShareLink: { ...records('share_link.changed'), body: () => ({ active: false }) },
  deleteShareLink: records('share_link.deleted'),

  // OpenAPI specs: a new one is private.
  createOpenAPISpec: 'a new resource: has the rights of its parent',
  putOpenAPISpec: 'content: stored as revisions',
  updateOpenAPISpec: {
    ...records('openapi_spec.visibility_changed'),
    body: () => ({ visibility: 'public' }),
  },
  deleteOpenAPISpec: records('openapi_spec.deleted'),

  // Content
  createChangeRequest: 'content: stored as revisions',
  updateChangeRequest: 'a name or a note: grants no permissions',
  mergeChangeRequest: 'content: stored as revisions',
  syncChangeRequest: 'content: stored as revisions',
  createChangeRequestReview: 'a discussion: grants no permissions',
  addRequestedReviewers: {
    ...records('change_request.reviewer_added'),
    body: async (resources) => ({ users: [await newMember(resources)] }),
  },
  removeRequestedReviewer: records('change_request.reviewer_removed'),
  updateChangeRequestContent: 'content: stored as revisions',
  startImportRun: 'content: stored as revisions',
  cancelImportRun: 'content: stored as revisions',
  importSpaceContent: 'content: stored as revisions',
  importChangeRequestContent: 'content: stored as revisions',
  applySpaceTemplate: 'content: stored as revisions',
  importGitRepository: 'content: stored as revisions',
  exportGitRepository: 'content: stored as revisions',
  deleteLegacyGitInstallation: records('git_installation.deleted'),

  // Comments
  createSpaceComment: 'a discussion: grants no permissions',
  updateSpaceComment: 'a discussion: grants no permissions',
  deleteSpaceComment: records('comment.deleted'),
  createSpaceCommentReply: 'a discussion: grants no permissions',
  updateSpaceCommentReply: 'a discussion: grants no permissions',
  deleteSpaceCommentReply: records('comment.deleted'),
  createChangeRequestComment: 'a discussion: grants no permissions',
  updateChangeRequestComment: 'a discussion: grants no permissions',
  deleteChangeRequestComment: records('comment.deleted'),
  createChangeRequestCommentReply: 'a discussion: grants no permissions',
  updateChangeRequestCommentReply: 'a discussion: grants no permissions',
  deleteChangeRequestCommentReply: records('comment.deleted'),

  // Translations
  createTranslation: 'a new resource: has the rights of its parent',
  updateTranslation: 'content: stored as revisions',
  deleteTranslation: records('translation.deleted'),
  runTranslation: 'content: stored as revisions',

  // Integrations
  renderIntegrationComponent: 'a query: writes nothing',
  publishIntegration: records('integration.published'),
  unpublishIntegration: records('integration.unpublished'),
  startIntegrationDevelopment: records('integration.development_started'),
  stopIntegrationDevelopment: { ...records('integration.development_stopped'), prepare: inDevelopment },
  createInstallation: records('installation.created'),
  updateInstallation: { ...records('installation.updated'), body: () => ({ externalIds: ['customer'] }) },
  deleteInstallation: records('installation.deleted'),
  createInstallationToken: records('installation.token_created'),
  createSpaceInstallation: records('installation.created'),
  updateSpaceInstallation: { ...records('installation.updated'), body: () => ({ status: 'paused' }) },
  deleteSpaceInstallation: records('installation.deleted'),
  createSiteInstallation: records('installation.created'),
  updateSiteInstallation: { ...records('installation.updated'), body: () => ({ status: 'paused' }) },
  deleteSiteInstallation: records('installation.deleted'),
};
