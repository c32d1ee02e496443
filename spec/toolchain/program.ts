import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { recordGeneration, unchangedGeneration } from './cache/last-generation.ts';
import { addConformCommand } from './conform/command.ts';
import { parseInteger } from './conform/options.ts';
import { addDiffCommand } from './diff/command.ts';
import { SUPPORTED_VERSIONS } from './documents/grammar.ts';
import { reportWritten, strictCode, withExitCode } from './exit-code.ts';
import { addInitCommand } from './init/command.ts';
import { formatProblem, hasErrors } from './problem.ts';
import {
  commandLine,
  generatedPaths,
  type Project,
  pathIn,
  releasedFiles,
  resolveProject,
} from './project.ts';
import { UsageError } from './usage-error.ts';

// The compilers take a second to load; commands that only read documents do without them.
const toolchain = () => import('./main.ts');
const generator = () => import('./generate/generate.ts');

/** Variant of the program: the command of the npm package, or the npm scripts of this repository. */
export interface Tool {
  name: string;
  run: Project['tool'];
}

/** Options for the paths of a project. */
interface Paths {
  contract?: string;
  generated?: string;
  tsconfig?: string;
  released?: string;
  apiVersion?: string;
  service?: string;
}

/** Options of `generate`. */
interface GenerateArguments {
  check?: true;
  ifMissing?: true;
  strict?: true;
}

const STRICT = 'fail if the server runtime cannot serve an operation';

/** Options of `dev`. */
interface DevArguments {
  server?: string;
  watch?: string[];
  mockMissing?: true;
}

/**
 * Creates the program with all commands.
 *
 * Exit codes: 0 for success, 1 for findings, 2 for usage errors (unknown option, unreadable document), which must not
 * look like findings.
 */
export function createProgram(tool: Tool): Command {
  const program = new Command(tool.name)
    .description(
      `Commands for an API contract: a TypeSpec entry file, or a document of ${SUPPORTED_VERSIONS} in JSON or YAML.`,
    )
    .version(version(), '--version', 'print the version')
    .helpOption('--help', 'print this help')
    .helpCommand(false)
    .showHelpAfterError(`Run ${tool.name} --help or ${tool.name} COMMAND --help for the options.`)
    // Inherited by the commands that are added below.
    .exitOverride((error) => process.exit(error.exitCode === 0 ? 0 : 2))
    .addHelpText(
      'after',
      '\nExit codes: 0 success, 1 findings, 2 usage error (unknown option, unreadable document).',
    );
  // This repository is not made by it.
  if (tool.run === 'npx colophon') {
    addInitCommand(program);
  }

  const projectOf: ProjectOf = (paths) => resolveProject({ ...paths, tool: tool.run });
  addGenerateCommand(program, projectOf);
  addCheckCommand(program, projectOf);
  addMockCommand(program, projectOf);
  addDiffCommand(program);
  addConformCommand(program, tool.run);
  addDevCommand(program, projectOf);
  return program;
}

/** Resolves the project of the paths of a command line. */
type ProjectOf = (paths: Paths) => Project;

function addGenerateCommand(program: Command, projectOf: ProjectOf): void {
  addContractCommand(
    program,
    'generate',
    'write openapi.json, schema.d.ts, operations.ts and functions.ts if they changed',
  )
    .option('--check', 'write nothing; fail if a generated file is outdated')
    .option('--if-missing', 'do nothing if all generated files exist, even outdated ones')
    .option('--strict', STRICT)
    .action(
      withExitCode(async ({ check, ifMissing, strict, ...paths }: Paths & GenerateArguments) => {
        const project = projectOf(paths);
        if (ifMissing && isGenerated(project)) {
          return 0;
        }
        return check ? await reportDrift(project, strict) : await writeFiles(project, strict);
      }),
    );
}

function addCheckCommand(program: Command, projectOf: ProjectOf): void {
  addContractCommand(
    program,
    'check',
    'check format, lint, contract, generated files, the last release and types',
  )
    .option('--tsconfig <path>', 'TypeScript configuration (default: "tsconfig.json" if it exists)')
    .option(
      '--released <folder>',
      'folder of the last release, with openapi.json and approvals.yaml (default: "released" next to the contract)',
    )
    .option('--strict', STRICT)
    .action(
      withExitCode(async ({ strict, ...paths }: Paths & { strict?: true }) => {
        const project = projectOf(paths);
        requireExisting(project, '--tsconfig', paths.tsconfig);
        requireReleased(project, paths.released);
        const { formatResults, runChecks } = await toolchain();
        const results = await runChecks(project, undefined, strict);
        console.log(formatResults(results));
        return results.some((result) => result.failure) ? 1 : 0;
      }),
    );
}

