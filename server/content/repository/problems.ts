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
