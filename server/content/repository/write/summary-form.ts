import { columnsOf, isBlank, isBreak, type SourceEntry, type SummarySource } from './summary-source.ts';

/** How an entry is written: an item with its indentation and marker, a heading, or text outside lists. */
export interface EntryForm {
  kind: 'item' | 'heading' | 'paragraph';
  indent: string;
  marker: string;
}

/** The conventions of an existing table of contents, for new entries. */
export interface SummaryStyle {
  /** The first item outside other items. */
  top: EntryForm;
  /** Indentation of an item relative to its parent. */
  step: string;
  /** The number signs of a heading that is a group; undefined if groups at the top are items. */
  hashes: string | undefined;
  /** Whether an empty line follows a heading. */
  isHeadingApart: boolean;
  /** A thematic break. */
  break: string;
  /** Whether paths start with `./`. */
  hasDotSlash: boolean;
}

/** Returns the conventions of a table of contents: the most common ones, or the platform's. */
export function styleOf({ entries, tail }: SummarySource): SummaryStyle {
  const top: EntryForm[] = [];
  const steps: string[] = [];
  const headings: SourceEntry[] = [];
  const targets: string[] = [];
  const breaks = tail.filter(isBreak);
  let hasItemGroup = false;
  const collect = (sources: readonly SourceEntry[], parent: SourceEntry | undefined) => {
    for (const source of sources) {
      const { kind, indent, marker, children, entry } = source;
      if (kind === 'heading') {
        headings.push(source);
      }
      if (kind === 'item' && parent?.kind === 'item' && indent.startsWith(parent.indent)) {
        steps.push(indent.slice(parent.indent.length));
      } else if (kind === 'item') {
        top.push({ kind, indent, marker });
      }
      hasItemGroup ||= parent === undefined && kind === 'item' && entry.target === undefined;
      if (entry.target !== undefined && !/^(?:[a-z][a-z0-9+.-]*:|\/|#)/i.test(entry.target)) {
        targets.push(entry.target);
      }
      breaks.push(...source.lead.filter(isBreak));
      collect(children, source);
    }
  };
  collect(entries, undefined);
  const [firstChild] = headings.flatMap(({ children }) => children.slice(0, 1));
  const [heading] = headings;
  return {
    top: top[0] ?? { kind: 'item', indent: '', marker: '* ' },
    step: mostCommon(steps.filter((step) => step !== '')) ?? '',
    hashes: heading
      ? (/^ {0,3}(#+)/.exec(heading.lines[0] ?? '')?.[1] ?? '##')
      : hasItemGroup
        ? undefined
        : '##',
    isHeadingApart: firstChild === undefined || firstChild.lead.some(isBlank),
    break: breaks[0] ?? '***',
    hasDotSlash: targets.filter((target) => target.startsWith('./')).length * 2 > targets.length,
  };
}

/** Returns the form of a child of an item that has none yet. */
export function childForm(parent: EntryForm, { step, top }: SummaryStyle): EntryForm {
  if (parent.kind !== 'item') {
    return top;
  }
  // An item contains what is indented as far as its text, and less than four columns more (CommonMark, section 5.2).
  const columns = columnsOf(parent.marker);
  const isValid = columnsOf(step) >= columns && columnsOf(step) - columns < 4;
  return {
    kind: 'item',
    indent: parent.indent + (isValid ? step : ' '.repeat(columns)),
    marker: /^\d/.test(parent.marker) ? parent.marker.replace(/^\d+/, '1') : parent.marker,
  };
}

/** Returns the form of an existing entry below its parent, which may have moved. */
export function movedForm(
  { kind, indent, marker }: SourceEntry,
  sourceParent: SourceEntry | undefined,
  parent: EntryForm | undefined,
  style: SummaryStyle,
): EntryForm {
  if (kind === 'attached') {
    return { kind: 'paragraph', indent: '', marker: '' };
  }
  if (kind !== 'item' || (parent?.kind !== 'item' && sourceParent?.kind !== 'item')) {
    return { kind, indent, marker };
  }
  if (parent?.kind !== 'item') {
    return { ...style.top, marker };
  }
  const isInside = sourceParent?.kind === 'item' && indent.startsWith(sourceParent.indent);
  const step = isInside ? indent.slice(sourceParent.indent.length) : '';
  return step !== '' && sourceParent?.marker.length === parent.marker.length
    ? { kind, indent: parent.indent + step, marker }
    : { ...childForm(parent, style), marker };
}

/** Returns the marker of an item after another: numbered lists continue, unless all of their numbers are equal. */
export function nextMarker(marker: string, before: string | undefined): string {
  const number = /^\d{1,9}/.exec(marker)?.[0];
  if (number === undefined || (before !== undefined && /^\d{1,9}/.exec(before)?.[0] === number)) {
    return marker;
  }
  return marker.replace(number, String(Math.min(Number(number) + 1, 999_999_999)));
}

function mostCommon(values: readonly string[]): string | undefined {
  const counts = new Map<string, number>();
  for (const value of values) {
    counts.set(value, (counts.get(value) ?? 0) + 1);
  }
  return [...counts].sort(([, left], [, right]) => right - left)[0]?.[0];
}

/** Whether empty lines separate most items of a list. */
export function isLoose(sources: readonly SourceEntry[]): boolean {
  const following = sources.filter(
    ({ kind }, at) => at > 0 && kind === 'item' && sources[at - 1]?.kind === 'item',
  );
  const separated = following.filter(({ lead }) => lead.length > 0 && lead.every(isBlank));
  return separated.length * 2 > following.length;
}

/** Returns the number of lines of an entry and its descendants. */
export function linesIn({ lines, ignored, children }: SourceEntry): number {
  return children.reduce((sum, child) => sum + linesIn(child), lines.length + ignored.length + 1);
}
