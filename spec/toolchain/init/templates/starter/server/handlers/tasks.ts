import type { HandlersOf } from '../contract.ts';

/** Handlers of the operations with the tag "Tasks". */
export const tasksHandlers: HandlersOf<'Tasks'> = {
  listTasks: async ({ query: { status, page = '0', limit } }, { tasks }) =>
    tasks.list({ status, after: Number(page), limit }),

  createTask: async ({ body }, { tasks }) => tasks.create(body),

  getTask: async ({ path }, { tasks }) => tasks.get(path.taskId),

  updateTask: async ({ path, body }, { tasks }) => tasks.update(path.taskId, body),

  deleteTask: async ({ path }, { tasks }) => tasks.delete(path.taskId),
};
