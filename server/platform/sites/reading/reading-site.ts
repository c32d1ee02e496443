/** A published site as one visitor reads it: its structure, spaces and addresses. */

import { createHash } from 'node:crypto';
import type { SpaceAddresses } from '../../../content/links/space-urls.ts';
import { openContent } from '../../../content/store/content.ts';
import { currentRevision } from '../../../content/store/revisions.ts';
import type { AnchorScope } from '../../../content/threads/anchor-reader.ts';
import type { Content } from '../../../content/tree/content.ts';
import { unavailable } from '../../../contract/errors.ts';
import type { Queries } from '../../../database/database.ts';
import type { Searches } from '../../../database/search/searches.ts';
import { NamedCache } from '../../../diagnostics/caches.ts';
import { membersOf } from '../../accounts/members/queries.ts';
import { withComputedPages } from '../../content/openapi-specs/queries/computed.ts';
import { storedSpecificationFinder } from '../../content/openapi-specs/queries/find.ts';
import type { PdfServices } from '../../content/printing/print.ts';
import type { PdfSender } from '../../content/printing/routes.ts';
import { spaceAddressFinder } from '../../content/references/space-urls.ts';
import type { CallServices } from '../../integrations/calls/call-integration.ts';
import type { EventServices } from '../../kit/events/raise.ts';
import { SitePaths } from '../../spaces/publications/paths.ts';
import {
  filterStructure,
  readStructure,
  type SectionNode,
  type SiteRow,
  type SiteSpaceEntry,
  type SiteStructure,
  siteSpacesOf,
} from '../../spaces/publications/structure.ts';
import { siteBase } from '../../spaces/publications/urls.ts';
import { findSiteIntegrations, type SiteIntegrations } from '../site-integrations/find.ts';
import { readCustomization } from '../sites/queries/customization.ts';
import type { ReadingSpace } from '../structure/spaces.ts';
import type { VisitorClaims } from '../visitors/conditions.ts';
import { visibleStructure } from '../visitors/structure.ts';
import type { SiteVisitor } from '../visitors/visitor.ts';
import { SharedResults } from './cache.ts';
import { readSiteState, type SiteState } from './site-state.ts';
import { treeSlots } from './slots.ts';
import type { SiteCustomization } from './templates/types.ts';
import { type Navigation, type NavigationPage, readNavigation } from './views/navigation.ts';

/** Maximum number of pages in the cached page trees: more than the largest tree has. */
export const MAX_CACHED_TREE_PAGES = 120_000;
/** Maximum number of cached structures of sites. */
export const MAX_CACHED_STRUCTURES = 500;

export interface ReadingServices extends PdfServices, CallServices, EventServices {
  pdfs: PdfSender;
  searches: Searches;
}

const navigations = new SharedResults<Navigation>(
  { name: 'site-navigations', maxSize: MAX_CACHED_TREE_PAGES },
  ({ size }: Navigation) => size,
);
const structures = new NamedCache<SiteStructure>('site-structures', { max: MAX_CACHED_STRUCTURES });

/** A site as one visitor reads it. */
export class ReadingSite {
  readonly site: SiteRow;
  readonly visitor: SiteVisitor;
  readonly structure: SiteStructure;
  readonly paths: SitePaths;
  readonly customization: SiteCustomization;
  /** URL of the site, and the path of this URL. Neither ends with a slash. */
  readonly url: string;
  readonly base: string;
  /** Identifies all that the pages of the site are made from, and what the visitor sees of it. */
  readonly version: string;
  /** Integrations that the site shows. */
  readonly integrations: SiteIntegrations;
  readonly #services: ReadingServices;
  readonly #spaces: ReadonlyMap<string, ReadingSpace>;
  readonly #specifications: string;

  constructor(
    services: ReadingServices,
    structure: SiteStructure,
    visitor: SiteVisitor,
    { spaces, specificationsVersion, spaceMapVersion }: SiteState,
    integrations: SiteIntegrations,
  ) {
    this.#services = services;
    this.#spaces = spaces;
    this.#specifications = `${structure.site.organization} ${specificationsVersion}`;
    this.integrations = integrations;
    this.site = structure.site;
    this.visitor = visitor;
    this.structure = structure;
    this.paths = new SitePaths(structure);
    this.customization = readCustomization(structure.site);
    this.url = siteBase(services.resourceUrls, structure.site);
    this.base = new URL(this.url).pathname.replace(/\/$/, '');
    const { id, version, organizationHostname } = structure.site;
    const shown = siteSpacesOf(structure).map(({ row }) => {
      const { revision, title, language } = this.#spaces.get(row.space) ?? {};
      return [row.space, revision, title, language];
    });
    this.version = createHash('sha256')
      .update(
        JSON.stringify([
          id,
          version,
          organizationHostname,
          visitor.key,
          shown,
          specificationsVersion,
          spaceMapVersion,
          integrations.key,
        ]),
      )
      .digest('base64url');
  }

