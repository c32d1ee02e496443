import { availableParallelism } from 'node:os';
import { findTypeScript } from './installed.ts';
import type { Problem } from './problem.ts';
import type { Project } from './project.ts';
import { run } from './run.ts';

/**
 * Type checks the code over the contract with the project's own compiler, and emits nothing.
 * @param memory a file where the compiler keeps what it found, so that the next check looks only at what changed
 * @throws when the compiler ends with an error that is not a type error, such as settings it cannot read
 */
export async function typeCheck(project: Project, memory?: string): Promise<Problem[]> {
  const { command, major } = findTypeScript(project);
  const remember = memory === undefined ? [] : ['--incremental', '--tsBuildInfoFile', memory];
  // Each checker works out the types it needs by itself: more of them than processors only repeat work.
  const checkers = major < 7 ? [] : ['--checkers', String(Math.min(4, availableParallelism()))];
  const args = [command, '--noEmit', '--pretty', 'false', '-p', project.tsconfig, ...checkers, ...remember];
  const { code, output } = await run(process.execPath, args, { cwd: project.root });
  const problems = parseProblems(output);
  if (code !== 0 && problems.length === 0) {
    throw new Error(`The type check ended with code ${code} and named no error. It said:\n${output.trim()}`);
  }
  return problems;
}

/** Reads the compiler's plain output: `file(line,column): error TS1: text`, further lines of a message indented. */
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
