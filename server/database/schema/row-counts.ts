import type { IntegrationTagsTable } from './integrations/integrations.ts';

/** Numbers of rows by kind, as the sum of shards. Maintained by triggers. */
export interface RowCountsTable {
  /** Empty for the service. */
  organization: string;
  kind: RowCountKind;
  /** ID of the resource that the rows belong to; empty for the organization. */
  owner: string;
  shard: number;
  value: number;
}

/** The kinds of rows, defined by the triggers in the migrations. */
export type RowCountKind =
  | 'members'
  | 'members admin'
  | 'members create'
  | 'members review'
  | 'members edit'
  | 'members comment'
  | 'members read'
  | 'members guest'
  | 'members seen'
  | 'teams'
  | 'members of team'
  | 'teams of member'
  | 'grants user'
  | 'grants team'
  | 'spaces granted'
  | 'collections granted'
  | 'link invites'
  | 'collections'
  | 'collections at root'
  | 'spaces'
  | 'spaces in collection'
  | 'spaces deleted'
  | 'sites'
  | 'OpenAPI specs'
  | 'OpenAPI spec versions'
  | 'change requests'
  | 'change requests draft'
  | 'change requests open'
  | 'change requests archived'
  | 'change requests merged'
  | 'comments open'
  | 'comments resolved'
  | 'replies'
  /** Owned by a comment and the author of the replies, joined by a space. */
  | 'replies by author'
  | 'translations'
  /** In the current content of the spaces that are not deleted. */
  | 'pages'
  | 'bytes of files'
  /** Of any visibility. */
  | 'integrations published'
  | 'audit events'
  | `audit events by ${'action' | 'actor' | 'resourceType' | 'resource' | 'address'}`
  /** Owned by a date (UTC), such as `2026-01-31`. */
  | 'audit events of day'
  /** Of the service, owned by an integration. */
  | 'integration events received'
  /** Those that lists show: the public ones are of the service, and the private ones of their organization. */
  | 'integrations'
  | 'integrations with blocks'
  | 'integrations with content sources'
  /** Owned by the value of the filter. */
  | `integrations by ${'owner' | 'target' | IntegrationTagsTable['kind']}`;
