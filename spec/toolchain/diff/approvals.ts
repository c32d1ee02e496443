import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { BadInput } from '../bad-input.ts';
import { isObject, type Json } from '../document.ts';
import { parseData } from '../source.ts';
import type { Change } from './change.ts';

/** One intended break, as it stands in the ledger. `*` in the first three stands for any run of characters. */
export interface Approval {
  /** The operation of the change. */
  operation: string;
  /** The place of the change. */
  where: string;
  /** What happened there; any change at that place when left out. */
  message?: string;
  /** Why it is worth breaking somebody. */
  reason: string;
  /** The release that is broken with: the `info.version` of the base document. The approval ends with it. */
  release: string;
}

/** Which changes are approved, and what there is to say of the ledger. */
export interface Judgement {
  approved: ReadonlyMap<Change, Approval>;
  /** Entries that have no effect, each with why and what to do. */
  notices: string[];
}

/**
 * Reads a ledger of approved breaks, YAML or JSON: `approvals:` with a list of entries.
 * @throws {BadInput} when it cannot be read or an entry is incomplete
 */
export async function readApprovals(name: string, folder: string): Promise<Approval[]> {
  let text: string;
  try {
    text = await readFile(resolve(folder, name), 'utf8');
  } catch (error) {
    const reason =
      error instanceof Error && 'code' in error && error.code === 'ENOENT'
        ? 'there is no such file'
        : String(error);
    throw new BadInput(
      `The approvals ${name} cannot be read: ${reason}. Give the path of a ledger in YAML or JSON.`,
    );
  }
  return approvalsOf(name, parseData(name, text));
}

const fields = ['operation', 'where', 'message', 'reason', 'release'] as const;

function approvalsOf(name: string, data: Json): Approval[] {
  const list = isObject(data) ? data.approvals : undefined;
  if (!Array.isArray(list)) {
    throw new BadInput(
      `${name} has no list under "approvals". Write "approvals: []" for none, or one entry for each intended break.`,
    );
  }
  return list.map((entry, index) => {
    const place = `${name}: entry ${index + 1}`;
    if (!isObject(entry)) throw new BadInput(`${place} is no object. Give it ${fields.join(', ')}.`);
    for (const key of Object.keys(entry)) {
      if (fields.some((field) => field === key)) continue;
      throw new BadInput(`${place} has "${key}", which nothing reads. The keys are ${fields.join(', ')}.`);
    }
    const { operation, where, message, reason, release } = entry;
    if (message !== undefined && typeof message !== 'string') {
      throw new BadInput(`${place} has a message that is no text. Copy it from the report, or leave it out.`);
    }
    return {
      operation: text(place, 'operation', operation),
      where: text(place, 'where', where),
      ...(message !== undefined && { message }),
      reason: text(place, 'reason', reason),
      release: text(place, 'release', release),
    };
  });
}

function text(place: string, field: string, value: Json | undefined): string {
  if (typeof value === 'string' && value.trim() !== '') return value;
  if (typeof value === 'number') {
    throw new BadInput(
      `${place} has ${value} as "${field}", which YAML reads as a number. Put it in quotes.`,
    );
  }
  const need = field === 'reason' ? 'say why the break is worth it' : 'copy it from the report';
  throw new BadInput(`${place} has no "${field}", so nobody can tell what it approves and why: ${need}.`);
}

/**
 * Finds what is approved of a list of changes. Only breaking changes need it.
 * @param release the release that is compared with
 */
export function judge(
  changes: readonly Change[],
  approvals: readonly Approval[],
  release: string,
): Judgement {
  const approved = new Map<Change, Approval>();
  const used = new Set<Approval>();
  const current = approvals.filter((approval) => approval.release === release);
  for (const change of changes) {
    if (change.level !== 'breaking') continue;
    for (const approval of current) {
      if (!matches(approval, change)) continue;
      used.add(approval);
      if (!approved.has(change)) approved.set(change, approval);
    }
  }
  const notices = approvals.flatMap((approval) => {
    const entry = `The approval of ${approval.operation}, ${approval.where}`;
    if (approval.release !== release) {
      return [
        `${entry} has expired: it was for release ${approval.release}, and this is compared with ${release}. Remove it.`,
      ];
    }
    return used.has(approval)
      ? []
      : [`${entry} matches nothing that breaks. Remove it, or mend its spelling.`];
  });
  return { approved, notices };
}

function matches({ operation, where, message = '*' }: Approval, change: Change): boolean {
  return fits(operation, change.operation) && fits(where, change.where) && fits(message, change.message);
}

function fits(pattern: string, value: string): boolean {
  const source = pattern.split('*').map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
  return new RegExp(`^${source.join('.*')}$`, 'su').test(value);
}
