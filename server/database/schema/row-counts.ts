/** Numbers of rows by kind, as the sum of shards. Maintained by triggers. */
export interface RowCountsTable {
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
  | 'audit events';
