/**
 * The last changes of the members and the teams of an organization, by the versions in `visibilityVersions` that they
 * led to. A changed member or team has two rows: one with its values before, and one with those after the change.
 * Maintained by triggers.
 */
export interface NameChangesTable {
  organization: string;
  /** The changed list. */
  owner: 'members' | 'teams';
  shard: number;
  /** Position of the version in the shard, which a later version reuses. */
  slot: number;
  /** Number of the row among those of the version. */
  number: number;
  /** Version of the shard after the change. */
  version: number;
  /** 1 for the values after a change, -1 for those before, and 0 if too many changed at once to record them. */
  delta: number;
  /** Time at which the member joined, or the team was created: with the ID, the order of the list. */
  createdAt: string;
  /** ID of the user or the team. */
  id: string;
  searchedText: string;
  /** Role of a member; null for guests and teams. */
  role: string | null;
  /** Whether the member was active; 0 for teams. */
  isSeen: number;
}
