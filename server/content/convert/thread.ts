/** The module that each thread runs which imports content. */
import { serveTasks } from '../../threads/threads.ts';
import { importTasks } from './tasks.ts';

serveTasks(importTasks);
