import type { JsonText } from '../json.ts';

/** A change to rights, or a deletion; never changed once written. It names resources that may be gone. */
export interface AuditEventsTable {
  id: string;
  /** The organization that the resource belonged to then. */
  organization: string;
  action: AuditAction;
  /** The id of a user, `operator` or `system`; ids of users have a prefix, so they are neither. */
  actor: string;
  /** The id of the access token that was used. */
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
  | 'openapi_spec.visibility_changed'
  | 'openapi_spec.deleted'
  | 'comment.deleted'
  | 'git_installation.deleted';

export type AuditResourceType =
  | 'organization'
  | 'user'
  | 'invite'
  | 'team'
  | 'token'
  | 'saml-provider'
  | 'space'
  | 'collection'
  | 'openapi-spec'
  | 'comment';

/** More about an event. It never holds secrets. */
export interface AuditDetails {
  subject?: { type: AuditResourceType; id: string };
  before?: string;
  after?: string;
  fields?: string[];
}
