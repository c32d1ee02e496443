import { existsSync } from 'node:fs';
import { matcherOf, readApprovalsFile, requiredText } from './diff/approvals.ts';
import { releasedFiles } from './diff/released.ts';
import { isObject, type Json, type OpenApiDocument } from './document.ts';
import type { Problem } from './problem.ts';
import { type Project, pathIn } from './project.ts';
import { UsageError } from './usage-error.ts';

/** Approval of warnings of the contract. `*` in the first two fields matches any characters. */
interface WarningApproval {
  /** Message of the warning. */
  message: string;
  /** File of the warning. If omitted, any file matches. */
  location?: string;
  /** Reason why the contract is not fixed. */
  reason: string;
  /** `info.version` of the contract. The approval is valid only for it. */
  release: string;
}

/** Problems that are not approved, and notices about unused approvals. */
export interface ReviewedProblems {
  problems: Problem[];
  /** Approvals without effect, each with the reason and the fix. */
  notices: string[];
}

const fields = ['message', 'location', 'reason', 'release'];

/**
 * Removes the approved warnings of the contract: those in the list `warnings` of the approvals file.
 * @param document document of the contract, which exists only if no problem is an error
 * @throws UsageError if the file is unreadable or an entry is incomplete
 */
export async function reviewProblems(
  project: Project,
  document: OpenApiDocument,
  problems: readonly Problem[],
): Promise<ReviewedProblems> {
  const path = releasedFiles(project).approvals;
  if (!existsSync(pathIn(project, path))) {
    return { problems: [...problems], notices: [] };
  }
  const approvals = approvalsOf(path, await readApprovalsFile(path, project.root));
  const release = String(document.info.version);
  const used = new Set<WarningApproval>();
  const remaining = problems.filter((problem) => {
    const matching = approvals.filter(
      (approval) => approval.release === release && matches(approval, problem),
    );
    for (const approval of matching) {
      used.add(approval);
    }
    return matching.length === 0;
  });
  const notices = approvals.flatMap((approval) => {
    const entry = `Approval of the warning "${approval.message}"`;
    if (approval.release !== release) {
      return [
        `${entry} has expired: it was for version ${approval.release} of the contract, not ${release}. Review it.`,
      ];
    }
    return used.has(approval) ? [] : [`${entry} matches no warning. Remove it, or correct its spelling.`];
  });
  return { problems: remaining, notices };
}

function matches({ message, location = '*' }: WarningApproval, problem: Problem): boolean {
  return matcherOf(message)(problem.message) && matcherOf(location)(problem.file ?? '');
}

function approvalsOf(name: string, data: Json): WarningApproval[] {
  const list = isObject(data) ? (data.warnings ?? []) : [];
  if (!Array.isArray(list)) {
    throw new UsageError(`${name} has "warnings" that are not a list. Add one entry per warning.`);
  }
  return list.map((entry, index) => {
    const entryName = `${name}: entry ${index + 1} of "warnings"`;
    if (!isObject(entry)) {
      throw new UsageError(`${entryName} is not an object. Its fields are ${fields.join(', ')}.`);
    }
    const unknown = Object.keys(entry).find((key) => !fields.includes(key));
    if (unknown !== undefined) {
      throw new UsageError(
        `${entryName} has the unknown field "${unknown}". Its fields are ${fields.join(', ')}.`,
      );
    }
    const { message, location, reason, release } = entry;
    return {
      message: requiredText(entryName, 'message', message),
      ...(location !== undefined && { location: requiredText(entryName, 'location', location) }),
      reason: requiredText(entryName, 'reason', reason),
      release: requiredText(entryName, 'release', release),
    };
  });
}
