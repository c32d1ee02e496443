import {
  rootSiteSpacesOf,
  type SectionNode,
  type SiteSpaceEntry,
  type SiteStructure,
  sectionsOf,
} from './structure.ts';
import { encodeSegments } from './urls.ts';

/** The destination of a path on a site. */
export interface SiteDestination {
  siteSpace: SiteSpaceEntry;
  /** The section of the site space; undefined at the root. */
  section: SectionNode | undefined;
  /** Decoded segments of the path of the page in the space. */
  page: readonly string[];
}

/** Sections or site spaces by their path segments. Paths take precedence over IDs, which also name entries. */
class Level<Entry extends { row: { id: string; path: string }; isDefault: boolean }> {
  readonly default: Entry | undefined;
  readonly size: number;
  readonly #entries: ReadonlyMap<string, Entry>;

  constructor(entries: readonly Entry[]) {
    this.default = entries.find(({ isDefault }) => isDefault);
    this.size = entries.length;
    this.#entries = new Map([
      ...entries.map((entry) => [entry.row.id, entry] as const),
      ...entries.map((entry) => [entry.row.path, entry] as const),
    ]);
  }

  find(segment: string | undefined): Entry | undefined {
    return segment === undefined ? undefined : this.#entries.get(segment);
  }
}

/**
 * The paths of a site: `/{section}/{site space}/{page}`. The default section and the default site space of a section
 * leave out their segment, unless another entry or page has the remaining path.
 */
export class SitePaths {
  readonly #root: Level<SiteSpaceEntry>;
  readonly #sections: Level<SectionNode>;
  readonly #variants: ReadonlyMap<string, Level<SiteSpaceEntry>>;
  readonly #siteSpaces = new Map<string, Pick<SiteDestination, 'section' | 'siteSpace'>>();

  constructor(structure: SiteStructure) {
    const sections = sectionsOf(structure);
    const rootSiteSpaces = rootSiteSpacesOf(structure);
    this.#root = new Level(rootSiteSpaces);
    this.#sections = new Level(sections);
    this.#variants = new Map(sections.map(({ row, siteSpaces }) => [row.id, new Level(siteSpaces)]));
    for (const siteSpace of rootSiteSpaces) {
      this.#siteSpaces.set(siteSpace.row.id, { section: undefined, siteSpace });
    }
    for (const section of sections) {
      for (const siteSpace of section.siteSpaces) {
        this.#siteSpaces.set(siteSpace.row.id, { section, siteSpace });
      }
    }
  }

  /**
   * Finds what a path leads to. A section or a site space takes precedence over a page with the same path. Paths that
   * name entries by ID, or include the segments of defaults, are resolved, too: {@link pathOf} returns the current one.
   *
   * @param segments decoded segments
   * @returns undefined if the site is empty
   */
  resolve(segments: readonly string[]): SiteDestination | undefined {
    const named = this.#sections.find(segments[0]);
    const section = named ?? this.#sections.default;
    const rest = named ? segments.slice(1) : segments;
    const level = this.#levelOf(section);
    const variant = level?.find(rest[0]);
    const siteSpace = variant ?? level?.default;
    return siteSpace && { section, siteSpace, page: variant ? rest.slice(1) : rest };
  }

  /**
   * Returns whether no segment that is added to the path of a site space can lead to another one.
   *
   * @param segments decoded segments, without those of a page
   */
  isComplete(segments: readonly string[]): boolean {
    const section = this.#sections.find(segments[0]);
    const rest = section ? segments.slice(1) : segments;
    const level = this.#levelOf(section ?? this.#sections.default);
    return (
      rest.length > 0 || ((section !== undefined || this.#sections.size <= 1) && (level?.size ?? 0) <= 1)
    );
  }

  #levelOf(section: SectionNode | undefined): Level<SiteSpaceEntry> | undefined {
    return section ? this.#variants.get(section.row.id) : this.#root;
  }

  /**
   * Returns the encoded path of a site space, or of a page in it: empty for the start of the site, otherwise with a
   * leading slash.
   *
   * @param page decoded segments of the path of the page
   * @throws Error if the structure does not contain the site space
   */
  pathOf(siteSpace: string, page: readonly string[] = []): string {
    const entry = this.#siteSpaces.get(siteSpace);
    if (!entry) {
      throw new Error(`The structure does not contain the site space ${siteSpace}.`);
    }
    const section = entry.section ? [entry.section.row.path] : [];
    const variant = [entry.siteSpace.row.path];
    const candidates = [
      ...(entry.section?.isDefault !== false && entry.siteSpace.isDefault ? [[]] : []),
      ...(entry.section?.isDefault ? [variant] : []),
      ...(entry.siteSpace.isDefault ? [section] : []),
    ].map((prefix) => [...prefix, ...page]);
    const shortest = candidates.find((segments) => {
      const destination = this.resolve(segments);
      return destination?.siteSpace.row.id === siteSpace && destination.page.length === page.length;
    });
    return encodeSegments(shortest ?? [...section, ...variant, ...page]);
  }

  /** Returns the encoded path of a section: that of its default site space. */
  pathOfSection({ siteSpaces }: SectionNode): string {
    const first = siteSpaces.find(({ isDefault }) => isDefault);
    return first ? this.pathOf(first.row.id) : '';
  }
}
