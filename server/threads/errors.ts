/** More work is waiting than the threads can do in time: nothing was done, and the same may be tried again. */
export class ThreadsBusyError extends Error {
  override readonly name = 'ThreadsBusyError';
}

/** A task took more time or memory than it may. Trying again does not help. */
export class TaskLimitError extends Error {
  override readonly name = 'TaskLimitError';
  readonly limit: 'time' | 'memory';

  constructor(task: string, limit: 'time' | 'memory') {
    super(`The task ${task} exceeded its ${limit} limit. Reduce its input.`);
    this.limit = limit;
  }
}
