import type { Queries } from '../../../database/database.ts';

/** Selects the share links of a site. */
export const shareLinksOf = (queries: Queries, site: string) =>
  queries.selectFrom('shareLinks').selectAll().where('shareLinks.site', '=', site);
