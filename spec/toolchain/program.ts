import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { BadInput } from './bad-input.ts';
import { addConformCommand } from './conform/command.ts';
import { addDiffCommand } from './diff/command.ts';
import { formatProblem, hasErrors } from './problem.ts';
import {
  commandLine,
  contractFolder,
  generatedPaths,
  type Project,
  pathIn,
  resolveProject,
} from './project.ts';

// Compilers and writers of types take a second to load, which commands over finished documents need not wait for.
const toolchain = () => import('./main.ts');

/** Which of the two commands this is: that of the npm package, or that of the repository's own scripts. */
export interface Tool {
  name: string;
  run: Project['tool'];
}

/** The options that say where a project's files stand. */
interface Paths {
  contract?: string;
  generated?: string;
  tsconfig?: string;
  released?: string;
}

/**
 * The commands over a contract as a program.
 *
 * They exit with 0 when all is right, with 1 when something is found, and with 2 when they cannot do what was asked:
 * an unknown option, a document that cannot be read. What cannot be understood must not look like a finding.
 */
export function createProgram(tool: Tool): Command {
  const program = new Command(tool.name)
    .description(
      'The commands over a contract: a TypeSpec entry, or an OpenAPI 3.0 or 3.1 document, JSON or YAML.',
    )
    .version(version(), '--version', 'prints the version')
    .helpOption('--help', 'prints this')
    .helpCommand(false)
    .showHelpAfterError(`What there is: ${tool.name} --help, ${tool.name} COMMAND --help`)
    // Handed on to the commands, which are made after it.
    .exitOverride((error) => process.exit(error.exitCode === 0 ? 0 : 2))
    .addHelpText(
      'after',
      '\nEvery command exits with 0 when all is right, 1 when it found something, 2 when it cannot do what was asked.',
    );
  const projectOf = (paths: Paths) => resolveProject({ ...paths, tool: tool.run });

  overContract(
    program,
    'generate',
    'writes openapi.json, schema.d.ts and operations.ts; touches no file that is right',
  )
    .option('--check', 'writes nothing; fails when a file differs from what the contract makes')
    .option('--if-missing', 'does nothing where every generated file is there, up to date or not')
    .action(
      guarded(async ({ check, ifMissing, ...paths }: Paths & { check?: true; ifMissing?: true }) => {
        const project = projectOf(paths);
        if (ifMissing && isGenerated(project)) return 0;
        return check ? await findDrift(project) : await writeFiles(project);
      }),
    );

  overContract(
    program,
    'check',
    'everything that must hold, side by side; says of each step that it skips why',
  )
    .option(
      '--tsconfig <path>',
      'the settings of the type check (default: "tsconfig.json", where there is one)',
    )
    .option(
      '--released <folder>',
      'the last release: openapi.json and approvals.yaml (default: beside the contract)',
    )
    .action(
      guarded(async (paths: Paths) => {
        const project = projectOf(paths);
        mustExist(project, '--tsconfig', paths.tsconfig);
        mustExist(project, '--released', paths.released && `${paths.released}/openapi.json`);
        const { formatResults, runChecks } = await toolchain();
        const results = await runChecks(project);
        console.log(formatResults(results));
        return results.some((result) => result.failure) ? 1 : 0;
      }),
    );

  addDiffCommand(program);
  addConformCommand(program, tool.run);

  overContract(program, 'dev', 'generates, type checks and restarts a server on every change')
    .option('--tsconfig <path>', 'the settings of the type check (default: "tsconfig.json")')
    .option('--server <path>', 'the script of the server to run')
    .option('--watch <folders...>', 'the folders to watch (default: that of the contract, server, client)')
    .action(
      guarded(async ({ server, watch, ...paths }: Paths & { server?: string; watch?: string[] }) => {
        const project = projectOf(paths);
        const ending = askedToEnd();
        const { startDev } = await toolchain();
        const dev = await startDev(project, {
          ...(server && { server }),
          watch: watch ?? [contractFolder(project), 'server', 'client'],
          log: console.log,
        });
        await ending;
        await dev.close();
        return 0;
      }),
    );
  return program;
}

function overContract(program: Command, name: string, description: string): Command {
  return program
    .command(name)
    .description(description)
    .option(
      '--contract <path>',
      'a TypeSpec entry (.tsp), or an OpenAPI document, JSON or YAML',
      'spec/main.tsp',
    )
    .option('--generated <folder>', 'where generated files go', 'generated');
}

/** The version of the package that this file is part of, built or not. */
function version(): string {
  // Our own manifest, which has a version.
  const manifest = JSON.parse(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8'));
  return (manifest as { version: string }).version;
}

/** Turns what an action answers into the exit status, and what it cannot do into 2. */
function guarded<Options>(action: (options: Options) => Promise<number>) {
  return async (options: Options): Promise<void> => {
    try {
      process.exitCode = await action(options);
    } catch (error) {
      const fault = error instanceof Error ? (error.stack ?? error.message) : String(error);
      console.error(error instanceof BadInput ? `error: ${error.message}` : fault);
      process.exitCode = 2;
    }
  };
}

function mustExist(project: Project, option: string, path: string | undefined): void {
  if (path === undefined || existsSync(pathIn(project, path))) return;
  throw new BadInput(
    `${option} leads to ${path}, which is not there. Mend the path, or leave the option out.`,
  );
}

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

/** Resolves when a signal asks the process to end. */
function askedToEnd(): Promise<void> {
  return new Promise((resolve) => {
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
}
