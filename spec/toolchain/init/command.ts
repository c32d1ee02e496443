import type { Command } from 'commander';
import { reportWritten, withExitCode } from '../exit-code.ts';

/** Adds `init` to a program. Exit codes: 0 if the project was written, 1 if the contract has errors, 2 for usage errors. */
export function addInitCommand(program: Command): void {
  program
    .command('init')
    .description('write a project for a contract: typed server, client, tests and CI workflow')
    .argument(
      '[contract]',
      'TypeSpec entry file (.tsp), or OpenAPI document in JSON or YAML; if omitted, that of the project, or a small contract of its own',
    )
    .option('--force', 'replace the files of the project that exist or that you changed, except contracts')
    .action(
      withExitCode(
        async (contract: string | undefined, { force }: { force?: true }) =>
          await run(contract, force ?? false),
      ),
    );
}

async function run(contract: string | undefined, force: boolean): Promise<number> {
  // The compilers take a second to load.
  const { initProject } = await import('./init.ts');
  const { notes, removed, manager, ...result } = await initProject({ root: process.cwd(), contract, force });
  const code = reportWritten(result);
  if (code === 0) {
    for (const path of removed) {
      console.log(`removed ${path}`);
    }
    for (const note of notes) {
      console.log(`\nnote: ${note}`);
    }
    console.log(`\nNext:\n  ${manager.install}\n  ${manager.test}\n  ${manager.run} dev`);
  }
  return code;
}
