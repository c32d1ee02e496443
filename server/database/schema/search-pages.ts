/** A page with sections in the search index. */
export interface SearchPagesTable {
  organization: string;
  space: string;
  page: string;
  /** Version of its sections; null while some are missing or outdated. */
  version: string | null;
}
