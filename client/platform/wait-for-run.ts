import { ApiError } from '../errors.ts';
import { pause, type Runtime, systemRuntime } from '../runtime.ts';
import type { Result } from '../types.ts';
import { ok } from '../unwrap.ts';
import type { Client, Schemas } from './client.ts';

/** Git import or export of a space. */
export type GitRun = Schemas['GitRun'];

/** Identifiers of a run. */
export interface RunReference {
  spaceId: string;
  runId: string;
}

/** Options of `waitForRun`. */
export interface WaitForRunOptions {
  /** Maximum time to wait in milliseconds. Default: 900,000 (15 minutes); `Infinity` for no limit. */
  timeout?: number | undefined;

  /** Aborts the wait. The run itself continues. */
  signal?: AbortSignal | undefined;

  /** Called with each state of the run that was retrieved, the last one included. */
  onProgress?: ((run: GitRun) => void) | undefined;

  /** Clock and random numbers. Only tests need to pass it. */
  runtime?: Runtime | undefined;
}

const DEFAULT_TIMEOUT_MS = 15 * 60_000;
/** Wait before the second retrieval. Each further wait is longer by half, up to the maximum. */
const FIRST_WAIT_MS = 40;
const MAX_WAIT_MS = 5_000;

/**
 * Error of a run that failed. Its message and `reason` are those of the failure.
 *
 * @example
 * try {
 *   await waitForRun(client, started)
 * } catch (error) {
 *   if (error instanceof RunFailedError && error.reason === 'authentication_failed') return askForToken()
 *   throw error
 * }
 */
export class RunFailedError extends Error {
  override readonly name = 'RunFailedError';

  /** The failed run, with the problems that were found. */
  readonly run: GitRun;

  /** Machine-readable cause. Newer servers can return further causes. */
  readonly reason: Schemas['RunFailureReason'] | undefined;

  constructor(run: GitRun) {
    super(run.failure?.message ?? `The ${run.direction} failed.`);
    this.run = run;
    this.reason = run.failure?.reason;
  }
}

/**
 * Waits until a Git import or export has ended, and returns its run.
 *
 * @param client client to call
 * @param started the call that started it, such as `client.POST('/v1/spaces/{spaceId}/git/import', …)`, or the
 * identifiers of its run
 * @returns the completed run, with its counts and the problems of the repository
 * @throws RunFailedError when the run has failed
 * @throws ApiError when the import could not be started or the run cannot be retrieved; of kind `timeout` after the
 * timeout, of kind `aborted` when the signal is aborted
 *
 * @example
 * const run = await waitForRun(client, client.POST('/v1/spaces/{spaceId}/git/import', { params, body }))
 * console.log(run.counts.pages, run.problems)
 */
export async function waitForRun(
  client: Pick<Client, 'GET'>,
  started: RunReference | Promise<Result<unknown>>,
  options: WaitForRunOptions = {},
): Promise<GitRun> {
  const { timeout = DEFAULT_TIMEOUT_MS, signal, onProgress, runtime = systemRuntime } = options;
  if (!(timeout > 0)) {
    throw new RangeError(`timeout is ${timeout}, but must be a number of milliseconds greater than 0.`);
  }
  const deadline = new AbortController();
  const cancelTimer = runtime.after(timeout, () =>
    deadline.abort(new DOMException(`The run took longer than ${timeout} ms.`, 'TimeoutError')),
  );
  const ended = signal === undefined ? deadline.signal : AbortSignal.any([deadline.signal, signal]);
  try {
    const path = 'spaceId' in started ? started : await startedRun(started);
    for (let wait = FIRST_WAIT_MS; ; wait = Math.min(wait * 1.5, MAX_WAIT_MS)) {
      const call = client.GET('/v1/spaces/{spaceId}/git/runs/{runId}', { params: { path }, signal: ended });
      const run = await ok(call);
      onProgress?.(run);
      if (run.status === 'completed') {
        return run;
      }
      if (run.status === 'failed') {
        throw new RunFailedError(run);
      }
      // The jitter spreads the requests of clients that started at the same time. The next call checks the signal.
      await pause(runtime, wait * (0.75 + runtime.random() / 2), ended);
    }
  } finally {
    cancelTimer();
  }
}

const LOCATION_PATTERN = /\/v1\/spaces\/([^/?#]+)\/git\/runs\/([^/?#]+)$/;

/** Returns the run that a call started, by the `Location` of its response. */
async function startedRun(call: Promise<Result<unknown>>): Promise<RunReference> {
  const result = await call;
  await ok(Promise.resolve(result));
  const [, spaceId, runId] = LOCATION_PATTERN.exec(result.response.headers.get('Location') ?? '') ?? [];
  if (spaceId === undefined || runId === undefined) {
    const message = 'The response has no `Location` of a run. Pass the call of a Git import or export.';
    throw new ApiError({ ...result.request, kind: 'response', message, status: result.response.status });
  }
  return { spaceId: decodeURIComponent(spaceId), runId: decodeURIComponent(runId) };
}
