import type { Command } from 'commander';
import { formatProblem, hasErrors } from '../problem.ts';
import { UsageError } from '../usage-error.ts';

/** Adds `init` to a program. Exit codes: 0 if the project was written, 1 if the contract has errors, 2 for usage errors. */
export function addInitCommand(program: Command): void {
  program
    .command('init')
    .description('write a project for a contract: typed server, client, tests and CI workflow')
    .argument(
      '[contract]',
      'TypeSpec entry file (.tsp), or OpenAPI document in JSON or YAML; a small contract of its own if omitted',
    )
    .option('--force', 'replace the files of the project that exist, except contracts')
    .action(async (contract: string | undefined, { force }: { force?: true }) => {
      try {
        process.exitCode = await run(contract, force ?? false);
      } catch (error) {
        const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
        console.error(error instanceof UsageError ? `error: ${error.message}` : text);
        process.exitCode = 2;
      }
    });
}

async function run(contract: string | undefined, force: boolean): Promise<number> {
  // The compilers take a second to load.
  const { initProject } = await import('./init.ts');
  const { problems, written, notes } = await initProject({ root: process.cwd(), contract, force });
  for (const problem of problems) {
    console.error(formatProblem(problem));
  }
  if (hasErrors(problems)) {
    console.error('Nothing was written because the contract has errors. Fix them and run the command again.');
    return 1;
  }
  console.log(written.length === 0 ? 'nothing changed' : written.map((path) => `wrote ${path}`).join('\n'));
  for (const note of notes) {
    console.log(`\nnote: ${note}`);
  }
  console.log('\nNext:\n  npm install\n  npm test\n  npm run dev');
  return 0;
}
