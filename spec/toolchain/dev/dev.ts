import { realpathSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, posix, relative, sep } from 'node:path';
import { projectModules } from '../check/module-graph.ts';
import type { OpenApiDocument } from '../document.ts';
import { createGenerator, type GenerateResult, type Generator, generate } from '../generate/generate.ts';
import type { MockServer } from '../mock/listen.ts';
import { formatProblem, hasErrors } from '../problem.ts';
import { generatedPaths, isCodeFile, isContractFile, type Project, pathIn } from '../project.ts';
import { stepLine } from '../report/text.ts';
import { UsageError } from '../usage-error.ts';
import { DevTypes } from './dev-types.ts';
import { createServerProcess, type ServerProcess } from './server-process.ts';
import { type Watcher, watchFolders } from './watch.ts';

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
export async function startDev(project: Project, options: DevOptions): Promise<Dev> {
  const cacheFolder = await mkdtemp(join(tmpdir(), 'type-check-'));
  const { mockMissing, log } = options;
  const mock = mockMissing
    ? await (await import('../mock/listen.ts')).listenMock(project, {
        port: 0,
        host: '127.0.0.1',
        log: (line) => log(`mock: ${line}`),
      })
    : undefined;
  const loop = new DevLoop(project, options, { cacheFolder, mock });
  await loop.start();
  return loop;
}

class DevLoop implements Dev {
  readonly #project: Project;
  readonly #server: string | undefined;
  readonly #watched: DevOptions['watch'];
  readonly #log: DevOptions['log'];
  readonly #cacheFolder: string;
  readonly #types: DevTypes;
  readonly #generator: Generator;
  readonly #process: ServerProcess | undefined;
  readonly #mock: MockServer | undefined;
  readonly #realRoot: string;
  readonly #generatedFiles: readonly string[];
  #mockUrl: string | undefined;
  #watcher: Watcher | undefined;
  /** Files of the contract that its folder and name do not reveal. */
  #sources: ReadonlySet<string> = new Set();
  #isClosed = false;
  /** Changed files that the next round concerns. */
  #pending: string[] = [];
  #working: Promise<void> | undefined;
  #areTypesOutdated = true;
  #isServerOutdated = true;

  constructor(
    project: Project,
    { server, watch, log }: DevOptions,
    { cacheFolder, mock }: { cacheFolder: string; mock: MockServer | undefined },
  ) {
    this.#project = project;
    this.#server = server;
    this.#watched = watch;
    this.#log = log;
    this.#cacheFolder = cacheFolder;
    this.#types = new DevTypes(project, { server, log, cacheFolder });
    this.#generator = createGenerator(project);
    this.#process =
      server === undefined
        ? undefined
        : createServerProcess({
            entry: server,
            cwd: project.root,
            log,
            onMessage: (message) => this.#types.onServerMessage(message),
          });
    this.#mock = mock;
    this.#realRoot = realpathSync(project.root);
    this.#generatedFiles = Object.values(generatedPaths(project));
  }

