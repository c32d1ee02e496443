import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative, sep } from 'node:path';
import { isObject } from './document.ts';
import { createGenerator, generate } from './generate.ts';
import { createHandlerFinder, type FindHandlerFile, missingHandlerMessage } from './handler-files.ts';
import { formatProblem, hasErrors, type Problem } from './problem.ts';
import { contractFolder, isTypeSpec, type Project, pathIn } from './project.ts';
import { stepLine } from './report.ts';
import { createServerProcess } from './server-process.ts';
import { typeCheck } from './type-check.ts';
import { UsageError } from './usage-error.ts';
import { watchFolders } from './watch.ts';

/** Options of {@link startDev}. */
export interface DevOptions {
  /** Script of the server, relative to the root. If omitted, no server runs. */
  server?: string;
  /** Folders to watch, relative to the root. */
  watch: readonly string[];
  /** Receives each line of output. */
  log(line: string): void;
}

/** Running development loop. */
export interface Dev {
  /** Stops the loop and the server. */
  close(): Promise<void>;
}

/** Time without changes before a round starts. */
const DEBOUNCE_MS = 40;

/**
 * Generates, checks types and runs the server, and repeats this after each change: all steps after a change of the
 * contract, types and server after a change of the code. Resolves after the first round. While the contract has
 * errors, the previous server keeps running.
 */
export async function startDev(project: Project, { server, watch, log }: DevOptions): Promise<Dev> {
  const generator = createGenerator(project);
  const cacheFolder = await mkdtemp(join(tmpdir(), 'type-check-'));
  const process =
    server === undefined
      ? undefined
      : createServerProcess({ entry: server, cwd: project.root, log, onMessage: onServerMessage });
  let closed = false;
  let pending: Change | undefined;
  let working: Promise<void> | undefined;

  /** Whether the running server is outdated. */
  let stale = true;

  /** Resolves after the type check of the current round, with the operations that it reported as without a handler. */
  let checked: Promise<ReadonlySet<string>> = Promise.resolve(new Set());

  let finder: Promise<FindHandlerFile> | undefined;

  async function round({ contract, code }: Change): Promise<void> {
    const start = performance.now();
    finder = undefined;
    const generated = contract ? await regenerate() : 'same';
    stale ||= code || generated === 'written';
    if (closed || generated === 'failed' || !stale) {
      return;
    }
    stale = false;
    checked = checkTypes();
    await Promise.all([checked, restartServer()]);
    log(stepLine('ready', performance.now() - start, 'waiting for the next change'));
  }

  async function regenerate(): Promise<'failed' | 'same' | 'written'> {
    const start = performance.now();
    const { problems, written } = await generate(project, generator).catch((error: unknown) => {
      // A document that is being written may be incomplete; treat it as a contract with errors.
      if (!(error instanceof UsageError)) {
        throw error;
      }
      const problem: Problem = { severity: 'error', message: error.message };
      return { problems: [problem], written: [] };
    });
    for (const problem of problems) {
      log(formatProblem(problem));
    }
    const failed = hasErrors(problems);
    const summary = written.length === 0 ? 'nothing changed' : `wrote ${written.join(', ')}`;
    const text = failed ? 'has errors; nothing was written, and the previous server keeps running' : summary;
    log(stepLine('contract', performance.now() - start, text));
    if (failed) {
      return 'failed';
    }
    return written.length === 0 ? 'same' : 'written';
  }

  async function checkTypes(): Promise<ReadonlySet<string>> {
    if (!existsSync(pathIn(project, project.tsconfig))) {
      log(stepLine('types', 0, `skipped: ${project.tsconfig} does not exist`));
      return new Set();
    }
    const start = performance.now();
    const problems = await typeCheck(project, join(cacheFolder, 'types.tsbuildinfo'));
    for (const problem of problems) {
      log(formatProblem(problem));
    }
    const text =
      problems.length === 0
        ? 'no errors'
        : `${problems.length} ${problems.length === 1 ? 'error' : 'errors'}`;
    log(stepLine('types', performance.now() - start, text));
    return new Set(problems.flatMap(({ operation }) => operation ?? []));
  }

  /** Reports an operation without a handler, unless the type check does: code without types, or with a cast. */
  async function onServerMessage(message: unknown): Promise<void> {
    if (server === undefined || !isObject(message) || typeof message.missingHandler !== 'string') {
      return;
    }
    const operation = message.missingHandler;
    // If the type check does not complete, its error is reported where it was started.
    const reported = await checked.catch(() => new Set());
    if (closed || reported.has(operation)) {
      return;
    }
    finder ??= createHandlerFinder(project, [server]);
    const file = await finder.then(
      (find) => find(operation),
      () => undefined,
    );
    log(file === undefined ? `${operation} has no handler` : missingHandlerMessage(operation, file));
  }

  async function restartServer(): Promise<void> {
    if (process === undefined || closed) {
      return;
    }
    const start = performance.now();
    await process.restart();
    log(stepLine('server', performance.now() - start, `started ${server}`));
  }

  async function work(): Promise<void> {
    while (pending !== undefined && !closed) {
      const change = pending;
      pending = undefined;
      await round(change).catch((error: unknown) => {
        // Ctrl-C also terminates the type check.
        if (closed) {
          return;
        }
        log(`a step did not complete: ${error instanceof Error ? (error.stack ?? error.message) : error}`);
      });
    }
    working = undefined;
  }

  function begin(change: Change): Promise<void> {
    pending = { contract: change.contract || !!pending?.contract, code: change.code || !!pending?.code };
    working ??= work();
    return working;
  }

  const watcher = watchFolders(project.root, watch, DEBOUNCE_MS, (paths) => {
    const relevant = paths.filter((path) => !path.startsWith(`${project.generated}/`));
    if (relevant.length === 0) {
      return;
    }
    log(
      `changed: ${relevant.slice(0, 3).join(', ')}${relevant.length > 3 ? ` and ${relevant.length - 3} more` : ''}`,
    );
    const toolchainFolder = `${relative(project.root, import.meta.dirname)
      .split(sep)
      .join('/')}/`;
    if (relevant.some((path) => path.startsWith(toolchainFolder))) {
      log('the toolchain changed: restart this command to apply the change');
    }
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
      await rm(cacheFolder, { recursive: true, force: true });
    },
  };
}

interface Change {
  contract: boolean;
  code: boolean;
}

/** Whether a file is part of the contract: TypeSpec and the scripts that it loads, or the OpenAPI document. */
function isContract(project: Project, path: string): boolean {
  if (!isTypeSpec(project)) {
    return path === project.contract;
  }
  return path.startsWith(`${contractFolder(project)}/`) && /\.(tsp|m?js)$/.test(path);
}
