import { ContractError } from '../../../contract/errors.ts';
import { DatabaseUnavailableError } from '../../../database/errors.ts';
import type { StoredFailureReason } from '../../../database/schema/content/runs.ts';
import { isMemoryCause } from '../../../jobs/child.ts';
import { JobFailure, JobStopped, JobTimeout } from '../../../jobs/kinds.ts';
import { OutgoingError, type OutgoingErrorCode } from '../../../outgoing/errors.ts';
import { TaskLimitError } from '../../../threads/threads.ts';
import { INTERRUPTED } from './present.ts';
import type { RunFailure } from './record.ts';

/** A permanent failure of the job of a run, with its cause for the caller. */
export class RunRefusal extends JobFailure {
  readonly failure: RunFailure;

  constructor(failure: RunFailure) {
    super(failure.message);
    this.failure = failure;
  }
}

const OUTGOING_REASONS: Readonly<Record<Exclude<OutgoingErrorCode, 'aborted'>, StoredFailureReason>> = {
  'invalid-url': 'refused',
  'invalid-ref': 'refused',
  'refused-protocol': 'refused',
  'refused-address': 'refused',
  'refused-redirect': 'refused',
  unresolved: 'unreachable',
  unreachable: 'unreachable',
  authentication: 'authentication_failed',
  'not-found': 'not_found',
  moved: 'branch_diverged',
  'too-large': 'limit_exceeded',
  timeout: 'timeout',
  failed: 'remote_error',
};

/** Messages of V8 and of Node about an allocation that the limit of memory of a process does not admit. */
const FAILED_ALLOCATION = /array buffer allocation failed|failed to allocate memory/i;

const isFailedAllocation = (error: unknown): boolean =>
  error instanceof RangeError && FAILED_ALLOCATION.test(error.message);

const exceededLimit = (limit: TaskLimitError['limit']): RunFailure => ({
  reason: 'limit_exceeded',
  message: `Processing the content exceeds the ${limit} limit. Reduce the content, or divide it.`,
});

/**
 * Returns the cause of a failed run for the caller: the message of an error that is meant for callers, otherwise a
 * general one, because other messages may contain internal names. Returns undefined if the run has not failed, because
 * its job was stopped and continues later.
 */
export function runFailureOf(error: unknown, signal: AbortSignal): RunFailure | undefined {
  const { reason } = signal;
  if (reason instanceof JobTimeout) {
    const minutes = Math.round(reason.timeoutMs / 60_000);
    const message = `The operation took longer than ${minutes} minutes. Reduce the content, or start it again.`;
    return { reason: 'timeout', message };
  }
  if (reason instanceof JobStopped || error instanceof DatabaseUnavailableError) {
    return undefined;
  }
  if (error instanceof RunRefusal) {
    return error.failure;
  }
  if (error instanceof OutgoingError && error.code !== 'aborted') {
    return { reason: OUTGOING_REASONS[error.code], message: error.message };
  }
  if (error instanceof TaskLimitError) {
    return exceededLimit(error.limit);
  }
  if (isFailedAllocation(error)) {
    return exceededLimit('memory');
  }
  if (error instanceof ContractError && error.status < 500) {
    return { reason: contractReason(error), message: error.message };
  }
  if (signal.aborted) {
    return { reason: 'interrupted', message: 'The caller aborted the request. Start it again.' };
  }
  const message =
    'An unexpected error occurred. Start the operation again; if it fails again, contact support.';
  return { reason: 'internal_error', message };
}

/**
 * Returns the cause of a failed run, for the caller, if the last attempt recorded none because its process ended.
 *
 * @param cause why the process ended
 */
export const runFailureOfProcess = (cause: string): RunFailure =>
  isMemoryCause(cause) ? exceededLimit('memory') : INTERRUPTED;

function contractReason({ status, reason }: ContractError): StoredFailureReason {
  if (reason === 'space_locked' || reason === 'quota_exceeded') {
    return reason;
  }
  if (status === 400) {
    return 'source_invalid';
  }
  return /^(?:file|page)_\w+_exceeded$/.test(reason) ? 'limit_exceeded' : 'superseded';
}

/** Whether the same attempt would fail again, because only the caller can resolve the cause. */
export function isPermanent(error: unknown): error is Error {
  return (
    (error instanceof OutgoingError && !error.transient && error.code !== 'aborted') ||
    (error instanceof ContractError && error.status < 500)
  );
}
