import { existsSync, realpathSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative, sep } from 'node:path';
import { isObject, type OpenApiDocument } from './document.ts';
import { createGenerator, type GenerateResult, generate } from './generate.ts';
import { createHandlerFinder, type FindHandlerFile, missingHandlerMessage } from './handler-files.ts';
import { listenMock } from './mock/command.ts';
import { projectModules } from './module-graph.ts';
import { formatProblem, hasErrors } from './problem.ts';
import { contractFolder, generatedPaths, isTypeSpec, type Project, pathIn } from './project.ts';
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
  /** Whether a mock of the contract serves the operations without a handler. */
  mockMissing?: boolean;
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
 * contract, types and server after a change of a module that the server imports, types after a change of other code.
 * Other files, such as logs and databases, are ignored. Resolves after the first round. While the contract has errors,
 * the previous server keeps running.
 */
export async function startDev(
  project: Project,
  { server, watch, mockMissing, log }: DevOptions,
): Promise<Dev> {
  const generator = createGenerator(project);
  const cacheFolder = await mkdtemp(join(tmpdir(), 'type-check-'));
  const process =
    server === undefined
      ? undefined
      : createServerProcess({ entry: server, cwd: project.root, log, onMessage: onServerMessage });
  const mock = mockMissing
    ? await listenMock(project, { port: 0, host: '127.0.0.1', log: (line) => log(`mock: ${line}`) })
    : undefined;
  let mockUrl: string | undefined;
  const realRoot = realpathSync(project.root);
  let closed = false;
  let pending: string[] = [];
  let working: Promise<void> | undefined;

  let outdatedTypes = true;
  let outdatedServer = true;

  /** Resolves after the type check of the current round, with the operations that it reported as without a handler. */
  let checked: Promise<ReadonlySet<string>> = Promise.resolve(new Set());

  let finder: Promise<FindHandlerFile> | undefined;

  /** @param changed paths relative to the root; undefined for the first round */
  async function round(changed?: readonly string[]): Promise<void> {
    const start = performance.now();
    finder = undefined;
    const isContractRound = changed === undefined || changed.some((path) => isContract(project, path));
    const generated = isContractRound ? await regenerate() : 'same';
    const code = changed?.filter((path) => isCode(project, path) || isImported(path)) ?? [];
    outdatedTypes ||= code.length > 0 || generated === 'written';
    outdatedServer ||= generated === 'written' || (await concernsServer(code));
    if (closed || generated === 'failed' || !outdatedTypes) {
      return;
    }
    outdatedTypes = false;
    checked = checkTypes();
    await Promise.all([checked, outdatedServer ? restartServer() : undefined]);
    log(stepLine('ready', performance.now() - start, 'waiting for the next change'));
  }

  const isImported = (path: string) => process?.hasImported(join(realRoot, path)) === true;

  /** Whether the server imports one of the changed files, or has exited, perhaps before it could import them. */
  async function concernsServer(code: readonly string[]): Promise<boolean> {
    if (server === undefined || code.length === 0) {
      return false;
    }
    if (!process?.isRunning() || code.some(isImported)) {
      return true;
    }
    // The programs that the server starts do not report their imports.
    const files = new Set(code.map((path) => pathIn(project, path)));
    for await (const { file } of projectModules(project, [server])) {
      if (files.has(file)) {
        return true;
      }
    }
    return false;
  }

  async function regenerate(): Promise<'failed' | 'same' | 'written'> {
    const start = performance.now();
    const { document, problems, written } = await generate(project, generator).catch(
      (error: unknown): GenerateResult => {
        // A document that is being written may be incomplete; treat it as a contract with errors.
        if (!(error instanceof UsageError)) {
          throw error;
        }
        return { problems: [{ severity: 'error', message: error.message }], written: [] };
      },
    );
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
    if (document && (mockUrl === undefined || written.length > 0)) {
      serveMock(document);
    }
    return written.length === 0 ? 'same' : 'written';
  }

  function serveMock(document: OpenApiDocument): void {
    try {
      mockUrl = mock?.serve(document);
    } catch (error) {
      if (!(error instanceof UsageError)) {
        throw error;
      }
      mockUrl = undefined;
      log(`operations without a handler return 501 instead of values of a mock: ${error.message}`);
    }
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
    outdatedServer = false;
    await process.restart(mockUrl === undefined ? {} : { COLOPHON_MOCK_URL: mockUrl });
    log(stepLine('server', performance.now() - start, `started ${server}`));
  }

  async function work(first?: readonly string[]): Promise<void> {
    let changed = first;
    do {
      await round(changed).catch((error: unknown) => {
        // Ctrl-C also terminates the type check.
        if (closed) {
          return;
        }
        log(`a step did not complete: ${error instanceof Error ? (error.stack ?? error.message) : error}`);
      });
      changed = pending;
      pending = [];
    } while (changed.length > 0 && !closed);
    working = undefined;
  }

  const generatedFiles = Object.values(generatedPaths(project));
  const isRelevant = (path: string) =>
    !generatedFiles.includes(path) &&
    (isContract(project, path) || isCode(project, path) || isImported(path));
  const report = (relevant: string[]) => {
    log(
      `changed: ${relevant.slice(0, 3).join(', ')}${relevant.length > 3 ? ` and ${relevant.length - 3} more` : ''}`,
    );
    const toolchainFolder = `${relative(project.root, import.meta.dirname)
      .split(sep)
      .join('/')}/`;
    if (relevant.some((path) => path.startsWith(toolchainFolder))) {
      log('the toolchain changed: restart this command to apply the change');
    }
    if (working === undefined) {
      working = work(relevant);
    } else {
      pending.push(...relevant);
    }
  };
  const watcher = watchFolders(project.root, watch, { debounceMs: DEBOUNCE_MS, isRelevant, report });
  working = work();
  await working;

  return {
    async close() {
      closed = true;
      watcher.close();
      await working;
      await process?.stop();
      await mock?.close();
      await rm(cacheFolder, { recursive: true, force: true });
    },
  };
}

/** Whether a file is part of the contract: TypeSpec and the scripts that it loads, or the OpenAPI document. */
function isContract(project: Project, path: string): boolean {
  if (!isTypeSpec(project)) {
    return path === project.contract;
  }
  const folder = contractFolder(project);
  const isInside = folder === '.' || path.startsWith(`${folder}/`);
  return (isInside && /\.(tsp|m?js)$/.test(path)) || /(^|\/)tspconfig\.yaml$/.test(path);
}

/** Whether the type check may read a file: a module, or the configuration of the compiler. */
function isCode(project: Project, path: string): boolean {
  return path === project.tsconfig || /\.[cm]?[jt]sx?$/.test(path);
}