  /** Whether agents can read the site: its index for them, and pages as Markdown. */
  get isForAgents(): boolean {
    return this.site.agentsContext === 'included';
  }

  /** Claims for the conditions in pages; none if the site has no adaptive content. */
  get claims(): VisitorClaims {
    return this.visitor.claims;
  }

  spaceOf({ row }: SiteSpaceEntry): ReadingSpace {
    const space = this.#spaces.get(row.space);
    if (!space) {
      throw new Error(`The site space ${row.id} has no space.`);
    }
    return space;
  }

  /** Returns the first site space that shows a space, preferring one of the section of the reader. */
  siteSpaceOf(space: string, near?: SectionNode): SiteSpaceEntry | undefined {
    const shows = ({ row }: SiteSpaceEntry) => row.space === space;
    return near?.siteSpaces.find(shows) ?? siteSpacesOf(this.structure).find(shows);
  }

  /** Finds the spaces, and pages in them, that URLs of the web lead to, whether or not the site shows them. */
  findSpaceAddresses(urls: readonly string[]): Promise<SpaceAddresses> {
    const { database, resourceUrls } = this.#services;
    return spaceAddressFinder(database.query, resourceUrls, this.site.organization)(urls);
  }

  /** Returns the names of those users who are members of the organization. */
  async namesOf(users: readonly string[]): Promise<Map<string, string>> {
    const rows = await membersOf(this.#services.database.query, this.site.organization)
      .where('members.user', 'in', users)
      .execute();
    return new Map(rows.map(({ user, displayName }) => [user, displayName]));
  }

  /** Opens the content of a space as readers see it. */
  async open(space: ReadingSpace): Promise<Content> {
    const { query } = this.#services.database;
    const revision = await currentRevision(query, { space, revision: space.revision });
    return withComputedPages(this.#services, space.organization, await openContent(query, revision));
  }

  /**
   * Returns what the anchors of the content of a space are read with.
   *
   * @param app URL of the app
   */
  anchorScope({ id, organization }: ReadingSpace, app: string): AnchorScope {
    const findSpecification = storedSpecificationFinder(this.#services.database.query, organization);
    return { space: id, app, findSpecification };
  }

  async navigationOf(space: ReadingSpace): Promise<Navigation> {
    return await navigations.get(`${space.revision} ${this.#specifications}`, async () => {
      using _slot = await treeSlots.enter(space.organization, unavailable);
      return await readNavigation(await this.open(space));
    });
  }

  /** Returns the address of a page on the origin of the site. */
  pageHref(siteSpace: SiteSpaceEntry, navigation: Navigation, page: NavigationPage): string {
    return this.href(this.paths.pathOf(siteSpace.row.id, navigation.pathOf(page)));
  }

  /** Returns the address of a page as Markdown. */
  markdownHref(siteSpace: SiteSpaceEntry, page: NavigationPage): string {
    return this.href(`${this.paths.pathOf(siteSpace.row.id, page.path)}.md`);
  }

  /** Returns the address of a path of the site. The path is encoded and has a leading slash, or is empty. */
  href(path: string): string {
    return `${this.base}${path}` || '/';
  }

  /** Returns the URL of an address on the origin of the site. */
  absolute(href: string): string {
    return new URL(href, this.url).href;
  }
}

/**
 * Reads a site for a visitor. Returns undefined if nothing of it is visible to the visitor.
 *
 * @param state what was read with the site; read if it is omitted
 */
export async function readSite(
  services: ReadingServices,
  site: SiteRow,
  visitor: SiteVisitor,
  state?: SiteState,
): Promise<ReadingSite | undefined> {
  const { query } = services.database;
  const key = `${site.id} ${site.version} ${site.organizationHostname} ${visitor.key}`;
  let visible = structures.get(key);
  if (!visible) {
    visible = visibleStructure(await readStructure(query, site), visitor);
    structures.set(key, visible);
  }
  const current = state ?? (await readSiteState(query, site));
  const structure = filterStructure(
    {
      ...visible,
      site: {
        ...site,
        defaultSection: visible.site.defaultSection,
        defaultSiteSpace: visible.site.defaultSiteSpace,
      },
    },
    { siteSpace: ({ space }) => current.spaces.has(space), section: () => true },
  );
  if (siteSpacesOf(structure).length === 0) {
    return undefined;
  }
  const integrations = await findSiteIntegrations(query, site, current.installations, services);
  return new ReadingSite(services, structure, visitor, current, integrations);
}

/** Returns whether a site shows nothing to anyone. */
export const isEmptySite = async (queries: Queries, site: SiteRow): Promise<boolean> =>
  siteSpacesOf(await readStructure(queries, site)).length === 0;
