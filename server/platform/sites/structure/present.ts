import type { components } from '../../../../generated/schema.d.ts';
import { batched } from '../../../database/batched.ts';
import type { Queries } from '../../../database/database.ts';
import { isOneOf, notIndexed } from '../../../database/lookups.ts';
import { loadAccess } from '../../../identity/access.ts';
import type { Membership } from '../../../identity/membership.ts';
import type { ResourceUrls } from '../../kit/resource-urls.ts';
import type { SitePaths } from '../../spaces/publications/paths.ts';
import { type Publication, publicationFinder } from '../../spaces/publications/publications.ts';
import type { SiteRow, SiteSpaceRow } from '../../spaces/publications/rows.ts';
import {
  firstSiteSpaceOf,
  groupsOf,
  type SectionEntry,
  type SectionGroupNode,
  type SectionNode,
  type SiteSpaceEntry,
  type SiteStructure,
  sectionsOf,
  siteSpacesOf,
} from '../../spaces/publications/structure.ts';
import { siteBase, withShareKey } from '../../spaces/publications/urls.ts';
import { presentPublishedSpace, presentSpace } from '../../spaces/spaces/present.ts';
import { spaceCounter } from '../../spaces/spaces/queries.ts';
import { hasFeature } from '../sites/queries/features.ts';
import type { StructureView } from './visible.ts';

type Schemas = components['schemas'];

/**
 * Converts the entries of a structure to their representation for a member, who sees all their spaces. The spaces of
 * entries that are presented together are read together.
 */
export class StructurePresenter {
  readonly #structure: SiteStructure;
  readonly #paths: SitePaths;
  readonly #base: string | undefined;
  readonly #shareKey: string | undefined;
  readonly #first: string | undefined;
  /** Conditions are not shown to visitors. */
  readonly #showsConditions: boolean;
  readonly #space: (row: SiteSpaceRow) => Promise<Schemas['Space'] | undefined>;

