import { type Change, LEVELS, type Limitation } from './change.ts';
import { withoutDirection } from './form/canonical.ts';
import type { Origin } from './form/origin.ts';
import type { Level } from './rules/rule.ts';

/** One change of the contract, with all operations that it reaches. */
export interface Entry {
  /** Most severe effect. */
  change: Change;
  /** What happened, in one sentence. */
  message: string;
  /** Component schema that changed, if the change is within one. */
  origin?: Origin;
  /** One change for each rule, most severe first: requests and responses have different ones. */
  effects: Change[];
  operations: string[];
  locations: string[];
  all: Change[];
}

/** Entries with a common heading. */
export interface Section {
  /** Name of the operation, or of the schema that several operations share. */
  title: string;
  entries: Entry[];
}

/** Location of a change in a component schema: `schema Space: title`. */
export function originText({ schema, path }: Origin): string {
  return path === '' ? `schema ${schema}` : `schema ${schema}: ${path}`;
}

/** Whether a change only affects the operation that it is reported for, and no shared part. */
function isOwn({ location, operation }: Change): boolean {
  return location === 'operation' || operation === '*';
}

function keyOf(change: Change): string {
  const { message, location, operation, origin } = change;
  const place = origin ? originText(origin) : isOwn(change) ? operation : location;
  return JSON.stringify([place, origin !== undefined, withoutDirection(message)]);
}

/** Combines the changes of one component schema, and equal changes of several operations. */
export function entriesOf(changes: readonly Change[]): Entry[] {
  const groups = new Map<string, Change[]>();
  for (const change of changes) {
    const key = keyOf(change);
    const group = groups.get(key);
    if (group === undefined) {
      groups.set(key, [change]);
    } else {
      group.push(change);
    }
  }
  return [...groups.values()].flatMap((all) => {
    const byRule = new Map(all.toReversed().map((change) => [change.rule, change]));
    const effects = bySeverity([...byRule.values()].reverse());
    const [change] = effects;
    if (change === undefined) {
      return [];
    }
    return {
      change,
      message: effects.every(({ message }) => message === change.message)
        ? change.message
        : withoutDirection(change.message),
      ...(change.origin && { origin: change.origin }),
      effects,
      operations: [...new Set(all.map(({ operation }) => operation))],
      locations: [...new Set(all.map(({ location }) => location))],
      all,
    };
  });
}

/** Number of entries of each severity. */
export function countLevels(entries: readonly Entry[]): Record<Level, number> {
  const counts = { breaking: 0, risky: 0, safe: 0 };
  for (const { change } of entries) {
    counts[change.level] += 1;
  }
  return counts;
}

/** Groups entries by operation; entries of several operations, by schema. Sorted by severity. */
export function sectionsOf(entries: readonly Entry[]): Section[] {
  const sections = new Map<string, Entry[]>();
  for (const entry of entries) {
    const title = titleOf(entry);
    const section = sections.get(title);
    if (section === undefined) {
      sections.set(title, [entry]);
    } else {
      section.push(entry);
    }
  }
  const severity = ({ change }: Entry) => LEVELS.indexOf(change.level);
  const sorted = [...sections].map(([title, list]) => ({
    title,
    entries: list.sort((a, b) => severity(a) - severity(b)),
  }));
  const mostSevere = ({ entries: [first] }: Section) => (first ? severity(first) : LEVELS.length);
  return sorted.sort((a, b) => mostSevere(a) - mostSevere(b));
}

function titleOf({ change, origin, operations }: Entry): string {
  if (operations.length > 1) {
    return origin ? `Schema ${origin.schema}` : 'In several operations';
  }
  const { operation, endpoint } = change;
  return operation === '*' ? 'The document' : operation === endpoint ? endpoint : `${operation}: ${endpoint}`;
}

function bySeverity(changes: readonly Change[]): Change[] {
  return [...changes].sort((a, b) => LEVELS.indexOf(a.level) - LEVELS.indexOf(b.level));
}

/** Component schema, or location of an operation, with bounded precision, and all operations that it reaches. */
export interface LimitationEntry {
  place: string;
  message: string;
  operations: string[];
}

/** Combines the limitations of one schema. */
export function limitationEntriesOf(limitations: readonly Limitation[]): LimitationEntry[] {
  const groups = Map.groupBy(limitations, ({ origin, operation, location, message }) =>
    JSON.stringify([origin?.schema ?? `${operation}, ${location}`, message]),
  );
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    if (first === undefined) {
      return [];
    }
    const { origin, operation, location, message } = first;
    const paths = new Set(group.map((limitation) => limitation.origin?.path));
    return {
      place: origin
        ? originText(paths.size === 1 ? origin : { schema: origin.schema, path: '' })
        : `${operation}, ${location}`,
      message,
      operations: [...new Set(group.map((limitation) => limitation.operation))],
    };
  });
}
