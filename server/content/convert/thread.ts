/** Entry point of threads that import content. */
import { serveTasks } from '../../threads/threads.ts';
import { importTasks } from './tasks.ts';

serveTasks(importTasks);
