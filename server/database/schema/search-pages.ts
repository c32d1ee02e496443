/** A page with sections in the search index. */
export interface SearchPagesTable {
  organization: string;
  space: string;
  page: string;
  /** What its sections were made from; null while some of them are missing or outdated. */
  version: string | null;
}
