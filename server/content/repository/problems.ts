import { conditionProblems } from '../expressions/visible-text.ts';
import { detached } from '../tree/detached.ts';
import type { ContentProblem, ProblemReason } from './types.ts';

/** Reports a problem of a file. Lines are counted from 1. */
export type ReportProblem = (reason: ProblemReason, message: string, line?: number) => void;

/** Returns a function that adds the problems of a file to a list. */
export function problemReporter(problems: ContentProblem[], path: string): ReportProblem {
  return (reason, message, line) => {
    problems.push({ path, ...(line !== undefined && { line }), reason, message: detached(message) });
  };
}

/**
 * Reports the conditions of a text that cannot be evaluated.
 *
 * @param linesBefore number of lines of the file before the text
 */
export function reportConditions(markdown: string, linesBefore: number, report: ReportProblem): void {
  for (const { line, reason, message } of conditionProblems(markdown)) {
    report(reason === 'unsupported' ? 'unsupported' : 'invalid_syntax', message, linesBefore + line);
  }
}