  constructor(
    queries: Queries,
    { structure, paths, member, shareKey }: StructureView,
    resourceUrls: ResourceUrls,
  ) {
    const { site } = structure;
    this.#structure = structure;
    this.#paths = paths;
    this.#base = site.published === 1 ? siteBase(resourceUrls, site) : undefined;
    this.#shareKey = shareKey;
    this.#first = firstSiteSpaceOf(structure)?.row.id;
    this.#space = spaceFinder(queries, site, {
      member,
      resourceUrls,
      publish: (row) => this.#publication(row),
    });
    this.#showsConditions = member !== undefined;
  }

  /** Converts all entries of the structure. */
  async structure(): Promise<Schemas['PublishedStructure']> {
    const { entries } = this.#structure;
    const siteSpaces = entries.filter((entry) => entry.type === 'site-space');
    const sections = entries.filter((entry) => entry.type !== 'site-space');
    return sections.length > 0
      ? { type: 'sections', structure: await Promise.all(sections.map((entry) => this.#entry(entry))) }
      : { type: 'siteSpaces', structure: await this.siteSpaces(siteSpaces) };
  }

  /** Converts the entry of a type by ID. @throws Error if the structure does not contain it */
  async entryById({ type, id }: Schemas['SiteEntryPointer']): Promise<Schemas['SiteEntry']> {
    switch (type) {
      case 'site-space':
        return await this.siteSpaceById(id);
      case 'site-section':
        return await this.sectionById(id);
      case 'site-section-group':
        return await this.groupById(id);
    }
  }

  /** Converts a site space by ID. @throws Error if the structure does not contain it */
  async siteSpaceById(id: string): Promise<Schemas['SiteSpace']> {
    const siteSpace = await this.#siteSpace(byId(siteSpacesOf(this.#structure), id));
    if (!siteSpace) {
      throw new Error(`The site space ${id} has no space.`);
    }
    return siteSpace;
  }

  /** Converts a section by ID. @throws Error if the structure does not contain it */
  async sectionById(id: string): Promise<Schemas['SiteSection']> {
    return await this.section(byId(sectionsOf(this.#structure), id));
  }

  /** Converts a section group by ID. @throws Error if the structure does not contain it */
  async groupById(id: string): Promise<Schemas['SiteSectionGroup']> {
    return await this.group(byId(groupsOf(this.#structure), id));
  }

  async #entry(entry: SectionEntry): Promise<Schemas['PublishedSectionEntry']> {
    return entry.type === 'site-section' ? await this.section(entry) : await this.group(entry);
  }

  /** Converts a section group with its sections. */
  async group({ row, sections }: SectionGroupNode): Promise<Schemas['SiteSectionGroup']> {
    const presented = await Promise.all(sections.map((section) => this.section(section)));
    return {
      object: 'site-section-group',
      id: row.id,
      title: row.title,
      draft: false,
      sections: presented,
      children: presented,
      ...(row.icon !== null && { icon: row.icon }),
    };
  }

  /** Converts a section with its variants. */
  async section(section: SectionNode): Promise<Schemas['SiteSection']> {
    const { row, isDefault, siteSpaces } = section;
    return {
      object: 'site-section',
      id: row.id,
      title: row.title,
      ...(row.description !== null && { description: row.description }),
      default: isDefault,
      draft: false,
      path: row.path,
      ...this.#condition(row),
      ...(row.sectionGroup !== null && { sectionGroup: row.sectionGroup }),
      ...(row.icon !== null && { icon: row.icon }),
      siteSpaces: await this.siteSpaces(siteSpaces),
      urls: this.#urls(() => this.#paths.pathOfSection(section)),
    };
  }

  /** Converts site spaces. Omits entries for spaces that were deleted in the meantime. */
  async siteSpaces(entries: readonly SiteSpaceEntry[]): Promise<Schemas['SiteSpace'][]> {
    const presented = await Promise.all(entries.map((entry) => this.#siteSpace(entry)));
    return presented.filter((siteSpace) => siteSpace !== undefined);
  }

  async #siteSpace({ row }: SiteSpaceEntry): Promise<Schemas['SiteSpace'] | undefined> {
    const space = await this.#space(row);
    return (
      space && {
        object: 'site-space',
        id: row.id,
        path: row.path,
        ...(row.section !== null && { section: row.section }),
        space,
        title: space.title,
        default: row.id === this.#first,
        draft: false,
        ...this.#condition(row),
        hasAdvancedCustomizationFeature: hasFeature(
          this.#structure.site.type,
          'sites-advanced-customization',
        ),
        urls: this.#urls(() => this.#paths.pathOf(row.id)),
      }
    );
  }

  /** Where a space is published that no other site shows. */
  #publication({ id }: SiteSpaceRow): Publication | undefined {
    const { visibility, authIntegration } = this.#structure.site;
    return this.#base === undefined
      ? undefined
      : { visibility, url: `${this.#base}${this.#paths.pathOf(id)}`, authIntegration };
  }

  #condition({ condition }: { condition: string | null }) {
    return this.#showsConditions && condition !== null ? { condition } : {};
  }

  #urls(path: () => string): Schemas['PublishedUrls'] {
    return this.#base === undefined
      ? {}
      : { published: withShareKey(`${this.#base}${path()}`, this.#shareKey) };
  }
}

function byId<Entry extends { row: { id: string } }>(entries: readonly Entry[], id: string): Entry {
  const entry = entries.find(({ row }) => row.id === id);
  if (!entry) {
    throw new Error(`The structure does not contain the entry ${id}.`);
  }
  return entry;
}

/**
 * Creates a function that finds and converts the spaces of site spaces. Those of a tick are read together.
 *
 * @param options.publish returns where a space is published that no other site shows
 */
const spaceFinder = (
  queries: Queries,
  site: SiteRow,
  {
    member,
    resourceUrls,
    publish,
  }: {
    member: Membership | undefined;
    resourceUrls: ResourceUrls;
    publish: (row: SiteSpaceRow) => Publication | undefined;
  },
) =>
  batched<SiteSpaceRow, Schemas['Space'] | undefined>(async (siteSpaces) => {
    const bySpace = new Map(siteSpaces.map((row) => [row.space, row]));
    const selected = queries
      .selectFrom('spaces')
      .selectAll('spaces')
      .where(isOneOf(queries, 'spaces.id', [...bySpace.keys()]))
      .where(notIndexed('spaces.organization'), '=', site.organization)
      .where(notIndexed('spaces.deletedAt'), 'is', null);
    const spaces = new Map<string, Schemas['Space']>();
    if (!member) {
      for (const row of await selected.execute()) {
        spaces.set(row.id, presentPublishedSpace(row, site.visibility, resourceUrls));
      }
      return ({ space }) => spaces.get(space);
    }
    const rows = await Promise.all((await selected.execute()).map(spaceCounter(queries)));
    const access = await loadAccess(queries, member, { kind: 'space', resources: rows });
    const findPublication = publicationFinder(queries, resourceUrls);
    const publications = await Promise.all(
      rows.map((row) => {
        const siteSpace = bySpace.get(row.id);
        return row.siteCount === 1 && siteSpace ? publish(siteSpace) : findPublication(row.id);
      }),
    );
    for (const [index, row] of rows.entries()) {
      spaces.set(row.id, presentSpace(row, access, resourceUrls, publications[index]));
    }
    return ({ space }) => spaces.get(space);
  });
