import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { isObject, type Json } from '../document.ts';
import { parseData } from '../documents/parse.ts';
import { UsageError } from '../usage-error.ts';
import type { Change } from './change.ts';
import { originText } from './entries.ts';
import { withoutDirection } from './form/canonical.ts';

/** Approval of a breaking or risky change. `*` in the first three fields matches any characters. */
export interface Approval {
  /** Operation of the change. */
  operation: string;
  /** Location of the change in the operation, or in a schema: `schema Space: title`. */
  location: string;
  /** Message of the change. If omitted, any change at the location matches. */
  message?: string;
  /** Reason for the breaking change. */
  reason: string;
  /** Broken release: the `info.version` of the base document. The approval is valid only for it. */
  release: string;
}

/** Approved changes, and notices about unused approvals. */
export interface ApprovalResult {
  approved: ReadonlyMap<Change, Approval>;
  /** Approvals without effect, each with the reason and the fix. */
  notices: string[];
}

/**
 * Reads a file of approvals in YAML or JSON: `approvals:` with a list of entries.
 * @throws {UsageError} if it is unreadable or an entry is incomplete
 */
export async function readApprovals(name: string, folder: string): Promise<Approval[]> {
  return approvalsOf(name, await readApprovalsFile(name, folder));
}

/** Reads the data of a file of approvals. @throws {UsageError} if it is unreadable */
export async function readApprovalsFile(name: string, folder: string): Promise<Json> {
  let text: string;
  try {
    text = await readFile(resolve(folder, name), 'utf8');
  } catch (error) {
    const reason =
      error instanceof Error && 'code' in error && error.code === 'ENOENT'
        ? 'the file does not exist'
        : String(error);
    throw new UsageError(
      `Approvals file ${name} cannot be read: ${reason}. Specify the path of a YAML or JSON file.`,
    );
  }
  return parseData(name, text);
}

const APPROVAL_FIELDS = ['operation', 'location', 'message', 'reason', 'release'] as const;
/** Previous name of the field `location`, in existing files. */
const PREVIOUS_LOCATION_FIELD = 'where';

function approvalsOf(name: string, data: Json): Approval[] {
  // A file may contain only approved warnings.
  const list = isObject(data) ? (data.approvals ?? (data.warnings && [])) : undefined;
  if (!Array.isArray(list)) {
    throw new UsageError(
      `${name} has no list "approvals". Add "approvals: []" for none, or one entry per intended breaking change.`,
    );
  }
  return list.map((entry, index) => {
    const entryName = `${name}: entry ${index + 1}`;
    if (!isObject(entry)) {
      throw new UsageError(`${entryName} is not an object. Its fields are ${APPROVAL_FIELDS.join(', ')}.`);
    }
    for (const key of Object.keys(entry)) {
      if (key === PREVIOUS_LOCATION_FIELD || APPROVAL_FIELDS.some((field) => field === key)) {
        continue;
      }
      throw new UsageError(
        `${entryName} has the unknown field "${key}". Its fields are ${APPROVAL_FIELDS.join(', ')}.`,
      );
    }
    const { operation, location = entry[PREVIOUS_LOCATION_FIELD], message, reason, release } = entry;
    if (message !== undefined && typeof message !== 'string') {
      throw new UsageError(
        `${entryName} has a message that is not a string. Copy it from the report, or omit it.`,
      );
    }
    return {
      operation: requiredText(entryName, 'operation', operation),
      location: requiredText(entryName, 'location', location),
      ...(message !== undefined && { message }),
      reason: requiredText(entryName, 'reason', reason),
      release: requiredText(entryName, 'release', release),
    };
  });
}

/**
 * Returns a field of an entry.
 *
 * @throws UsageError if it is not a text, or empty
 */
export function requiredText(entryName: string, field: string, value: Json | undefined): string {
  if (typeof value === 'string' && value.trim() !== '') {
    return value;
  }
  if (typeof value === 'number') {
    throw new UsageError(
      `${entryName} has ${value} as "${field}", which YAML reads as a number. Write it in quotes.`,
    );
  }
  const fix = field === 'reason' ? 'State why it is intended' : 'Copy it from the report';
  throw new UsageError(`${entryName} has no "${field}". ${fix}.`);
}

/**
 * Finds the approved changes. Safe changes need no approval.
 * @param release release of the base document
 */
export function applyApprovals(
  changes: readonly Change[],
  approvals: readonly Approval[],
  release: string,
): ApprovalResult {
  const approved = new Map<Change, Approval>();
  const used = new Set<Approval>();
  const current = approvals.filter((approval) => approval.release === release);
  for (const change of changes) {
    if (change.level === 'safe') {
      continue;
    }
    for (const approval of current) {
      if (!matches(approval, change)) {
        continue;
      }
      used.add(approval);
      if (!approved.has(change)) {
        approved.set(change, approval);
      }
    }
  }
  const notices = approvals.flatMap((approval) => {
    const entry = `Approval of ${approval.operation}, ${approval.location}`;
    if (approval.release !== release) {
      return [`${entry} has expired: it was for release ${approval.release}, not ${release}. Remove it.`];
    }
    return used.has(approval)
      ? []
      : [`${entry} matches no breaking or risky change. Remove it, or correct its spelling.`];
  });
  return { approved, notices };
}

function matches({ operation, location, message = '*' }: Approval, change: Change): boolean {
  const matchesLocation = matcherOf(location);
  const matchesMessage = matcherOf(message);
  return (
    matcherOf(operation)(change.operation) &&
    (matchesLocation(change.location) ||
      (change.origin !== undefined && matchesLocation(originText(change.origin)))) &&
    // The report of a change in requests and responses has one message for both.
    (matchesMessage(change.message) || matchesMessage(withoutDirection(change.message)))
  );
}

/**
 * Returns the test of a pattern where `*` matches any characters. It takes linear time for each part between two
 * asterisks.
 */
export function matcherOf(pattern: string): (text: string) => boolean {
  const [first = '', ...others] = pattern.split('*');
  const last = others.pop();
  if (last === undefined) {
    return (text) => text === pattern;
  }
  return (text) => {
    if (!text.startsWith(first) || !text.endsWith(last)) {
      return false;
    }
    let start = first.length;
    for (const part of others) {
      // The first place leaves most of the text for the other parts.
      const found = text.indexOf(part, start);
      if (found === -1) {
        return false;
      }
      start = found + part.length;
    }
    return start <= text.length - last.length;
  };
}
