/**
 * Numbers of changes of what guests and teams see, and of the lists of members and teams, as the sum of shards.
 * Maintained by triggers.
 */
export interface VisibilityVersionsTable {
  organization: string;
  /** The affected user; '' for all users of the organization; 'members', 'teams', 'OpenAPI specs' and others for all of these. */
  owner: string;
  shard: number;
  value: number;
}
