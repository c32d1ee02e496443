import { body, closed, counter, documentOf, found, type Habit, inPath, ref, responses } from '../habit.ts';

/** Soft deletion: a deleted resource is still readable, as deleted, and lists omit it. */
export const softDeletion: Habit = {
  document: documentOf(
    {
      '/tasks': {
        get: { operationId: 'listTasks', responses: responses(200, { type: 'array', items: ref('Task') }) },
        post: {
          operationId: 'createTask',
          requestBody: body(closed({ title: { type: 'string', maxLength: 9 } }, ['title'])),
          responses: responses(201, ref('Task')),
        },
      },
      '/tasks/{taskId}': {
        parameters: [inPath('taskId')],
        get: { operationId: 'getTask', responses: responses(200, ref('Task')) },
        delete: { operationId: 'deleteTask', responses: responses(200, ref('Task')) },
      },
    },
    {
      Task: closed(
        {
          id: { type: 'string' },
          title: { type: 'string', maxLength: 9 },
          status: { enum: ['open', 'deleted'] },
        },
        ['id', 'title', 'status'],
      ),
    },
  ),
  faults: { 'keeps deleted tasks open': 'read-after-delete' },
  handlers(fault) {
    const tasks = new Map<string, { id: string; title: string; status: string }>();
    const next = counter('task');
    return {
      listTasks: () => ({ status: 200, body: [...tasks.values()].filter(({ status }) => status === 'open') }),
      createTask: ({ body }) => {
        const task = { id: next(), ...(body as { title: string }), status: 'open' };
        tasks.set(task.id, task);
        return { status: 201, body: task };
      },
      getTask: ({ path }) => ({ status: 200, body: found(tasks.get(path.taskId ?? '')) }),
      deleteTask: ({ path }) => {
        const task = found(tasks.get(path.taskId ?? ''));
        task.status = fault === undefined ? 'deleted' : 'open';
        return { status: 200, body: { ...task, status: 'deleted' } };
      },
    };
  },
};
