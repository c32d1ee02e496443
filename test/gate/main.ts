import { Command, Option } from 'commander';
import { makeCopy } from './copy.ts';
import { STEPS } from './mutation.ts';
import { mutations } from './mutations/index.ts';
import { createPartRunner } from './parts.ts';
import { problemsOf, type Result, tryAlone } from './run.ts';
import { tableOf } from './table.ts';

const options = new Command('npm run gate --')
  .description('Breaks copies of the repository in ways of which each must turn some part of the gate red.')
  .option('--only <name>', 'the mutations whose name holds this text')
  .option(
    '--part <part>',
    'one part of the gate alone: a step of the check, diff, conform, or a file of tests',
  )
  .addOption(new Option('--table', 'print the table of what catches which, and run nothing'))
  .parse()
  .opts<{ only?: string; part?: string; table?: boolean }>();

if (options.table) {
  console.log(tableOf(mutations));
} else {
  process.exitCode = await run(options);
}

/**
 * Tries the chosen mutations one after the other; 1 where the gate lets one through, 2 where
 * nothing can be said: for a choice that fits none, and where the gate is red before anything is broken.
 */
async function run({ only = '', part }: { only?: string; part?: string }): Promise<number> {
  const chosen = mutations.filter(
    ({ name, failures: red }) =>
      name.includes(only) && (part === undefined || red.some((one) => one.part === part)),
  );
  if (chosen.length === 0) {
    console.error('No mutation has that name and that part. Names and parts stand in test/gate/README.md.');
    return 2;
  }
  const copy = await makeCopy();
  const complaints: string[] = [];
  let good = 0;
  try {
    const bench = createPartRunner(copy);
    for (const step of STEPS.filter((name) => part === undefined || name === part)) {
      const said = await bench.run(step, []);
      if (said === '') {
        continue;
      }
      console.error(
        `Nothing was broken yet, and "${step}" is red: run npm run check, and mend it.\n\n${said}`,
      );
      return 2;
    }
    for (const mutation of chosen) {
      try {
        const verdict = await tryAlone(copy, bench, mutation, (one) => part === undefined || one === part);
        console.log(lineOf(verdict));
        complaints.push(...problemsOf(verdict));
        if (problemsOf(verdict).length === 0) {
          good += 1;
        }
      } catch (error) {
        // An edit that finds nothing to change, or a part that breaks down: the others are tried all the same.
        console.log(`BROKEN    ${mutation.name}`);
        complaints.push(`"${mutation.name}" could not be tried. ${String(error)}`);
      }
    }
  } finally {
    await copy.remove();
  }
  for (const complaint of complaints) {
    console.error(`\n${complaint}`);
  }
  console.log(`\n${good} of ${chosen.length} mutations are caught by every part that the list names.`);
  return complaints.length === 0 ? 0 : 1;
}

function lineOf(verdict: Result): string {
  const { mutation, caught, duration } = verdict;
  const mark = problemsOf(verdict).length === 0 ? 'caught  ' : 'ESCAPED ';
  const parts = [...new Set(caught.map(({ part }) => part))].join(', ');
  return `${mark} ${(duration / 1000).toFixed(1).padStart(5)} s  ${mutation.name}: ${parts || 'nothing'}`;
}
