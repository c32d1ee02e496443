import { isDeepStrictEqual } from 'node:util';
import type { PathIndex } from '../files.ts';
import type { ContentConfiguration } from '../read/configuration.ts';
import { ExternalFiles } from '../read/external.ts';
import { splitFrontMatter } from '../read/front-matter.ts';
import { type OutlineEntry, SummaryOutline } from '../read/outline.ts';
import { parseSummaryInSteps, type SummaryEntry } from '../read/summary.ts';
import type { Steps } from '../steps.ts';
import { collapse } from '../text.ts';
import type { ImportedPage } from '../types.ts';
import { YamlReader } from '../yaml.ts';
import { targetIn } from './compare.ts';
import type { WrittenPaths } from './paths.ts';
import { EntryWriter } from './summary.ts';
import { matchEntries, walkSources, withoutIgnored } from './summary-match.ts';
import { type EntryChange, patchSummary } from './summary-patch.ts';
import { divideSummary, type SourceEntry, type SummarySource } from './summary-source.ts';
import { type ExportedPage, walkExported } from './types.ts';

/** The repository of an existing table of contents. */
export interface SummaryContext {
  configuration: ContentConfiguration;
  /** Existing and new files. */
  index: PathIndex;
  places: WrittenPaths;
  treeURL: string | undefined;
}

/**
 * Edits the table of contents of a repository so that it lists pages; the lines of other entries are unchanged.
 *
 * @param text of the table of contents
 * @param rewritten IDs of pages with entries to rewrite
 * @returns undefined if the text has no entries to edit
 */
export function* updateSummary(
  text: string,
  pages: readonly ExportedPage[],
  context: SummaryContext,
  rewritten: ReadonlySet<string>,
): Steps<string | undefined> {
  const { configuration, places } = context;
  const { body } = splitFrontMatter(text, new YamlReader(), () => {});
  const offset = text.slice(0, text.length - body.length).split('\n').length - 1;
  const entries = yield* readEntries(body);
  const divided = entries.length === 0 ? undefined : divideSummary(text.split('\n'), entries, offset);
  if (divided === undefined) {
    return undefined;
  }
  const resolved = yield* resolveEntries(divided, context);
  const resolve = (source: SourceEntry) => resolved.get(source.entry);
  const source = withoutIgnored(divided, resolve);
  const listed = withoutUnlistedReadme(pages, [...resolved.values()], configuration.readme, places);
  const matched = new Map(matchEntries(source, listed, resolve, places));
  const changes = new Set(rewritten);
  const changeOf = (source: SourceEntry, page: ExportedPage) =>
    changes.has(page.id) ? 'entry' : changeOfEntry(resolve(source), page, places);
  yield;
  const order = new Map([...walkExported(listed)].map((page, at) => [page, at]));
  for (const { host, attached } of sharedLines(source)) {
    if (isShared(host, attached, order, matched, changeOf)) {
      continue;
    }
    const page = matched.get(host);
    if (host.kind === 'paragraph') {
      matched.delete(host);
    } else if (page !== undefined) {
      changes.add(page.id);
    }
    for (const other of attached) {
      matched.delete(other);
    }
  }
  const writer = new EntryWriter(configuration.summaryPath, places);
  return patchSummary(source, listed, { matched, changeOf, writer });
}

/** Reads the entries; none if the reader does not use the table of contents. */
function* readEntries(text: string): Steps<SummaryEntry[]> {
  try {
    return yield* parseSummaryInSteps(text);
  } catch {
    return [];
  }
}

/** Returns what the reader makes of each entry. */
function* resolveEntries(
  source: SummarySource,
  { configuration, index, treeURL }: SummaryContext,
): Steps<Map<SummaryEntry, OutlineEntry>> {
  const outline = new SummaryOutline(configuration.summaryPath, {
    index,
    configuration: { ...configuration, readme: undefined },
    external: new ExternalFiles(treeURL, configuration),
    yaml: new YamlReader(),
    problems: [],
  });
  yield* outline.build(source.entries.map(({ entry }) => entry));
  const resolved = new Map<SummaryEntry, OutlineEntry>();
  for (const {
    source: { entry },
  } of walkSources(source.entries)) {
    yield;
    const result = outline.resolved(entry);
    if (result !== undefined) {
      resolved.set(entry, result);
    }
  }
  return resolved;
}

