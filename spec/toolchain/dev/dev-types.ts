import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { programCache } from '../cache/checked-program.ts';
import { createHandlerFinder, type FindHandlerFile, missingHandlerMessage } from '../check/handler-files.ts';
import { typeCheck } from '../check/type-check.ts';
import { isObject } from '../document.ts';
import { formatProblem } from '../problem.ts';
import { type Project, pathIn } from '../project.ts';
import { count, stepLine } from '../report/text.ts';

/** Options of {@link DevTypes}. */
export interface DevTypesOptions {
  /** Script of the server, relative to the root; undefined if none runs. */
  server: string | undefined;
  log(line: string): void;
  /** Folder of what the compiler reuses, if the project has none. */
  cacheFolder: string;
}

/** The type checks of a development loop, and the operations without a handler, which they report unless code has none. */
export class DevTypes {
  readonly #project: Project;
  readonly #options: DevTypesOptions;
  #isClosed = false;
  /** Resolves after the current type check, with the operations that it reported as without a handler. */
  #checked: Promise<ReadonlySet<string>> = Promise.resolve(new Set());
  #finder: Promise<FindHandlerFile> | undefined;

  constructor(project: Project, options: DevTypesOptions) {
    this.#project = project;
    this.#options = options;
  }

  close(): void {
    this.#isClosed = true;
  }

  /** Forgets where handlers are, because files changed. */
  forgetFiles(): void {
    this.#finder = undefined;
  }

  /** Checks the types, and reports their errors. */
  async check(): Promise<void> {
    this.#checked = this.#check();
    await this.#checked;
  }

  async #check(): Promise<ReadonlySet<string>> {
    const { log, cacheFolder } = this.#options;
    const { tsconfig } = this.#project;
    if (!existsSync(pathIn(this.#project, tsconfig))) {
      log(stepLine('types', 0, `skipped: ${tsconfig} does not exist`));
      return new Set();
    }
    const start = performance.now();
    const problems = await typeCheck(
      this.#project,
      programCache(this.#project) ?? join(cacheFolder, 'types'),
    );
    for (const problem of problems) {
      log(formatProblem(problem));
    }
    const text = problems.length === 0 ? 'no errors' : count(problems.length, 'error');
    log(stepLine('types', performance.now() - start, text));
    return new Set(problems.flatMap(({ operation }) => operation ?? []));
  }

  /** Reports an operation without a handler, unless the type check does: code without types, or with a cast. */
  async onServerMessage(message: unknown): Promise<void> {
    const { server, log } = this.#options;
    if (server === undefined || !isObject(message) || typeof message.missingHandler !== 'string') {
      return;
    }
    const operation = message.missingHandler;
    // If the type check does not complete, its error is reported where it was started.
    const reported = await this.#checked.catch(() => new Set());
    if (this.#isClosed || reported.has(operation)) {
      return;
    }
    this.#finder ??= createHandlerFinder(this.#project, [server]);
    const file = await this.#finder.then(
      (find) => find(operation),
      () => undefined,
    );
    log(file === undefined ? `${operation} has no handler` : missingHandlerMessage(operation, file));
  }
}
