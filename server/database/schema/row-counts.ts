/** How many rows there are of one kind, as the sum of its shards. Triggers of the tables keep it. */
export interface RowCountsTable {
  organization: string;
  kind: RowCountKind;
  /** The id of what the rows belong to; '' for the organization. */
  owner: string;
  shard: number;
  value: number;
}

/** What is counted; the migrations say which rows that are. */
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
  | 'link invites'
  | 'collections'
  | 'collections at root'
  | 'spaces'
  | 'spaces in collection'
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
  | 'audit events';
