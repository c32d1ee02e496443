import type { SiteSpaceEntry } from '../../../spaces/publications/structure.ts';
import type { ReadingSite } from '../reading-site.ts';

/** Path of the forms for the opinions of readers, below the address of a site. */
export const FEEDBACK_PATH = '~feedback';

/** Maximum length of the comment of a reader. */
export const MAX_FEEDBACK_COMMENT_CHARACTERS = 512;

/** Returns the address of the form about a page. */
export const feedbackHref = (reading: ReadingSite, { row }: SiteSpaceEntry, page: string): string =>
  reading.href(`/${FEEDBACK_PATH}/${row.id}/${encodeURIComponent(page)}`);
