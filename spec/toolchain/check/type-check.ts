import { availableParallelism } from 'node:os';
import type { Problem } from '../problem.ts';
import type { Project } from '../project.ts';
import { run } from '../run.ts';
import { createHandlerFinder, type FindHandlerFile, readOperationIds } from './handler-files.ts';
import { findTypeScript } from './installed.ts';
import { shortenTypeErrors } from './type-errors.ts';

/**
 * Checks the types of the project with its own compiler; emits nothing. The messages are shortened.
 * @param buildInfoFile cache file of the compiler, which makes later checks incremental
 * @throws if the compiler fails without a type error, for example because of an unreadable `tsconfig.json`
 */
export async function typeCheck(project: Project, buildInfoFile?: string): Promise<Problem[]> {
  const { command, major } = findTypeScript(project);
  const incremental =
    buildInfoFile === undefined ? [] : ['--incremental', '--tsBuildInfoFile', buildInfoFile];
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
  const { code, output } = await run(process.execPath, args, { cwd: project.root });
  const problems = parseProblems(output);
  if (code !== 0 && problems.length === 0) {
    throw new Error(
      `The type check exited with code ${code} without a type error. Output:\n${output.trim()}`,
    );
  }
  return problems.length === 0 ? [] : await explain(project, problems);
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
 * Returns the number of checkers of TypeScript 7. They share no types: more checkers than processors only repeat work.
 */
function checkerCount(): number {
  // The compiler is a Go program, which uses at most this number of processors.
  const allowed = Number(process.env.GOMAXPROCS) || availableParallelism();
  return Math.min(4, allowed);
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
