import type { ImportedDocument, ImportedPage } from '../repository/types.ts';
import { DEFAULT_LAYOUT } from '../tree/records.ts';

/** Creates a page with default layout from a source without layout settings. */
export function documentPage(page: {
  key: string;
  title: string;
  slug: string;
  description?: string | undefined;
  markdown: string;
  pages?: ImportedPage[];
}): ImportedDocument {
  const { key, title, slug, description, markdown, pages = [] } = page;
  return {
    type: 'document',
    key,
    title,
    slug,
    path: slug,
    ...(description !== undefined && { description }),
    markdown,
    layout: DEFAULT_LAYOUT,
    variables: {},
    hidden: false,
    noIndex: false,
    noRobotsIndex: false,
    git: { oid: '', path: key },
    pages,
  };
}
