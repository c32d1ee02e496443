import { describe, expect, test } from 'vitest';
import { fieldInvalid } from '../../../server/contract/errors.ts';
import { DatabaseUnavailableError } from '../../../server/database/errors.ts';
import { pageLimitExceeded, spaceLocked } from '../../../server/errors/errors.ts';
import { JobFailure, JobStopped, JobTimeout } from '../../../server/jobs/kinds.ts';
import { OutgoingError } from '../../../server/outgoing/errors.ts';
import {
  isPermanent,
  runFailureOf,
  runFailureOfProcess,
} from '../../../server/platform/content/runs/failures.ts';
import { TaskLimitError } from '../../../server/threads/threads.ts';

const running = new AbortController().signal;

describe('the failure of a run', () => {
  test.each([
    ['unreachable', new OutgoingError('unresolved', 'No host.')],
    ['timeout', new OutgoingError('timeout', 'Slow.')],
    ['refused', new OutgoingError('refused-address', 'Private.')],
    ['remote_error', new OutgoingError('failed', 'Rejected.')],
    ['source_invalid', fieldInvalid('url', 'must be a document')],
    ['space_locked', spaceLocked()],
    ['limit_exceeded', pageLimitExceeded(10)],
  ] as const)('is %s with the message of the error', (reason, error) => {
    expect(runFailureOf(error, running)).toEqual({ reason, message: error.message });
  });

  test.each([
    ['internal_error', new Error('connect ECONNREFUSED 10.0.0.5:5432')],
    ['internal_error', new JobFailure('No worker is registered for jobs of kind x.')],
    ['limit_exceeded', new TaskLimitError('importSource', 'memory')],
    ['limit_exceeded', new RangeError('Array buffer allocation failed')],
    ['internal_error', new RangeError('Invalid array length')],
  ] as const)('is %s without internal names', (reason, error) => {
    const failure = runFailureOf(error, running);
    expect(failure?.reason).toBe(reason);
    expect(failure?.message).not.toMatch(/10\.0\.0\.5|importSource|worker/);
  });

  test('is the time limit of the job, whatever error it led to', () => {
    const timedOut = AbortSignal.abort(new JobTimeout(15 * 60_000));
    expect(runFailureOf(new OutgoingError('aborted', 'Aborted.'), timedOut)).toEqual({
      reason: 'timeout',
      message: expect.stringContaining('15 minutes'),
    });
  });

  test.each([
    ['limit_exceeded', 'failed after ending its process three times: heap out of memory'],
    ['limit_exceeded', 'failed after ending its process three times: out of memory'],
    ['limit_exceeded', 'failed after ending its process three times: buffers of more than 1024 MB'],
    ['interrupted', 'failed after ending its process three times: signal SIGKILL'],
  ])('of a process that ended is %s: %s', (reason, cause) => {
    expect(runFailureOfProcess(cause)).toMatchObject({ reason });
  });

  test('is none while the job continues later', () => {
    const stopped = AbortSignal.abort(new JobStopped('The server is stopping.'));
    expect(runFailureOf(new OutgoingError('aborted', 'Aborted.'), stopped)).toBeUndefined();
    const outage = new DatabaseUnavailableError('unreachable');
    expect(runFailureOf(outage, running)).toBeUndefined();
  });

  test('is permanent if only the caller can resolve it', () => {
    expect(isPermanent(new OutgoingError('not-found', 'Gone.'))).toBe(true);
    expect(isPermanent(spaceLocked())).toBe(true);
    expect(isPermanent(new OutgoingError('unreachable', 'Down.'))).toBe(false);
    expect(isPermanent(new Error('Bug.'))).toBe(false);
  });
});
