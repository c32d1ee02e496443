import type { Generated } from 'kysely';

/**
 * The last changes of the members, the teams and the sites of an organization, by the versions in `visibilityVersions`
 * that they led to. A changed row has two rows: one with its values before, and one with those after the change.
 * Maintained by triggers.
 */
export interface NameChangesTable {
  organization: string;
  /** The changed list. */
  owner: 'members' | 'teams' | 'sites';
  shard: number;
  /** Position of the version in the shard, which a later version reuses. */
  slot: number;
  /** Number of the row among those of the version. */
  number: number;
  /** Version of the shard after the change. */
  version: number;
  /** 1 for the values after a change, -1 for those before, and 0 if too many changed at once to record them. */
  delta: number;
  /** Time when the member joined or the resource was created. With the ID, it orders the list. */
  createdAt: string;
  /** ID of the user, the team or the site. */
  id: string;
  searchedText: string;
  /** Role of a member; null for guests and other resources. */
  role: string | null;
  /** Whether the member was active; 0 for other resources. */
  isSeen: number;
  /** Type of a site; null for other resources. */
  siteType: Generated<string | null>;
  /** Whether the site is published; null for other resources. */
  isPublished: Generated<number | null>;
}
