/** Problem in a source file or in the contract as a whole. */
export interface Problem {
  /** A note is printed, and makes no command fail. */
  severity: 'error' | 'warning' | 'note';
  /** What happened, why, and how to fix it. */
  message: string;
  /** Violated rule, for searches and suppressions. */
  code?: string;
  /** Path relative to the root of the project, with forward slashes. */
  file?: string;
  /** From 1. */
  line?: number;
  /** From 1. */
  column?: number;
  /** Id of the operation that has no handler, if that is the problem. */
  operation?: string;
}

/** Code of the notes about places of a contract that the server runtime cannot serve. */
export const UNSUPPORTED = 'unsupported';

/** Formats a problem as `file:line:column error code: message`, which terminals and editors turn into a link. */
export function formatProblem(problem: Problem): string {
  const location = [problem.file, problem.line, problem.column]
    .filter((part) => part !== undefined)
    .join(':');
  const kind = problem.code === undefined ? problem.severity : `${problem.severity} ${problem.code}`;
  return location === '' ? `${kind}: ${problem.message}` : `${location} ${kind}: ${problem.message}`;
}

/** Whether any of the problems is an error. */
export function hasErrors(problems: readonly Problem[]): boolean {
  return problems.some((problem) => problem.severity === 'error');
}
