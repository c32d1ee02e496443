import { createGenerator } from '../generate/generate.ts';
import { unsupportedLines } from '../generate/unsupported-operations.ts';
import { formatProblem, hasErrors } from '../problem.ts';
import type { Project } from '../project.ts';
import { UsageError } from '../usage-error.ts';
import type { MockOptions } from './listen.ts';

/** A running mock. */
export interface RunningMock {
  /** Base URL, with the path of the contract's first server. */
  url: string;
  close(): Promise<void>;
}

/**
 * Compiles a contract and serves it without handlers. The generated files are not read and not written.
 *
 * @throws {UsageError} if the contract has errors or cannot be served
 */
export async function startMock(project: Project, options: MockOptions): Promise<RunningMock> {
  const { document, problems } = await createGenerator(project).run();
  if (document === undefined || hasErrors(problems)) {
    throw new UsageError(`The contract has errors:\n${problems.map(formatProblem).join('\n')}`);
  }
  for (const line of unsupportedLines({ problems })) {
    options.log(line);
  }
  // Loaded only here: most commands do without the server runtime.
  const { listenMock } = await import('./listen.ts');
  const server = await listenMock(project, options);
  try {
    return { url: server.serve(document), close: server.close };
  } catch (error) {
    await server.close();
    throw error;
  }
}
