import { Command, Option } from 'commander';
import { makeCopy } from './copy.ts';
import { mutations } from './mutations/index.ts';
import { createBench } from './parts.ts';
import { complaintsOf, tryAlone, type Verdict } from './run.ts';
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

if (options.table) console.log(tableOf(mutations));
else process.exitCode = await run(options);

/** Tries the chosen mutations one after the other; 1 where the gate lets one through, 2 for a bad choice. */
async function run({ only = '', part }: { only?: string; part?: string }): Promise<number> {
  const chosen = mutations.filter(
    ({ name, red }) => name.includes(only) && (part === undefined || red.some((one) => one.part === part)),
  );
  if (chosen.length === 0) {
    console.error('No mutation has that name and that part. Names and parts stand in test/gate/README.md.');
    return 2;
  }
  const copy = await makeCopy();
  const verdicts: Verdict[] = [];
  try {
    const bench = createBench(copy);
    for (const mutation of chosen) {
      const verdict = await tryAlone(copy, bench, mutation, (one) => part === undefined || one === part);
      verdicts.push(verdict);
      console.log(lineOf(verdict));
    }
  } finally {
    await copy.remove();
  }
  const complaints = verdicts.flatMap(complaintsOf);
  for (const complaint of complaints) console.error(`\n${complaint}`);
  const good = verdicts.filter((verdict) => complaintsOf(verdict).length === 0).length;
  console.log(`\n${good} of ${verdicts.length} mutations are caught by every part that the list names.`);
  return complaints.length === 0 ? 0 : 1;
}

function lineOf(verdict: Verdict): string {
  const { mutation, caught, duration } = verdict;
  const mark = complaintsOf(verdict).length === 0 ? 'caught  ' : 'ESCAPED ';
  const parts = [...new Set(caught.map(({ part }) => part))].join(', ');
  return `${mark} ${(duration / 1000).toFixed(1).padStart(5)} s  ${mutation.name}: ${parts || 'nothing'}`;
}
