import { slugify } from '../../tree/slugs.ts';
import type { OutlineEntry } from '../read/outline.ts';
import { collapse } from '../text.ts';
import type { ImportedTarget } from '../types.ts';
import { targetIn } from './compare.ts';
import type { WrittenPaths } from './paths.ts';
import type { SourceEntry, SummarySource } from './summary-source.ts';
import { type ExportedPage, walkExported } from './types.ts';

/** Returns what an entry of a table of contents is read as; undefined if the reader ignores it. */
export type ResolveEntry = (source: SourceEntry) => OutlineEntry | undefined;

/** The pages of the entries of a table of contents. */
export type EntryPages = ReadonlyMap<SourceEntry, ExportedPage>;

/**
 * Returns the entries as the reader has them: the lines of ignored entries become lines between entries, and the
 * children of entries that cannot have any follow them.
 */
export function withoutIgnored({ entries, tail }: SummarySource, resolve: ResolveEntry): SummarySource {
  let lead: string[] = [];
  const isIgnored = (source: SourceEntry): boolean =>
    resolve(source) === undefined && source.children.every(isIgnored);
  const retain = (sources: readonly SourceEntry[]): SourceEntry[] =>
    sources.flatMap((source) => {
      const kind = resolve(source)?.kind;
      if (kind === undefined) {
        lead.push(...source.lead, ...source.lines);
        return retain(source.children);
      }
      const first = source.children.findIndex((child) => !isIgnored(child));
      const count = first === -1 ? source.children.length : first;
      const retained = {
        ...source,
        lead: [...lead, ...source.lead],
        ignored: source.children.slice(0, count).flatMap(allLines),
      };
      lead = [];
      const children = retain(source.children.slice(count));
      const isParent = kind === 'page' || kind === 'group';
      retained.children = isParent ? children : [];
      return isParent ? [retained] : [retained, ...children];
    });
  return { entries: retain(entries), tail: [...lead, ...tail] };
}

/** Returns the lines of an entry and its descendants, with those before it. */
function allLines({ lead, lines, children }: SourceEntry): string[] {
  return [...lead, ...lines, ...children.flatMap(allLines)];
}

/** Yields entries with their parents, each before its descendants. */
export function* walkSources(
  sources: readonly SourceEntry[],
  parent?: SourceEntry,
): Generator<{ source: SourceEntry; parent: SourceEntry | undefined }> {
  for (const source of sources) {
    yield { source, parent };
    yield* walkSources(source.children, source);
  }
}

/**
 * Finds the page of each entry: documents by their files, other pages by what they contain, first among the children
 * of the same page, then anywhere.
 */
export function matchEntries(
  { entries }: SummarySource,
  pages: readonly ExportedPage[],
  resolve: ResolveEntry,
  places: WrittenPaths,
): EntryPages {
  const parents = new Map<ExportedPage, ExportedPage | undefined>();
  for (const page of walkExported(pages)) {
    for (const child of 'pages' in page ? page.pages : []) {
      parents.set(child, page);
    }
  }
  const matched = new Map<SourceEntry, ExportedPage>();
  const matchedPages = new Set<ExportedPage>();
  const match = (source: SourceEntry, page: ExportedPage | undefined) => {
    if (page !== undefined) {
      matched.set(source, page);
      matchedPages.add(page);
    }
  };
  const all = [...walkSources(entries)];
  const candidates = indexPages(pages, places);
  const keysBySource = new Map(all.map(({ source }) => [source, entryKeys(resolve(source))]));
  // The first pass finds documents by their unique keys, and thereby the parents of other entries.
  const passes: ((source: SourceEntry, parent: SourceEntry | undefined) => ExportedPage | undefined)[] = [
    (source) => {
      const [key = ''] = keysBySource.get(source) ?? [];
      return key.startsWith('document ') ? candidates.get(key)?.[0] : undefined;
    },
    ...[true, false].map(
      (isSibling) => (source: SourceEntry, parent: SourceEntry | undefined) =>
        (keysBySource.get(source) ?? [])
          .flatMap((key) => candidates.get(key) ?? [])
          .find(
            (page) =>
              !matchedPages.has(page) &&
              (!isSibling || parents.get(page) === (parent && matched.get(parent))),
          ),
    ),
    (source) => renamedGroup(source, resolve, matched, parents),
  ];
  for (const pass of passes) {
    for (const { source, parent } of all) {
      const page = matched.has(source) ? undefined : pass(source, parent);
      if (page !== undefined && !matchedPages.has(page)) {
        match(source, page);
      }
    }
  }
  return matched;
}

/** Returns the group that now contains the first page of an entry. */
function renamedGroup(
  source: SourceEntry,
  resolve: ResolveEntry,
  matched: EntryPages,
  parents: ReadonlyMap<ExportedPage, ExportedPage | undefined>,
): ExportedPage | undefined {
  if (resolve(source)?.kind !== 'group') {
    return undefined;
  }
  const child = source.children.map((child) => matched.get(child)).find((page) => page !== undefined);
  const parent = child && parents.get(child);
  return parent?.type === 'group' ? parent : undefined;
}

/** Returns the pages by each of their keys. */
function indexPages(pages: readonly ExportedPage[], places: WrittenPaths): Map<string, ExportedPage[]> {
  const index = new Map<string, ExportedPage[]>();
  for (const page of walkExported(pages)) {
    for (const key of pageKeys(page, places)) {
      const list = index.get(key);
      if (list === undefined) {
        index.set(key, [page]);
      } else {
        list.push(page);
      }
    }
  }
  return index;
}

/** Returns the keys of an entry, the most specific first. */
function entryKeys(entry: OutlineEntry | undefined): string[] {
  switch (entry?.kind) {
    case 'page':
      return [`document ${entry.file.path}`];
    case 'group':
      return groupKeys(entry.title, entry.slug);
    case 'link':
      return linkKeys(entry.title, addressOf(entry.target));
    case 'computed':
      return computedKeys(entry.computed);
    default:
      return [];
  }
}

function pageKeys(page: ExportedPage, places: WrittenPaths): string[] {
  switch (page.type) {
    case 'document':
      return [`document ${places.pages.get(page.id) ?? ''}`];
    case 'group':
      return groupKeys(collapse(page.title), page.slug);
    case 'link':
      return linkKeys(collapse(page.title), addressOf(targetIn(page.target, places)));
    case 'computed':
      return computedKeys(page.computed);
  }
}

/** The slug of a group may have a suffix that distinguishes it from its siblings. */
function groupKeys(title: string, slug: string): string[] {
  return [
    `group ${slug} ${title}`,
    `group title ${title}`,
    `group slug ${slug}`,
    `group slug ${slugify(title)}`,
  ];
}

function linkKeys(title: string, address: string): string[] {
  return [`link ${address} ${title}`, `link ${address}`, `link title ${title}`];
}

function computedKeys(computed: object): string[] {
  return [`computed ${JSON.stringify(computed)}`];
}

function addressOf(target: ImportedTarget | undefined): string {
  if (target?.kind === 'page') {
    return `${target.path}#${target.anchor ?? ''}`;
  }
  return target?.kind === 'url' ? target.url : (target?.path ?? '');
}
