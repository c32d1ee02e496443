/** What a visitor reads on a site: a space, and possibly one of its pages. */
import type { Content } from '../../../../content/tree/content.ts';
import { notFound } from '../../../../errors/errors.ts';
import {
  rootSiteSpacesOf,
  type SectionNode,
  type SiteSpaceEntry,
  sectionsOf,
} from '../../../spaces/publications/structure.ts';
import type { ReadingSpace } from '../../structure/spaces.ts';
import type { ReadingSite } from '../reading-site.ts';
import type { Navigation, NavigationPage, ReadablePage } from './navigation.ts';

/** A space that is read on a site. */
export interface ViewContext {
  reading: ReadingSite;
  siteSpace: SiteSpaceEntry;
  section: SectionNode | undefined;
  space: ReadingSpace;
  navigation: Navigation;
  /** The current page. */
  page?: NavigationPage | undefined;
}

/** A page with a text that is read on a site. */
export interface PageContext extends ViewContext {
  page: ReadablePage;
}

/** A page that is read on a site, and the content of its space. */
export interface ContentContext extends PageContext {
  content: Content;
}

/**
 * Returns the context of a site space.
 *
 * @throws ServiceError `not_found` if the visitor sees none
 */
export async function viewContext(
  reading: ReadingSite,
  siteSpace: SiteSpaceEntry | undefined,
): Promise<ViewContext> {
  if (!siteSpace) {
    throw notFound('site');
  }
  const section = sectionsOf(reading.structure).find(({ row }) => row.id === siteSpace.row.section);
  const space = reading.spaceOf(siteSpace);
  return { reading, siteSpace, section, space, navigation: await reading.navigationOf(space) };
}

/** Returns the variants of what is read: the site spaces of its section, or those outside of sections. */
export const variantsOf = ({
  reading,
  section,
}: Pick<ViewContext, 'reading' | 'section'>): readonly SiteSpaceEntry[] =>
  section?.siteSpaces ?? rootSiteSpacesOf(reading.structure);
