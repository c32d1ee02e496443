import { availableParallelism } from 'node:os';
import { Command, Option } from 'commander';
import { setCompilerVariables } from '../support/environment.ts';
import { type Copy, makeCopy } from './copy.ts';
import { type Mutation, STEPS } from './mutation.ts';
import { mutations } from './mutations/index.ts';
import { createPartRunner, type PartRunner } from './parts.ts';
import { problemsOf, type Result, tryAlone } from './run.ts';
import { tableOf } from './table.ts';

const options = new Command('npm run gate --')
  .description('Seeds mistakes in a copy of the repository and checks that the gate catches each.')
  .option('--only <name>', 'only mutations whose name contains this text')
  .option('--part <part>', 'only one part of the gate: a step of the check, diff, conform, or a test file')
  .addOption(new Option('--table', 'print the table of mutations without running them'))
  .parse()
  .opts<{ only?: string; part?: string; table?: boolean }>();

if (options.table) {
  console.log(tableOf(mutations));
} else {
  setCompilerVariables();
  process.exitCode = await run(options);
}

/**
 * Tries the selected mutations, one on each processor at a time. Returns 1 if the gate misses one, and 2 if the
 * selection is empty or the gate fails without a mutation.
 */
async function run({ only = '', part }: { only?: string; part?: string }): Promise<number> {
  const chosen = mutations.filter(
    ({ name, failures }) =>
      name.includes(only) && (part === undefined || failures.some((failure) => failure.part === part)),
  );
  if (chosen.length === 0) {
    console.error('No mutation matches. See test/gate/README.md for names and parts.');
    return 2;
  }
  const copies = await Promise.all(
    Array.from({ length: Math.min(availableParallelism(), chosen.length) }, makeCopy),
  );
  const problems: string[] = [];
  let caught = 0;
  try {
    const [first, ...others] = copies.map((copy) => ({ copy, runner: createPartRunner(copy) }));
    if (first === undefined || !(await succeeds(first.runner, part))) {
      return 2;
    }
    const queue = chosen.values();
    const tryRest = async ({ copy, runner }: typeof first) => {
      for (const mutation of queue) {
        const found = await problemsWith(copy, runner, mutation, part);
        problems.push(...found);
        caught += found.length === 0 ? 1 : 0;
      }
    };
    await Promise.all([first, ...others].map(tryRest));
  } finally {
    await Promise.all(copies.map((copy) => copy.remove()));
  }
  for (const problem of problems) {
    console.error(`\n${problem}`);
  }
  console.log(`\n${caught} of ${chosen.length} mutations are caught by every expected part.`);
  return problems.length === 0 ? 0 : 1;
}

/** Returns whether the steps of the check succeed without a mutation. */
async function succeeds(runner: PartRunner, part: string | undefined): Promise<boolean> {
  for (const step of STEPS.filter((name) => part === undefined || name === part)) {
    const report = await runner.run(step, []);
    if (report !== '') {
      console.error(`"${step}" fails without a mutation: run npm run check and fix it.\n\n${report}`);
      return false;
    }
  }
  return true;
}

/** Tries a mutation and prints its line. */
async function problemsWith(
  copy: Copy,
  runner: PartRunner,
  mutation: Mutation,
  part: string | undefined,
): Promise<string[]> {
  try {
    const result = await tryAlone(copy, runner, mutation, (item) => part === undefined || item === part);
    console.log(lineOf(result));
    return problemsOf(result);
  } catch (error) {
    // An edit without its text, or a part that cannot run: the other mutations are still tried.
    console.log(`BROKEN    ${mutation.name}`);
    return [`"${mutation.name}" could not be applied. ${String(error)}`];
  }
}

function lineOf(result: Result): string {
  const { mutation, caught, durationMs } = result;
  const mark = problemsOf(result).length === 0 ? 'caught  ' : 'ESCAPED ';
  const parts = [...new Set(caught.map(({ part }) => part))].join(', ');
  return `${mark} ${(durationMs / 1000).toFixed(1).padStart(5)} s  ${mutation.name}: ${parts || 'nothing'}`;
}
