import { count, listed } from '../../report/text.ts';
import type { ApprovalResult } from '../approvals.ts';
import type { Change } from '../change.ts';
import type { Comparison } from '../comparison.ts';
import { countLevels, type Entry, originText } from '../entries.ts';
import { ruleOf } from '../rules/rules.ts';

const NO_CHANGES = 'No changes that affect clients or servers.';
/** Largest number of operations that an entry lists in a text. */
export const MAX_LISTED_OPERATIONS = 12;
/** Largest number of locations that an entry lists. */
const MAX_LISTED_LOCATIONS = 4;

/** Number of changes of each severity, in one sentence. */
export function summaryOf(entries: readonly Entry[], { approvalResult, omitted }: Comparison): string {
  const filtered = omitted === 0 ? '' : ` The filter omits ${count(omitted, 'change')}.`;
  if (entries.length === 0) {
    return omitted === 0 ? NO_CHANGES : `No changes pass the filter.${filtered}`;
  }
  const { breaking, risky, safe } = countLevels(entries);
  const approved = entries.filter(
    (entry) => entry.change.level === 'breaking' && reasonsOf(entry, approvalResult).length > 0,
  ).length;
  const counts = `${breaking} breaking, ${risky} risky, ${safe} safe`;
  return `${counts}${approved === 0 ? '' : `; ${approved} breaking approved`}.${filtered}`;
}

/** Formats `breaking for clients`, with `approved` or the number of approved changes. */
export function headingOf({ change, all }: Entry, approvals: ApprovalResult): string {
  const level = `${change.level} for ${affectedBy(change)}`;
  const severe = all.filter((other) => other.level !== 'safe');
  const approved = approvedCount(severe, approvals);
  return approved === 0
    ? level
    : approved === severe.length
      ? `${level}, approved`
      : `${level}, ${approved} of ${severe.length} approved`;
}

/** Parties affected by a change: `clients and servers`. */
function affectedBy({ affects }: Pick<Change, 'affects'>): string {
  return affects === 'both' ? 'clients and servers' : affects;
}

function approvedCount(changes: readonly Change[], { approved }: ApprovalResult): number {
  return changes.filter((change) => change.level !== 'safe' && approved.has(change)).length;
}

/** Returns the reasons of the approvals if all changes of an entry that are not safe are approved. */
export function reasonsOf({ all }: Entry, { approved }: ApprovalResult): string[] {
  const severe = all.filter(({ level }) => level !== 'safe');
  const reasons = severe.map((change) => approved.get(change)?.reason);
  return reasons.every((reason) => reason !== undefined) ? [...new Set(reasons)] : [];
}

/** Locations of an entry: in the schema that several operations share, or in the operations. */
export function locationsOf({ origin, operations, locations }: Entry): string[] {
  return origin && operations.length > 1 ? [originText(origin)] : locations;
}

/** Reasons for the effects of an entry, most severe first; with their operations if requests and responses differ. */
export function explanationsOf({ effects, all }: Entry): string[] {
  return effects.map((change) => {
    const { why } = ruleOf(change.rule);
    if (effects.length === 1) {
      return why;
    }
    const reached = all.filter(({ rule }) => rule === change.rule);
    const operations = count(new Set(reached.map(({ operation }) => operation)).size, 'operation');
    return `${why} (${change.level} for ${affectedBy(change)}, in ${operations})`;
  });
}

/** Compatible alternatives of an entry. */
export function alternativesOf({ effects }: Entry): string[] {
  return [...new Set(effects.flatMap(({ rule }) => ruleOf(rule).alternative ?? []))];
}

/** Operations of an entry: `In getSpace`, or `In 2 operations: getSpace, setSpace`. */
export function operationsText(
  operations: readonly string[],
  format = (operation: string) => operation,
): string {
  const prefix = operations.length === 1 ? 'In' : `In ${operations.length} operations:`;
  return `${prefix} ${listed(operations.map(format), MAX_LISTED_OPERATIONS)}`;
}

/** Locations of an entry in one line. */
export const locationsText = (locations: readonly string[]): string =>
  listed(locations, MAX_LISTED_LOCATIONS);
