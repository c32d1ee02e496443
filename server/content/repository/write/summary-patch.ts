import { collapse } from '../text.ts';
import { heaviestRise } from './heaviest-rise.ts';
import type { EntryWriter } from './summary.ts';
import { type Indentation, withForm, withIndents, withTitle } from './summary-edit.ts';
import {
  childForm,
  type EntryForm,
  isLoose,
  linesIn,
  movedForm,
  nextMarker,
  type SummaryStyle,
  styleOf,
} from './summary-form.ts';
import { SummaryLines } from './summary-lines.ts';
import { isBlank, isBreak, type SourceEntry, type SummarySource } from './summary-source.ts';
import type { ExportedPage } from './types.ts';

/** What differs between an entry and its page: nothing, only the title, or anything else. */
export type EntryChange = 'none' | 'title' | 'entry';

/** The entries of an existing table of contents, and the pages to write. */
export interface PatchContext {
  /** The pages of entries. */
  matched: ReadonlyMap<SourceEntry, ExportedPage>;
  changeOf: (source: SourceEntry, page: ExportedPage) => EntryChange;
  writer: EntryWriter;
}

/** A list of pages to write: those of a group, of a page, or at the top. */
interface Region {
  pages: readonly ExportedPage[];
  /** The form of their parent; undefined at the top. */
  parent: EntryForm | undefined;
  /** The existing entry of their parent, and its children. */
  source: SourceEntry | undefined;
  sources: readonly SourceEntry[];
  /** Indentations of the existing entries above, and those that they are written with. */
  indents: readonly Indentation[];
}

/** The state of writing a region. */
interface Progress {
  /** The form of the last entry. */
  last: EntryForm | undefined;
  /** The marker of the entry before it. */
  markerBefore: string | undefined;
  /** The form of the next existing entry. */
  next: EntryForm | undefined;
  /** Whether empty lines separate the entries. */
  isLoose: boolean;
}

/**
 * Writes a table of contents by editing an existing one: lines change only where an entry is added, removed, moved,
 * renamed, or leads elsewhere.
 */
export function patchSummary(
  source: SummarySource,
  pages: readonly ExportedPage[],
  context: PatchContext,
): string {
  return new SummaryPatch(source, context).write(source, pages);
}

class SummaryPatch {
  readonly #context: PatchContext;
  readonly #sources: ReadonlyMap<ExportedPage, SourceEntry>;
  readonly #style: SummaryStyle;
  readonly #lines = new SummaryLines();
  /** Whether the last entry at the top is a heading, so that an item would belong to it. */
  #inGroup = false;
  /** Indentation of the entry that was removed before the next line. */
  #removedIndent: string | undefined;

  constructor(source: SummarySource, context: PatchContext) {
    this.#context = context;
    this.#sources = new Map([...context.matched].map(([source, page]) => [page, source]));
    this.#style = styleOf(source);
  }

  write({ entries, tail }: SummarySource, pages: readonly ExportedPage[]): string {
    const isClosed = tail.at(-1) === '';
    const rest = isClosed ? tail.slice(0, -1) : tail;
    // Without an entry that the reader uses, entries follow everything else, such as the title.
    const isEmpty = entries.length === 0;
    this.#lines.add(isEmpty ? rest : []);
    this.#writeRegion({ pages, parent: undefined, source: undefined, sources: entries, indents: [] });
    this.#writeLead(isEmpty ? [] : rest);
    return this.#lines.text(isClosed);
  }

  #writeRegion(region: Region): void {
    const { pages, sources } = region;
    const retained = this.#retainedIndexes(sources, pages);
    const progress: Progress = {
      last: undefined,
      markerBefore: undefined,
      next: undefined,
      isLoose: isLoose(sources),
    };
    let written = 0;
    for (const source of sources) {
      const at = retained.get(source);
      const page = at === undefined ? undefined : pages[at];
      if (at === undefined || page === undefined) {
        this.#remove(source);
        continue;
      }
      progress.next = movedForm(source, region.source, region.parent, this.#style);
      this.#writeRetained(source, page, pages.slice(written, at), region, progress);
      written = at + 1;
    }
    progress.next = undefined;
    for (const page of pages.slice(written)) {
      this.#add(page, region, progress);
    }
  }

