import type { JsonText } from '../../json.ts';

/** An immutable record of a change of rights or a deletion. The resources it refers to may be deleted. */
export interface AuditEventsTable {
  id: string;
  /** The organization that the resource belonged to at that time. */
  organization: string;
  action: AuditAction;
  /** A user ID, `operator` or `system`. User IDs have a prefix and are distinct. */
  actor: string;
  /** ID of the access token. */
  token: string | null;
  resourceType: AuditResourceType;
  resource: string;
  details: JsonText<AuditDetails>;
  requestId: string | null;
  address: string | null;
  occurredAt: string;
}

export type AuditAction =
  | 'organization.created'
  | 'organization.settings_changed'
  | 'organization.quotas_changed'
  | 'member.added'
  | 'member.removed'
  | 'member.role_changed'
  | 'member.sso_enabled'
  | 'invite.created'
  | 'invite.changed'
  | 'invite.deleted'
  | 'team.created'
  | 'team.deleted'
  | 'team.member_added'
  | 'team.member_removed'
  | 'team.member_role_changed'
  | 'grant.created'
  | 'grant.changed'
  | 'grant.deleted'
  | 'token.created'
  | 'token.revoked'
  | 'saml_provider.created'
  | 'saml_provider.updated'
  | 'saml_provider.deleted'
  | 'space.access_changed'
  | 'space.deleted'
  | 'space.restored'
  | 'space.purged'
  | 'space.moved'
  | 'space.transferred'
  | 'collection.access_changed'
  | 'collection.deleted'
  | 'collection.moved'
  | 'collection.transferred'
  | 'site.published'
  | 'site.unpublished'
  | 'site.visibility_changed'
  | 'site.space_added'
  | 'site.space_removed'
  | 'site.conditions_changed'
  | 'site.section_group_deleted'
  | 'site.deleted'
  | 'site.authentication_changed'
  | 'site.signing_key_regenerated'
  | 'share_link.created'
  | 'share_link.changed'
  | 'share_link.deleted'
  | 'openapi_spec.visibility_changed'
  | 'openapi_spec.deleted'
  | 'translation.deleted'
  | 'change_request.reviewer_added'
  | 'change_request.reviewer_removed'
  | 'comment.deleted'
  | 'git_installation.deleted'
  | 'integration.published'
  | 'integration.unpublished'
  | 'integration.development_started'
  | 'integration.development_stopped'
  | 'installation.created'
  | 'installation.updated'
  | 'installation.deleted'
  | 'installation.token_created';

export type AuditResourceType =
  | 'organization'
  | 'user'
  | 'invite'
  | 'team'
  | 'token'
  | 'saml-provider'
  | 'space'
  | 'collection'
  | 'site'
  | 'site-section'
  | 'site-section-group'
  | 'site-space'
  | 'share-link'
  | 'openapi-spec'
  | 'translation'
  | 'change-request'
  | 'comment'
  | 'integration'
  | 'installation';

/** Details of an event, without secrets. */
export interface AuditDetails {
  subject?: { type: AuditResourceType; id: string };
  before?: string;
  after?: string;
  fields?: string[];
}
