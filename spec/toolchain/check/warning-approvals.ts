import { existsSync } from 'node:fs';
import { stringify } from 'yaml';
import { matcherOf, readApprovalsFile, requiredText } from '../diff/approvals.ts';
import { isObject, type Json } from '../document.ts';
import type { GeneratorOutput } from '../generate/generate.ts';
import type { Problem } from '../problem.ts';
import { type Project, pathIn, releasedFiles } from '../project.ts';
import { UsageError } from '../usage-error.ts';
import { contractProblems } from './contract-problems.ts';
import { SLOW_PATTERN } from './slow-patterns.ts';

/** Approval of warnings of the contract. `*` in `message` and `location` matches any characters. */
interface WarningApproval {
  /** Message of the warning. */
  message: string;
  /** Reason why the contract is not fixed. */
  reason: string;
  /** `info.version` of the contract. The approval is valid only for it. */
  release: string;
  /** Whether it approves a problem. */
  matches(problem: Problem): boolean;
}

/** Problems that are not approved, and notices about unused approvals. */
export interface ReviewedProblems {
  problems: Problem[];
  /** Approvals without effect, each with the reason and the fix. */
  notices: string[];
}

const APPROVAL_FIELDS = ['message', 'location', 'reason', 'release'];

/**
 * Returns the problems of a contract without the approved warnings: those in the list `warnings` of the approvals file.
 * @throws UsageError if the file is unreadable or an entry is incomplete
 */
export async function reviewProblems(project: Project, output: GeneratorOutput): Promise<ReviewedProblems> {
  const all = await contractProblems(project, output);
  const problems = all.filter(({ severity }) => severity !== 'note');
  const path = releasedFiles(project).approvals;
  if (output.document === undefined || !existsSync(pathIn(project, path))) {
    return { problems, notices: [] };
  }
  const approvals = approvalsOf(path, await readApprovalsFile(path, project.root));
  const release = String(output.document.info.version);
  const used = new Set<WarningApproval>();
  const remaining = problems.filter((problem) => {
    const matching = approvals.filter(
      (approval) => approval.release === release && approval.matches(problem),
    );
    for (const approval of matching) {
      used.add(approval);
    }
    return matching.length === 0;
  });
  // A warning may be missing because a rule could not decide in time.
  const isDecided = !all.some(({ severity, code }) => severity === 'note' && code === SLOW_PATTERN);
  const notices = approvals.flatMap((approval) => {
    const entry = `Approval of the warning "${approval.message}"`;
    if (approval.release !== release) {
      return [
        `${entry} has expired: it was for version ${approval.release} of the contract, not ${release}. Review it.`,
      ];
    }
    return used.has(approval) || !isDecided
      ? []
      : [`${entry} matches no warning. Remove it, or correct its spelling.`];
  });
  return { problems: remaining, notices };
}

/**
 * Returns the text of an approvals file that approves the warnings of a contract, so that those that it has when it is
 * imported do not hide later ones.
 */
export async function approvalsText(
  project: Project,
  output: GeneratorOutput,
): Promise<{ text: string; warnings: number }> {
  const problems = await contractProblems(project, output);
  const messages = problems.flatMap(({ severity, message }) => (severity === 'warning' ? [message] : []));
  const release = String(output.document?.info.version);
  const warnings = [...new Set(messages)].map((message) => ({ message, reason: IMPORT_REASON, release }));
  return { text: stringify({ warnings }, { lineWidth: 0 }), warnings: warnings.length };
}

/** Reason of the approvals that `init` writes. */
const IMPORT_REASON = 'The contract had this warning when colophon init imported it. Not reviewed.';

function approvalsOf(name: string, data: Json): WarningApproval[] {
  const list = isObject(data) ? (data.warnings ?? []) : [];
  if (!Array.isArray(list)) {
    throw new UsageError(`${name} has "warnings" that are not a list. Add one entry per warning.`);
  }
  return list.map((entry, index) => {
    const entryName = `${name}: entry ${index + 1} of "warnings"`;
    if (!isObject(entry)) {
      throw new UsageError(`${entryName} is not an object. Its fields are ${APPROVAL_FIELDS.join(', ')}.`);
    }
    const unknown = Object.keys(entry).find((key) => !APPROVAL_FIELDS.includes(key));
    if (unknown !== undefined) {
      throw new UsageError(
        `${entryName} has the unknown field "${unknown}". Its fields are ${APPROVAL_FIELDS.join(', ')}.`,
      );
    }
    const { message: declared, location = '*', reason, release } = entry;
    const message = requiredText(entryName, 'message', declared);
    const matchesMessage = matcherOf(message);
    const matchesLocation = matcherOf(requiredText(entryName, 'location', location));
    return {
      message,
      matches: (problem) => matchesMessage(problem.message) && matchesLocation(problem.file ?? ''),
      reason: requiredText(entryName, 'reason', reason),
      release: requiredText(entryName, 'release', release),
    };
  });
}
