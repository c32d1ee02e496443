/** The module that each thread of the content engine runs. */
import { serveTasks } from '../../threads/threads.ts';
import { contentTasks } from './tasks.ts';

serveTasks(contentTasks);
