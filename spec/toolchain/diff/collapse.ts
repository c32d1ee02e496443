import { type Change, levels } from './change.ts';

/** Equal changes at several locations or operations. */
export interface Entry {
  /** First change; the others differ only in operation and location. */
  change: Change;
  operations: string[];
  locations: string[];
  all: Change[];
}

/** Entries with a common heading. */
export interface Section {
  /** Name of the operation, or of a group of operations. */
  title: string;
  entries: Entry[];
}

/** Number of operations from which an equal change is reported once for all of them. */
const MIN_SHARED_OPERATIONS = 4;

/**
 * Groups changes by operation. Changes of many operations, which usually come from a shared schema, have their own
 * section. Sections and entries are sorted by severity.
 */
export function sectionsOf(changes: readonly Change[]): Section[] {
  const shared = [...entriesOf(changes)].filter(
    ({ operations }) => operations.length >= MIN_SHARED_OPERATIONS,
  );
  const sharedChanges = new Set(shared.flatMap(({ all }) => all));
  const sections: Section[] =
    shared.length > 0 ? [{ title: 'In several operations', entries: byLevel(shared) }] : [];
  const rest = changes.filter((change) => !sharedChanges.has(change));
  for (const operation of new Set(rest.map((change) => change.operation))) {
    const ofOperation = rest.filter((change) => change.operation === operation);
    const endpoint = ofOperation[0]?.endpoint ?? operation;
    const title =
      operation === '*' ? 'The document' : operation === endpoint ? endpoint : `${operation}: ${endpoint}`;
    sections.push({ title, entries: byLevel(entriesOf(ofOperation)) });
  }
  const mostSevere = ({ entries: [first] }: Section) =>
    first ? levels.indexOf(first.change.level) : levels.length;
  return sections.sort((a, b) => mostSevere(a) - mostSevere(b));
}

/** Combines equal changes whose locations have the same last segment. */
export function entriesOf(changes: readonly Change[]): Entry[] {
  const entries = new Map<string, Entry>();
  for (const change of changes) {
    const key = `${change.rule} ${change.message} ${change.location.replace(/^.*(?:: |\.)/s, '')}`;
    // Locations outside schemas must be equal as a whole.
    const full = change.location.includes(': ') ? key : `${change.rule} ${change.message} ${change.location}`;
    const entry = entries.get(full);
    if (entry === undefined) {
      entries.set(full, {
        change,
        operations: [change.operation],
        locations: [change.location],
        all: [change],
      });
      continue;
    }
    if (!entry.operations.includes(change.operation)) {
      entry.operations.push(change.operation);
    }
    if (!entry.locations.includes(change.location)) {
      entry.locations.push(change.location);
    }
    entry.all.push(change);
  }
  return [...entries.values()];
}

function byLevel(entries: readonly Entry[]): Entry[] {
  return [...entries].sort((a, b) => levels.indexOf(a.change.level) - levels.indexOf(b.change.level));
}
