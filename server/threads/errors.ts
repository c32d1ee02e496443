/** The thread pool is overloaded. The task was not started and can be retried. */
export class ThreadsBusyError extends Error {
  override readonly name = 'ThreadsBusyError';
}

/** A task exceeded its time or memory limit. Retrying does not help. */
export class TaskLimitError extends Error {
  override readonly name = 'TaskLimitError';
  readonly limit: 'time' | 'memory';

  constructor(task: string, limit: 'time' | 'memory') {
    super(`The task ${task} exceeded its ${limit} limit. Reduce its input.`);
    this.limit = limit;
  }
}
