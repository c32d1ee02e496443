import type { Generated } from 'kysely';

/** Sections of pages for full-text search. Accessed only by `search*.ts`. */
export interface SearchSectionsTable {
  id: Generated<number>;
  organization: string;
  space: string;
  page: string;
  section: string;
  ordinal: number;
  title: string;
  pageTitle: string;
  pagePath: string;
  anchor: string;
  body: string;
  /** Condition for visitors to see the section. */
  condition: string | null;
}
