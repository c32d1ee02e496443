import { createGenerator, type GeneratorOutput } from '../generate/generate.ts';
import type { Project } from '../project.ts';
import { formatDuration } from '../report/text.ts';
import { UsageError } from '../usage-error.ts';
import { steps as allSteps, type Failure, type Step, type StepContext } from './steps.ts';

/** Result of one step. */
export interface StepResult {
  name: string;
  /** In milliseconds. */
  duration: number;
  /** Reason why the step is red. */
  failure?: Failure;
  /** Reason why the step does not apply to the project; it is neither green nor red. */
  skipped?: string;
  /** What a green step reports. */
  notes?: readonly string[];
}

/**
 * Runs the steps in parallel; writes no files.
 * @param steps default: all steps
 * @param isStrict whether operations that the server runtime cannot serve fail the check
 * @throws {UsageError} if the contract is missing or unreadable
 */
export function runChecks(
  project: Project,
  steps: readonly Step[] = allSteps,
  isStrict = false,
): Promise<StepResult[]> {
  let output: Promise<GeneratorOutput> | undefined;
  const context: StepContext = {
    project,
    isStrict,
    // Several steps read the output; the contract is compiled once.
    output: () => {
      output ??= createGenerator(project).run();
      return output;
    },
  };
  return Promise.all(
    steps.map(async (step) => {
      const skipped = step.skip?.(project);
      if (skipped !== undefined) {
        return { name: step.name, duration: 0, skipped };
      }
      const start = performance.now();
      const failure = await step.run(context).catch((error: unknown) => {
        // An unreadable contract is an error of the command, not a red step.
        if (error instanceof UsageError && step.name === 'contract') {
          throw error;
        }
        return incompleteStep(error);
      });
      const duration = performance.now() - start;
      if (failure) {
        return { name: step.name, duration, failure };
      }
      const notes = (await step.notes?.(context)) ?? [];
      return { name: step.name, duration, ...(notes.length > 0 && { notes }) };
    }),
  );
}

/** Formats results as text: notes, each failure with its fix, then one line per step, including skipped steps. */
export function formatResults(results: readonly StepResult[]): string {
  const notes = results.flatMap(({ notes: lines = [] }) => lines);
  const failures = results.flatMap(({ name, failure }) =>
    failure
      ? [
          `── ${name}: ${failure.summary}`,
          ...failure.details,
          `Why: ${failure.why}`,
          `Fix: ${failure.fix}`,
          '',
        ]
      : [],
  );
  const summary = results.map(({ name, duration, failure, skipped }) =>
    skipped === undefined
      ? `${failure ? 'red  ' : 'green'} ${name.padEnd(16)} ${formatDuration(duration)}`
      : `skip  ${name.padEnd(16)}      –    ${skipped}`,
  );
  return [...notes, ...(notes.length > 0 ? [''] : []), ...failures, ...summary].join('\n');
}

function incompleteStep(error: unknown): Failure {
  return {
    summary: 'The step did not complete.',
    details: [
      error instanceof Error && !(error instanceof UsageError)
        ? (error.stack ?? error.message)
        : String(error),
    ],
    why: 'An incomplete step verifies nothing, so it fails.',
    fix: 'Fix the cause of this error.',
  };
}
