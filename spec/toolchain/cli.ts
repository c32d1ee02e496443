import { existsSync } from 'node:fs';
import { Command } from 'commander';
import { addDiffCommand } from './diff/command.ts';
import { formatProblem, hasErrors } from './problem.ts';
import { commandLine, generatedPaths, type Project, pathIn, resolveProject } from './project.ts';

// The compilers take a second to load, which commands over finished documents need not wait for.
const toolchain = () => import('./main.ts');

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
  .option('--if-missing', 'does nothing where every generated file is there, up to date or not')
  .action(async ({ check, ifMissing, ...paths }: GenerateOptions) => {
    const project = resolveProject(paths);
    if (ifMissing && isGenerated(project)) return;
    process.exitCode = check ? await findDrift(project) : await writeFiles(project);
  });

command('dev', 'generates, type checks and restarts the server on every change')
  .option('--server <path>', 'the script of the server to run')
  .option('--watch <folders...>', 'the folders to watch', ['spec', 'server', 'client'])
  .action(async ({ server, watch, ...paths }: Partial<Project> & { server?: string; watch: string[] }) => {
    const ending = new Promise<void>((resolve) => {
      let asked = false;
      for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
        process.on(signal, () => {
          // Whoever asks twice does not want to wait; the server is ended with the process.
          if (asked) process.exit(1);
          asked = true;
          resolve();
        });
      }
    });
    const { startDev } = await toolchain();
    const dev = await startDev(resolveProject(paths), { ...(server && { server }), watch, log: console.log });
    await ending;
    await dev.close();
  });

command('check', 'everything that must hold, short of the tests: exits 1 when a step is red').action(
  async (paths: Partial<Project>) => {
    const { formatResults, runChecks } = await toolchain();
    const results = await runChecks(resolveProject(paths));
    console.log(formatResults(results));
    process.exitCode = results.some((result) => result.failure) ? 1 : 0;
  },
);

addDiffCommand(program);

type GenerateOptions = Partial<Project> & { check?: boolean; ifMissing?: boolean };

function isGenerated(project: Project): boolean {
  return Object.values(generatedPaths(project)).every((path) => existsSync(pathIn(project, path)));
}

async function writeFiles(project: Project): Promise<number> {
  const { generate } = await toolchain();
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

async function findDrift(project: Project): Promise<number> {
  const { createGenerator, driftOf, formatDrift } = await toolchain();
  const made = await createGenerator(project).make();
  for (const problem of made.problems) console.error(formatProblem(problem));
  if (hasErrors(made.problems)) {
    console.error(
      'Nothing was compared, because the contract has errors. Mend them and run the command again.',
    );
    return 1;
  }
  const drifts = await driftOf(project, made);
  if (drifts.length === 0) {
    console.log('the generated files are what the contract makes');
    return 0;
  }
  for (const drift of drifts) console.error(formatDrift(drift));
  console.error(
    'The contract was changed without generating again, or a generated file was edited by hand.\n' +
      `Mend it with: ${commandLine(project, 'generate')}`,
  );
  return 1;
}

await program.parseAsync();
