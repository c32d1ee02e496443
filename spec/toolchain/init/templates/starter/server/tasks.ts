import { notFound } from '@colophon/toolkit/server';
import type { Task, TaskCreate, TaskList, TaskPatch } from '../generated/schema.d.ts';

/** Tasks in memory, in the order of their creation. Replace the implementation with a database. */
export class TaskStore {
  readonly #tasks = new Map<string, Task>();
  #lastNumber = 0;

  list({
    status,
    after,
    limit,
  }: {
    status: Task['status'] | undefined;
    after: number;
    limit: number;
  }): TaskList {
    const matching = [...this.#tasks.values()].filter(
      (task) => numberOf(task) > after && (status === undefined || task.status === status),
    );
    const items = matching.slice(0, limit);
    const last = items.at(-1);
    const next = last && matching.length > limit ? { next: { page: String(numberOf(last)) } } : {};
    return { items, ...next };
  }

  create(fields: TaskCreate): Task {
    this.#lastNumber += 1;
    const id = `task_${this.#lastNumber}`;
    const task: Task = { ...fields, id, status: 'open', createdAt: new Date().toISOString() };
    this.#tasks.set(id, task);
    return task;
  }

  /** @throws ContractError 404 */
  get(id: string): Task {
    const task = this.#tasks.get(id);
    if (task === undefined) {
      throw notFound('task');
    }
    return task;
  }

  /** @throws ContractError 404 */
  update(id: string, { dueDate, ...changes }: TaskPatch): Task {
    const { dueDate: previous, ...task } = this.get(id);
    const next = dueDate === undefined ? previous : dueDate;
    const updated: Task = { ...task, ...changes, ...(next && { dueDate: next }) };
    this.#tasks.set(id, updated);
    return updated;
  }

  /** @throws ContractError 404 */
  delete(id: string): void {
    this.#tasks.delete(this.get(id).id);
  }
}

function numberOf({ id }: Task): number {
  return Number(id.slice('task_'.length));
}
