import { BadInput } from './bad-input.ts';
import { createGenerator, type Made } from './generate.ts';
import type { Project } from './project.ts';
import { formatDuration } from './report.ts';
import { steps as allSteps, type Failure, type Step, type StepContext } from './steps.ts';

/** How one step of a check went. */
export interface StepResult {
  name: string;
  /** Milliseconds. */
  duration: number;
  /** Why the step is red. */
  failure?: Failure;
  /** Why there was nothing to look at: the step is neither green nor red. */
  skipped?: string;
}

/**
 * Runs every step side by side over a project; writes nothing.
 * @param steps what to check; all steps unless told otherwise
 * @throws {BadInput} when there is no contract that can be read
 */
export function runChecks(project: Project, steps: readonly Step[] = allSteps): Promise<StepResult[]> {
  let made: Promise<Made> | undefined;
  const context: StepContext = {
    project,
    // Several steps look at what the contract makes; it is compiled once.
    made: () => {
      made ??= createGenerator(project).make();
      return made;
    },
  };
  return Promise.all(
    steps.map(async (step) => {
      const skipped = step.skip?.(project);
      if (skipped !== undefined) return { name: step.name, duration: 0, skipped };
      const start = performance.now();
      const failure = await step.run(context).catch((error: unknown) => {
        // A contract that cannot be read is no finding; whoever asked for the check is told.
        if (error instanceof BadInput && step.name === 'contract') throw error;
        return brokenDown(step, error);
      });
      return { name: step.name, duration: performance.now() - start, ...(failure && { failure }) };
    }),
  );
}

/** The result as text: the failures first, each with what mends it, then one line for each step, skipped ones too. */
export function formatResults(results: readonly StepResult[]): string {
  const failures = results.flatMap(({ name, failure }) =>
    failure
      ? [
          `── ${name}: ${failure.what}`,
          ...failure.details,
          `Why: ${failure.why}`,
          `Mend: ${failure.mend}`,
          '',
        ]
      : [],
  );
  const summary = results.map(({ name, duration, failure, skipped }) =>
    skipped === undefined
      ? `${failure ? 'red  ' : 'green'} ${name.padEnd(16)} ${formatDuration(duration)}`
      : `skip  ${name.padEnd(16)}      –    ${skipped}`,
  );
  return [...failures, ...summary].join('\n');
}

function brokenDown(step: Step, error: unknown): Failure {
  return {
    what: 'The step could not run to its end.',
    details: [
      error instanceof Error && !(error instanceof BadInput) ? (error.stack ?? error.message) : String(error),
    ],
    why: `A step that did not finish says nothing about the project, so it counts as red.`,
    mend: `Mend what the error names; "${step.name}" stands in spec/toolchain/steps.ts.`,
  };
}
