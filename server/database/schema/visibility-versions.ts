/**
 * How often what guests and teams see has changed, or who the members and the teams are, as the sum of its shards.
 * Triggers of the tables raise it.
 */
export interface VisibilityVersionsTable {
  organization: string;
  /** The user whom a change concerns; '' for everybody in the organization; 'members' and 'teams' for those. */
  owner: string;
  shard: number;
  value: number;
}
