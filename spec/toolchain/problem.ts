/** Something wrong in a source file, or with the contract as a whole. */
export interface Problem {
  severity: 'error' | 'warning';
  /** What happened, why, and how to mend it. */
  message: string;
  /** The rule that was broken, for a search or a suppression. */
  code?: string;
  /** Relative to the project's root, with forward slashes. */
  file?: string;
  /** From 1. */
  line?: number;
  /** From 1. */
  column?: number;
}

/** `file:line:column error code: message`, which terminals and editors make a link of. */
export function formatProblem(problem: Problem): string {
  const place = [problem.file, problem.line, problem.column].filter((part) => part !== undefined).join(':');
  const kind = problem.code === undefined ? problem.severity : `${problem.severity} ${problem.code}`;
  return place === '' ? `${kind}: ${problem.message}` : `${place} ${kind}: ${problem.message}`;
}

/** Whether any of the problems is an error. */
export function hasErrors(problems: readonly Problem[]): boolean {
  return problems.some((problem) => problem.severity === 'error');
}
