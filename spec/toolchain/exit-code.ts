import type { GenerateResult } from './generate/generate.ts';
import { formatProblem, hasErrors, type Problem, UNSUPPORTED } from './problem.ts';
import { UsageError } from './usage-error.ts';

/** Sets the exit code to the result of an action, or to 2 if it throws. */
export function withExitCode<Arguments extends unknown[]>(action: (...args: Arguments) => Promise<number>) {
  return async (...args: Arguments): Promise<void> => {
    try {
      process.exitCode = await action(...args);
    } catch (error) {
      const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
      console.error(error instanceof UsageError ? `error: ${error.message}` : text);
      process.exitCode = 2;
    }
  };
}

/**
 * Prints the problems of a contract and the files that were written for it.
 *
 * @returns the exit code
 */
export function reportWritten({ problems, written }: Pick<GenerateResult, 'problems' | 'written'>): number {
  for (const problem of problems) {
    console.error(formatProblem(problem));
  }
  if (hasErrors(problems)) {
    console.error('Nothing was written because the contract has errors. Fix them and run the command again.');
    return 1;
  }
  console.log(written.length === 0 ? 'nothing changed' : written.map((path) => `wrote ${path}`).join('\n'));
  return 0;
}

/**
 * Returns the exit code of the option `--strict`, which permits no operation that the server runtime cannot serve. The
 * operations are already printed.
 */
export function strictCode(problems: readonly Problem[], isStrict: boolean | undefined): number {
  if (!isStrict || !problems.some(({ code }) => code === UNSUPPORTED)) {
    return 0;
  }
  console.error(
    'The server cannot serve every operation: see the notes above. Express them differently, or omit --strict and serve them with Express handlers.',
  );
  return 1;
}
