import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative, sep } from 'node:path';
import { BadInput } from './bad-input.ts';
import { createGenerator, generate } from './generate.ts';
import { formatProblem, hasErrors, type Problem } from './problem.ts';
import { contractFolder, isTypeSpec, type Project, pathIn } from './project.ts';
import { stepLine } from './report.ts';
import { createServerProcess } from './server-process.ts';
import { typeCheck } from './type-check.ts';
import { watchFolders } from './watch.ts';

/** What to watch and run while someone works. */
export interface DevOptions {
  /** The server's script, relative to the root; none runs without it. */
  server?: string;
  /** The folders to watch, relative to the root. */
  watch: readonly string[];
  /** Gets every line that a person should read. */
  log(line: string): void;
}

/** A running watch. */
export interface Dev {
  /** Ends the watch and the server. */
  close(): Promise<void>;
}

/** How long files must be quiet before work starts, in milliseconds. */
const quiet = 40;

/**
 * Generates, type checks and runs the server, and does so again whenever something changes: after a change of the
 * contract everything, after one of the code only what follows from it. Answers when the first round is done.
 * While the contract has errors, what ran before goes on running.
 */
export async function startDev(project: Project, { server, watch, log }: DevOptions): Promise<Dev> {
  const generator = createGenerator(project);
  const memory = await mkdtemp(join(tmpdir(), 'type-check-'));
  const process =
    server === undefined ? undefined : createServerProcess({ entry: server, cwd: project.root, log });
  let closed = false;
  let pending: Change | undefined;
  let working: Promise<void> | undefined;

  /** Whether something changed that the running server does not show yet. */
  let stale = true;

  async function round({ contract, code }: Change): Promise<void> {
    const start = performance.now();
    const generated = contract ? await regenerate() : 'same';
    stale ||= code || generated === 'written';
    if (closed || generated === 'failed' || !stale) return;
    stale = false;
    await Promise.all([checkTypes(), restartServer()]);
    log(stepLine('ready', performance.now() - start, 'waiting for the next change'));
  }

  async function regenerate(): Promise<'failed' | 'same' | 'written'> {
    const start = performance.now();
    const { problems, written } = await generate(project, generator).catch((error: unknown) => {
      // Half a document, as while it is being written, is a contract with an error like any other.
      if (!(error instanceof BadInput)) throw error;
      const problem: Problem = { severity: 'error', message: error.message };
      return { problems: [problem], written: [] };
    });
    for (const problem of problems) log(formatProblem(problem));
    const failed = hasErrors(problems);
    const summary = written.length === 0 ? 'nothing changed' : `wrote ${written.join(', ')}`;
    const text = failed ? 'has errors; nothing was written, and what ran before goes on running' : summary;
    log(stepLine('contract', performance.now() - start, text));
    if (failed) return 'failed';
    return written.length === 0 ? 'same' : 'written';
  }

  async function checkTypes(): Promise<void> {
    if (!existsSync(pathIn(project, project.tsconfig))) {
      log(stepLine('types', 0, `skipped: there is no ${project.tsconfig}`));
      return;
    }
    const start = performance.now();
    const problems = await typeCheck(project, join(memory, 'types.tsbuildinfo'));
    for (const problem of problems) log(formatProblem(problem));
    const text =
      problems.length === 0 ? 'fit' : `${problems.length} ${problems.length === 1 ? 'error' : 'errors'}`;
    log(stepLine('types', performance.now() - start, text));
  }

  async function restartServer(): Promise<void> {
    if (process === undefined || closed) return;
    const start = performance.now();
    await process.restart();
    log(stepLine('server', performance.now() - start, `started ${server}`));
  }

  async function work(): Promise<void> {
    while (pending !== undefined && !closed) {
      const change = pending;
      pending = undefined;
      await round(change).catch((error: unknown) => {
        // Ctrl-C ends the type check, too.
        if (closed) return;
        log(
          `a step could not run to its end: ${error instanceof Error ? (error.stack ?? error.message) : error}`,
        );
      });
    }
    working = undefined;
  }

  function begin(change: Change): Promise<void> {
    pending = { contract: change.contract || !!pending?.contract, code: change.code || !!pending?.code };
    working ??= work();
    return working;
  }

  const watcher = watchFolders(project.root, watch, quiet, (paths) => {
    const relevant = paths.filter((path) => !path.startsWith(`${project.generated}/`));
    if (relevant.length === 0) return;
    log(
      `changed: ${relevant.slice(0, 3).join(', ')}${relevant.length > 3 ? ` and ${relevant.length - 3} more` : ''}`,
    );
    const own = `${relative(project.root, import.meta.dirname)
      .split(sep)
      .join('/')}/`;
    if (relevant.some((path) => path.startsWith(own)))
      log('the toolchain itself changed: start this command again to use it');
    const contract = relevant.filter((path) => isContract(project, path)).length;
    void begin({ contract: contract > 0, code: contract < relevant.length });
  });
  await begin({ contract: true, code: true });

  return {
    async close() {
      closed = true;
      watcher.close();
      await working;
      await process?.stop();
      await rm(memory, { recursive: true, force: true });
    },
  };
}

interface Change {
  contract: boolean;
  code: boolean;
}

/** TypeSpec, and the scripts that TypeSpec loads beside it; or the document. */
function isContract(project: Project, path: string): boolean {
  if (!isTypeSpec(project)) return path === project.contract;
  return path.startsWith(`${contractFolder(project)}/`) && /\.(tsp|m?js)$/.test(path);
}
