import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import {
  isStillCorrect,
  programCache,
  programState,
  readProgram,
  writeProgram,
} from '../cache/checked-program.ts';
import type { Problem } from '../problem.ts';
import type { Project } from '../project.ts';
import { run } from '../run.ts';
import { createHandlerFinder, type FindHandlerFile, readOperationIds } from './handler-files.ts';
import { findTypeScript } from './installed.ts';
import { shortenTypeErrors } from './type-errors.ts';

/** Memory that the compiler, a Go program, allocates before it collects garbage again, in percent of what it uses. */
const GARBAGE_PERCENT = '200';

/**
 * Checks the types of the project with its own compiler; emits nothing. The messages are shortened. Reuses the results of
 * earlier checks, also of those of other processes: without an error then, and without an edit of more than comments
 * since, the compiler does not run.
 * @param cache file for results
 * @throws if the compiler fails without a type error, for example because of an unreadable `tsconfig.json`
 */
export async function typeCheck(project: Project, cache = programCache(project)): Promise<Problem[]> {
  if (cache === undefined) {
    return (await compile(project)).problems;
  }
  const program = readProgram(cache);
  if (program?.state && (await isStillCorrect(project, program.state))) {
    return [];
  }
  await mkdir(dirname(cache), { recursive: true });
  // The compiler writes into its file: a copy protects concurrent checks from each other. Paths in it are relative.
  const folder = await mkdtemp(`${cache}-`);
  try {
    const buildInfoFile = join(folder, 'tsbuildinfo');
    await writeFile(buildInfoFile, program?.buildInfo ?? '');
    const { ctimeMs } = await stat(buildInfoFile);
    const { problems, files } = await compile(project, buildInfoFile);
    const state = problems.length === 0 ? programState(project, files, ctimeMs) : undefined;
    await writeProgram(cache, { buildInfo: await readFile(buildInfoFile), ...(state && { state }) });
    return problems;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Runs the compiler. Returns the files of the program, too. */
async function compile(
  project: Project,
  buildInfoFile?: string,
): Promise<{ problems: Problem[]; files: string[] }> {
  const { command, major } = findTypeScript(project);
  const incremental =
    buildInfoFile === undefined ? [] : ['--incremental', '--tsBuildInfoFile', buildInfoFile, '--listFiles'];
  const checkers = major < 7 ? [] : ['--checkers', String(checkerCount())];
  const args = [
    command,
    '--noEmit',
    '--pretty',
    'false',
    '-p',
    project.tsconfig,
    ...checkers,
    ...incremental,
  ];
  const { code, output } = await run(process.execPath, args, {
    cwd: project.root,
    env: { GOGC: GARBAGE_PERCENT, ...process.env },
  });
  const problems = parseProblems(output);
  if (code !== 0 && problems.length === 0) {
    throw new Error(
      `The type check exited with code ${code} without a type error. Output:\n${output.trim()}`,
    );
  }
  return {
    problems: problems.length === 0 ? [] : await explain(project, problems),
    files: output.split(/\r?\n/).filter(isAbsolute),
  };
}

async function explain(project: Project, problems: readonly Problem[]): Promise<Problem[]> {
  const finders = new Map<string, Promise<FindHandlerFile>>();
  const operations = await readOperationIds(project);
  return await shortenTypeErrors(problems, {
    operations,
    fileOf: async (operationId, mapFile) => {
      const finder = finders.get(mapFile) ?? createHandlerFinder(project, [mapFile]);
      finders.set(mapFile, finder);
      return (await finder)(operationId) ?? mapFile;
    },
  });
}

/**
 * Returns the number of checkers of TypeScript 7. They share no types, so that each repeats work of the others: a second
 * one takes a quarter more CPU time. They leave processors to the other steps.
 */
function checkerCount(): number {
  // The compiler is a Go program, which uses at most this number of processors.
  const allowed = Number(process.env.GOMAXPROCS) || availableParallelism();
  return Math.max(1, Math.min(4, Math.floor(allowed / 2)));
}

/** Parses the plain output of the compiler: `file(line,column): error TS1: text`, with indented continuation lines. */
export function parseProblems(output: string): Problem[] {
  const problems: Problem[] = [];
  for (const line of output.split('\n')) {
    const match = /^(?:(.+)\((\d+),(\d+)\): )?(error|warning) (TS\d+): (.*)$/.exec(line.trimEnd());
    const last = problems.at(-1);
    if (match) {
      const [, file, row, column, severity, code, message] = match;
      problems.push({
        severity: severity === 'warning' ? 'warning' : 'error',
        message: message ?? '',
        ...(code === undefined ? {} : { code }),
        ...(file === undefined ? {} : { file, line: Number(row), column: Number(column) }),
      });
    } else if (last && /^\s+\S/.test(line)) {
      last.message += `\n${line.trimEnd()}`;
    }
  }
  return problems;
}
