import { Command } from 'commander';
import { findDrift, generate } from './generate.ts';
import { formatProblem, hasErrors } from './problem.ts';
import { commandLine, type Project, resolveProject } from './project.ts';

const program = new Command('toolchain').description('The commands over a contract written in TypeSpec.');

function command(name: string, description: string): Command {
  return program
    .command(name)
    .description(description)
    .option('--contract <path>', 'the TypeSpec entry', 'spec/main.tsp')
    .option('--generated <folder>', 'where generated files go', 'generated')
    .option('--tsconfig <path>', 'the settings of the type check', 'tsconfig.json');
}

command('generate', 'writes the OpenAPI document, the types and the table of operations')
  .option('--check', 'writes nothing; fails when a file differs from what the contract makes')
  .action(async (options: Partial<Project> & { check?: boolean }) => {
    const { check, ...paths } = options;
    const project = resolveProject(paths);
    process.exitCode = check ? await runDrift(project) : await runGenerate(project);
  });

async function runGenerate(project: Project): Promise<number> {
  const { problems, written } = await generate(project);
  for (const problem of problems) console.error(formatProblem(problem));
  if (hasErrors(problems)) {
    console.error(
      'Nothing was written, because the contract has errors. Mend them and run the command again.',
    );
    return 1;
  }
  console.log(written.length === 0 ? 'nothing changed' : written.map((path) => `wrote ${path}`).join('\n'));
  return 0;
}

async function runDrift(project: Project): Promise<number> {
  const { problems, drifts } = await findDrift(project);
  for (const problem of problems) console.error(formatProblem(problem));
  for (const drift of drifts) console.error(drift);
  if (drifts.length > 0) console.error(`run ${commandLine(project, 'generate')}`);
  return drifts.length > 0 || hasErrors(problems) ? 1 : 0;
}

await program.parseAsync();
