/**
 * Numbers of changes of what guests and teams see, and of the lists of members and teams, as the sum of shards.
 * Maintained by triggers.
 */
export interface VisibilityVersionsTable {
  organization: string;
  /** The affected user; '' for all users of the organization; 'members' and 'teams' for these lists. */
  owner: string;
  shard: number;
  value: number;
}