  /** Returns the index of the page of each entry that stays where it is. */
  #retainedIndexes(
    sources: readonly SourceEntry[],
    pages: readonly ExportedPage[],
  ): Map<SourceEntry, number> {
    const indexes = new Map(pages.map((page, at) => [page, at]));
    const candidates = sources.flatMap((source) => {
      const page = this.#context.matched.get(source);
      const at = page && indexes.get(page);
      return at === undefined ? [] : [[source, at] as const];
    });
    const rise = heaviestRise(
      candidates.map(([, at]) => at),
      candidates.map(([source]) => linesIn(source)),
      pages.length,
    );
    return new Map(rise.flatMap((at) => candidates.slice(at, at + 1)));
  }

  /** Writes an existing entry, and the pages that are added before it. */
  #writeRetained(
    source: SourceEntry,
    page: ExportedPage,
    added: readonly ExportedPage[],
    region: Region,
    progress: Progress,
  ): void {
    const form = progress.next ?? this.#style.top;
    const isTop = region.parent === undefined;
    // The first of a list follows the lines before it; so does what must not belong to the group that they end.
    const opensTop = isTop && this.#inGroup && source.lead.some(isBreak);
    const isAfterLead =
      progress.last === undefined || (opensTop && added.every((page) => !this.#isHeading(page, region)));
    const lead = withIndents(source.lead, [...region.indents, { before: source.indent, after: form.indent }]);
    if (isAfterLead) {
      this.#writeLead(lead);
    }
    for (const page of added) {
      this.#add(page, region, progress);
    }
    if (!isAfterLead) {
      this.#writeLead(lead);
    }
    if (isTop && this.#inGroup && form.kind !== 'heading') {
      this.#writeBreak();
    } else if (
      added.length > 0 &&
      (form.kind === 'paragraph' || (isAfterLead && (form.kind === 'heading' || progress.isLoose)))
    ) {
      this.#lines.separate();
    }
    this.#write(page, source, form, region, progress);
  }

  /** Adds a page that is new in a region. */
  #add(page: ExportedPage, region: Region, progress: Progress): void {
    const form = this.#formOfAdded(page, region, progress);
    const { last, isLoose } = progress;
    const isFirst = last === undefined && region.sources.length === 0;
    if (form.kind !== 'heading' && region.parent === undefined && this.#inGroup) {
      this.#writeBreak();
    } else if (
      form.kind !== 'item' ||
      (last !== undefined && (isLoose || last.kind !== 'item')) ||
      (isFirst && region.parent?.kind === 'heading' && this.#style.isHeadingApart)
    ) {
      this.#lines.separate();
    }
    this.#write(page, this.#sources.get(page), form, region, progress);
  }

  #formOfAdded(page: ExportedPage, region: Region, { last, markerBefore, next }: Progress): EntryForm {
    if (this.#isHeading(page, region)) {
      return { kind: 'heading', indent: '', marker: '' };
    }
    const isSimple = page.type === 'link' || (page.type === 'document' && page.pages.length === 0);
    const [sibling] = [last, next].filter(
      (form) => form?.kind === 'item' || (form?.kind === 'paragraph' && isSimple),
    );
    if (sibling === undefined) {
      return region.parent === undefined ? this.#style.top : childForm(region.parent, this.#style);
    }
    return sibling === last ? { ...sibling, marker: nextMarker(sibling.marker, markerBefore) } : sibling;
  }

  /** Whether a page is written as a heading: a group at the top, unless it or all others are items. */
  #isHeading(page: ExportedPage, { parent }: Region): boolean {
    const kind = this.#sources.get(page)?.kind;
    return (
      page.type === 'group' &&
      parent === undefined &&
      (kind === 'heading' || (kind !== 'item' && this.#style.hashes !== undefined))
    );
  }

  #write(
    page: ExportedPage,
    source: SourceEntry | undefined,
    form: EntryForm,
    region: Region,
    progress: Progress,
  ): void {
    this.#lines.add(source?.kind === 'attached' ? [] : this.#linesOf(page, source, form));
    const indents = [...region.indents, ...(source ? [{ before: source.indent, after: form.indent }] : [])];
    this.#lines.add(withIndents(source?.ignored ?? [], indents));
    progress.markerBefore = progress.last?.marker;
    progress.last = form;
    if ('pages' in page) {
      this.#writeRegion({
        pages: page.pages,
        parent: form,
        source,
        sources: source?.children ?? [],
        indents,
      });
    }
    if (region.parent === undefined) {
      this.#inGroup ||= form.kind === 'heading';
    }
  }

  #linesOf(page: ExportedPage, source: SourceEntry | undefined, form: EntryForm): string[] {
    const { changeOf, writer } = this.#context;
    const change = source?.kind === form.kind ? changeOf(source, page) : 'entry';
    if (source !== undefined && change === 'none') {
      return withForm(source, form);
    }
    if (form.kind === 'heading') {
      return [`${this.#style.hashes ?? '##'} ${writer.heading(page)}`];
    }
    if (source !== undefined && change === 'title' && page.type !== 'group') {
      const lines = withTitle(source, collapse(page.title));
      if (lines !== undefined) {
        return withForm({ ...source, lines }, form);
      }
    }
    const [first = '', ...others] = writer.item(page, this.#style.hasDotSlash);
    const indent = form.indent + ' '.repeat(form.marker.length);
    return [`${form.indent}${form.marker}${first}`, ...others.map((line) => indent + line)];
  }

  #writeLead(lead: readonly string[]): void {
    this.#lines.add(this.#outdented(lead));
    this.#removedIndent = undefined;
    this.#inGroup &&= !lead.some(isBreak);
  }

  /** Lines below a removed entry take its place, so that they do not continue the entry above. */
  #outdented(lines: readonly string[]): readonly string[] {
    const first = lines.find((line) => !isBlank(line));
    const indent = this.#removedIndent;
    const depth = first === undefined ? '' : (/^\s*/.exec(first)?.[0] ?? '');
    return indent !== undefined && depth.length > indent.length && depth.startsWith(indent)
      ? withIndents(lines, [{ before: depth, after: indent }])
      : lines;
  }

  #writeBreak(): void {
    this.#lines.separate();
    this.#lines.add([this.#style.break, '']);
    this.#inGroup = false;
  }

  /** Removes an entry from its place, and its descendants unless they moved with it. Lines between them remain. */
  #remove(source: SourceEntry): void {
    this.#lines.remove(this.#outdented(source.lead));
    this.#removedIndent ??= source.indent;
    this.#inGroup &&= !source.lead.some(isBreak);
    if (this.#context.matched.has(source)) {
      return;
    }
    for (const child of source.children) {
      this.#remove({ ...child, lead: child.lead.filter((line) => !isBlank(line)) });
    }
  }
}