  /** Resolves after the first round. */
  async start(): Promise<void> {
    this.#watcher = watchFolders(this.#project.root, this.#watched, {
      debounceMs: DEBOUNCE_MS,
      isRelevant: (path) => this.#isRelevant(path),
      report: (relevant) => this.#onChange(relevant),
      warn: (message) => this.#log(message),
    });
    this.#working = this.#work();
    await this.#working;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#types.close();
    this.#watcher?.close();
    await this.#working;
    await this.#process?.stop();
    await this.#mock?.close();
    await rm(this.#cacheFolder, { recursive: true, force: true });
  }

  #isRelevant(path: string): boolean {
    return (
      !this.#generatedFiles.includes(path) &&
      (this.#isContract(path) || isCodeFile(this.#project, path) || this.#isImported(path))
    );
  }

  #isContract(path: string): boolean {
    return isContractFile(this.#project, path) || this.#sources.has(path);
  }

  /**
   * Watches the files that the contract refers to, also in other folders.
   * @param isComplete whether they are all files: a contract with errors may refer to others, which are still watched
   */
  #watchSources(sources: readonly string[], isComplete: boolean): void {
    this.#sources = new Set([...(isComplete ? [] : this.#sources), ...sources]);
    for (const folder of new Set(sources.map((path) => posix.dirname(path)))) {
      this.#watcher?.add(folder);
    }
  }

  #onChange(relevant: string[]): void {
    this.#log(
      `changed: ${relevant.slice(0, 3).join(', ')}${relevant.length > 3 ? ` and ${relevant.length - 3} more` : ''}`,
    );
    const toolchainFolder = `${relative(this.#project.root, import.meta.dirname)
      .split(sep)
      .join('/')}/`;
    if (relevant.some((path) => path.startsWith(toolchainFolder))) {
      this.#log('the toolchain changed: restart this command to apply the change');
    }
    if (this.#working === undefined) {
      this.#working = this.#work(relevant);
    } else {
      this.#pending.push(...relevant);
    }
  }

  async #work(first?: readonly string[]): Promise<void> {
    let changed = first;
    do {
      await this.#round(changed).catch((error: unknown) => {
        // Ctrl-C also terminates the type check.
        if (this.#isClosed) {
          return;
        }
        this.#log(
          `a step did not complete: ${error instanceof Error ? (error.stack ?? error.message) : error}`,
        );
      });
      changed = this.#pending;
      this.#pending = [];
    } while (changed.length > 0 && !this.#isClosed);
    this.#working = undefined;
  }

  /** @param changed paths relative to the root; undefined for the first round */
  async #round(changed?: readonly string[]): Promise<void> {
    const start = performance.now();
    this.#types.forgetFiles();
    const isContractRound = changed === undefined || changed.some((path) => this.#isContract(path));
    const generated = isContractRound ? await this.#regenerate() : 'same';
    const code = changed?.filter((path) => isCodeFile(this.#project, path) || this.#isImported(path)) ?? [];
    this.#areTypesOutdated ||= code.length > 0 || generated === 'written';
    this.#isServerOutdated ||= generated === 'written' || (await this.#concernsServer(code));
    if (this.#isClosed || generated === 'failed' || !this.#areTypesOutdated) {
      return;
    }
    this.#areTypesOutdated = false;
    const checked = this.#types.check();
    // Both end before the next round, which would restart the server a second time.
    const ended = await Promise.allSettled([
      checked,
      this.#isServerOutdated ? this.#restartServer() : undefined,
    ]);
    const failed = ended.find((result) => result.status === 'rejected');
    if (failed) {
      throw failed.reason;
    }
    this.#log(stepLine('ready', performance.now() - start, 'waiting for the next change'));
  }

  #isImported(path: string): boolean {
    return this.#process?.hasImported(join(this.#realRoot, path)) === true;
  }

  /** Whether the server imports one of the changed files, or has exited, perhaps before it could import them. */
  async #concernsServer(code: readonly string[]): Promise<boolean> {
    if (this.#server === undefined || code.length === 0) {
      return false;
    }
    if (!this.#process?.isRunning() || code.some((path) => this.#isImported(path))) {
      return true;
    }
    // The programs that the server starts do not report their imports.
    const files = new Set(code.map((path) => pathIn(this.#project, path)));
    for await (const { file } of projectModules(this.#project, [this.#server])) {
      if (files.has(file)) {
        return true;
      }
    }
    return false;
  }

  async #regenerate(): Promise<'failed' | 'same' | 'written'> {
    const start = performance.now();
    const { document, problems, written, sources } = await generate(this.#project, this.#generator).catch(
      (error: unknown): GenerateResult => {
        // A document that is being written may be incomplete; treat it as a contract with errors.
        if (!(error instanceof UsageError)) {
          throw error;
        }
        return { problems: [{ severity: 'error', message: error.message }], written: [] };
      },
    );
    if (sources !== undefined) {
      this.#watchSources(sources, document !== undefined);
    }
    for (const problem of problems) {
      this.#log(formatProblem(problem));
    }
    const failed = hasErrors(problems);
    const summary = written.length === 0 ? 'nothing changed' : `wrote ${written.join(', ')}`;
    const text = failed ? 'has errors; nothing was written, and the previous server keeps running' : summary;
    this.#log(stepLine('contract', performance.now() - start, text));
    if (failed) {
      return 'failed';
    }
    if (document && (this.#mockUrl === undefined || written.length > 0)) {
      this.#serveMock(document);
    }
    return written.length === 0 ? 'same' : 'written';
  }

  #serveMock(document: OpenApiDocument): void {
    try {
      this.#mockUrl = this.#mock?.serve(document);
    } catch (error) {
      if (!(error instanceof UsageError)) {
        throw error;
      }
      this.#mockUrl = undefined;
      this.#log(`operations without a handler return 501 instead of values of a mock: ${error.message}`);
    }
  }

  async #restartServer(): Promise<void> {
    if (this.#process === undefined || this.#isClosed) {
      return;
    }
    const start = performance.now();
    this.#isServerOutdated = false;
    await this.#process.restart(this.#mockUrl === undefined ? {} : { COLOPHON_MOCK_URL: this.#mockUrl });
    this.#log(stepLine('server', performance.now() - start, `started ${this.#server}`));
  }
}