/** The configuration adds the first page to a table of contents that does not list it. */
function withoutUnlistedReadme(
  pages: readonly ExportedPage[],
  resolved: readonly OutlineEntry[],
  readme: string | undefined,
  places: WrittenPaths,
): readonly ExportedPage[] {
  const [first, ...others] = pages;
  const isListed = resolved.some((entry) => entry.kind === 'page' && entry.file.path === readme);
  const isUnlisted =
    readme !== undefined &&
    !isListed &&
    first?.type === 'document' &&
    first.pages.length === 0 &&
    places.pages.get(first.id) === readme;
  return isUnlisted ? others : pages;
}

/** Returns what differs between an entry and its page. */
function changeOfEntry(
  entry: OutlineEntry | undefined,
  page: ExportedPage,
  places: WrittenPaths,
): EntryChange {
  const title = collapse(page.title);
  if (entry?.kind === 'link' && page.type === 'link') {
    const hasSameTarget = isDeepStrictEqual(targetIn(page.target, places), entry.target);
    return hasSameTarget ? titleChange(entry.title, title) : 'entry';
  }
  if (entry === undefined || page.type === 'computed') {
    return 'none';
  }
  // A page without a title in the table of contents has that of its file.
  return entry.title === '' ? 'none' : titleChange(entry.title, title);
}

function titleChange(before: string, title: string): EntryChange {
  return title === '' || before === title ? 'none' : 'title';
}

/** Returns the lines that several entries share, such as a heading with a link. */
function sharedLines({ entries }: SummarySource): { host: SourceEntry; attached: SourceEntry[] }[] {
  const shared: { host: SourceEntry; attached: SourceEntry[] }[] = [];
  let host: SourceEntry | undefined;
  for (const { source } of walkSources(entries)) {
    if (source.kind !== 'attached') {
      host = source;
    } else if (shared.at(-1)?.host === host) {
      shared.at(-1)?.attached.push(source);
    } else if (host !== undefined) {
      shared.push({ host, attached: [source] });
    }
  }
  return shared;
}

/** Whether the entries of a line are unchanged, and still follow each other. */
function isShared(
  host: SourceEntry,
  attached: readonly SourceEntry[],
  order: ReadonlyMap<ExportedPage | undefined, number>,
  matched: ReadonlyMap<SourceEntry, ExportedPage>,
  changeOf: (source: SourceEntry, page: ExportedPage) => EntryChange,
): boolean {
  const all = [host, ...attached].map((source) => ({ source, page: matched.get(source) }));
  const start = order.get(all[0]?.page) ?? 0;
  return all.every(
    ({ source, page }, at) =>
      page !== undefined && order.get(page) === start + at && changeOf(source, page) === 'none',
  );
}

/**
 * Compares a page tree with that which was read, apart from the texts of pages.
 *
 * @returns the IDs of pages with a different type, title, path or target; undefined if the trees differ in their shape
 */
export function differingEntries(
  pages: readonly ExportedPage[],
  read: readonly ImportedPage[],
  places: WrittenPaths,
): Set<string> | undefined {
  const differing = new Set<string>();
  const compare = (pages: readonly ExportedPage[], read: readonly ImportedPage[]): boolean =>
    pages.length === read.length &&
    pages.every((page, at) => {
      const other = read[at];
      if (other === undefined || other.type !== page.type) {
        // A link to a page that is now listed first is read as the page.
        differing.add(page.id);
        return other !== undefined;
      }
      const isSame =
        (collapse(page.title) === '' || collapse(page.title) === other.title) &&
        (!('slug' in page) || !('slug' in other) || page.slug === other.slug) &&
        (page.type !== 'link' ||
          other.type !== 'link' ||
          isDeepStrictEqual(targetIn(page.target, places), other.target));
      if (!isSame) {
        differing.add(page.id);
      }
      return !('pages' in page) || ('pages' in other && compare(page.pages, other.pages));
    });
  return compare(pages, read) ? differing : undefined;
}
