import { type Change, levels } from './change.ts';

/** The same thing said of several places or operations. */
export interface Entry {
  /** The first of them; the others differ in operation and place alone. */
  change: Change;
  operations: string[];
  wheres: string[];
  all: Change[];
}

/** Entries under one heading. */
export interface Section {
  /** One operation, or several that say the same. */
  title: string;
  entries: Entry[];
}

/** As many operations as a change has to stand in to be told once for all of them. */
const many = 4;

/**
 * Groups changes for a person to read: by operation, except what so many operations have in common that it stems from
 * one shared schema or a rule for all. The worst come first.
 */
export function sectionsOf(changes: readonly Change[]): Section[] {
  const shared = [...entriesOf(changes)].filter(({ operations }) => operations.length >= many);
  const told = new Set(shared.flatMap(({ all }) => all));
  const sections: Section[] =
    shared.length > 0 ? [{ title: 'In several operations', entries: byLevel(shared) }] : [];
  const rest = changes.filter((change) => !told.has(change));
  for (const operation of new Set(rest.map((change) => change.operation))) {
    const own = rest.filter((change) => change.operation === operation);
    const endpoint = own[0]?.endpoint ?? operation;
    const title =
      operation === '*' ? 'The document' : operation === endpoint ? endpoint : `${operation}: ${endpoint}`;
    sections.push({ title, entries: byLevel(entriesOf(own)) });
  }
  const worst = ({ entries: [first] }: Section) =>
    first ? levels.indexOf(first.change.level) : levels.length;
  return sections.sort((a, b) => worst(a) - worst(b));
}

/** Changes that say the same of the last step of their place, put together. */
export function entriesOf(changes: readonly Change[]): Entry[] {
  const entries = new Map<string, Entry>();
  for (const change of changes) {
    const key = `${change.rule} ${change.message} ${change.where.replace(/^.*(?:: |\.)/s, '')}`;
    // Parts of one operation are told apart by name; parts of its schemas are not.
    const full = change.where.includes(': ') ? key : `${change.rule} ${change.message} ${change.where}`;
    const entry = entries.get(full);
    if (entry === undefined) {
      entries.set(full, { change, operations: [change.operation], wheres: [change.where], all: [change] });
      continue;
    }
    if (!entry.operations.includes(change.operation)) entry.operations.push(change.operation);
    if (!entry.wheres.includes(change.where)) entry.wheres.push(change.where);
    entry.all.push(change);
  }
  return [...entries.values()];
}

function byLevel(entries: readonly Entry[]): Entry[] {
  return [...entries].sort((a, b) => levels.indexOf(a.change.level) - levels.indexOf(b.change.level));
}
