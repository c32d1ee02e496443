/** A page with sections in the search index. */
export interface SearchPagesTable {
  organization: string;
  space: string;
  page: string;
  /** Version of its sections; null while some are missing or outdated. */
  version: string | null;
  /** Words of its title, separated by spaces; null while its sections are incomplete. */
  titleWords: string | null;
  /** Number of its sections; null while some are missing, or if an earlier release indexed it. */
  sections: number | null;
}