function addMockCommand(program: Command, projectOf: ProjectOf): void {
  addContractCommand(
    program,
    'mock',
    'serve the contract without handlers, from its examples and generated values',
  )
    .option('--port <number>', 'port to listen on; 0 for any free one', parseInteger(0, 65_535), 4010)
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option('--token <token>', 'the only accepted credential, user:password for basic ones (default: any)')
    .action(
      withExitCode(
        async ({ port, host, token, ...paths }: Paths & { port: number; host: string; token?: string }) => {
          const stopped = stopSignal();
          const { startMock } = await toolchain();
          const mock = await startMock(projectOf(paths), {
            port,
            host,
            ...(token !== undefined && { token }),
            log: console.log,
          });
          console.log(`serving ${projectOf(paths).contract} on ${mock.url}`);
          await stopped;
          await mock.close();
          return 0;
        },
      ),
    );
}

function addDevCommand(program: Command, projectOf: ProjectOf): void {
  addContractCommand(program, 'dev', 'generate, check types and restart a server after each change')
    .option('--tsconfig <path>', 'TypeScript configuration (default: "tsconfig.json")')
    .option('--server <path>', 'script of the server')
    .option('--watch <folders...>', 'folders to watch (default: the current folder)')
    .option('--mock-missing', 'serve operations without a handler from a mock of the contract')
    .action(
      withExitCode(async ({ server, watch, mockMissing, ...paths }: Paths & DevArguments) => {
        const project = projectOf(paths);
        requireFolders(project, '--watch', watch);
        const stopped = stopSignal();
        const { startDev } = await toolchain();
        const dev = await startDev(project, {
          ...(server && { server }),
          ...(mockMissing && { mockMissing }),
          watch: watch ?? ['.'],
          log: console.log,
        });
        await stopped;
        await dev.close();
        return 0;
      }),
    );
}

function addContractCommand(program: Command, name: string, description: string): Command {
  return program
    .command(name)
    .description(description)
    .option(
      '--contract <path>',
      'TypeSpec entry file (.tsp), or OpenAPI document in JSON or YAML',
      'spec/main.tsp',
    )
    .option('--generated <folder>', 'folder of the generated files', 'generated')
    .option('--api-version <version>', 'version of a versioned TypeSpec service (default: the newest one)')
    .option('--service <namespace>', 'TypeSpec service, if the contract has several');
}

/** Version of this package. */
function version(): string {
  // The manifest of this package always has a version.
  const manifest = JSON.parse(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8'));
  return (manifest as { version: string }).version;
}

function requireExisting(project: Project, option: string, path: string | undefined): void {
  if (path === undefined || existsSync(pathIn(project, path))) {
    return;
  }
  throw new UsageError(`${option}: ${path} does not exist. Correct the path, or omit the option.`);
}

function requireFolders(project: Project, option: string, folders: readonly string[] = []): void {
  for (const folder of folders) {
    requireExisting(project, option, folder);
    if (!statSync(pathIn(project, folder)).isDirectory()) {
      throw new UsageError(`${option}: ${folder} is not a folder. Specify the folder that contains it.`);
    }
  }
}

/** A folder of only approvals is that of a contract without a release. */
function requireReleased(project: Project, folder: string | undefined): void {
  if (folder !== undefined && !existsSync(pathIn(project, releasedFiles(project).approvals))) {
    requireExisting(project, '--released', releasedFiles(project).contract);
  }
}

function isGenerated(project: Project): boolean {
  return Object.values(generatedPaths(project)).every((path) => existsSync(pathIn(project, path)));
}

async function writeFiles(project: Project, strict?: true): Promise<number> {
  const result =
    unchangedGeneration(project) ??
    (await recordGeneration(project, async () => (await generator()).generate(project)));
  return reportWritten(result) || strictCode(result.problems, strict);
}

async function reportDrift(project: Project, strict?: true): Promise<number> {
  const { createGenerator, findDrifts, formatDrift } = await generator();
  const output = await createGenerator(project).run();
  for (const problem of output.problems) {
    console.error(formatProblem(problem));
  }
  if (hasErrors(output.problems)) {
    console.error(
      'Nothing was compared because the contract has errors. Fix them and run the command again.',
    );
    return 1;
  }
  const drifts = await findDrifts(project, output);
  if (drifts.length === 0) {
    console.log('generated files are up to date');
    return strictCode(output.problems, strict);
  }
  for (const drift of drifts) {
    console.error(formatDrift(drift));
  }
  console.error(
    'The contract changed after the last generation, or a generated file was edited.\n' +
      `Fix: ${commandLine(project, 'generate')}`,
  );
  return 1;
}

/** Resolves at the first signal to terminate. */
function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    let signaled = false;
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      process.on(signal, () => {
        // A second signal exits at once, which also stops the server.
        if (signaled) {
          process.exit(1);
        }
        signaled = true;
        resolve();
      });
    }
  });
}
