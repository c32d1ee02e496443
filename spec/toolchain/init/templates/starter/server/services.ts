import { TaskStore } from './tasks.ts';

/** What handlers use. Tests create their own. */
export interface Services {
  tasks: TaskStore;
}

export function createServices(): Services {
  return { tasks: new TaskStore() };
}
