/** The module that each thread for converting images runs. */
import { serveTasks } from '../../../threads/threads.ts';
import { pictureTasks } from './tasks.ts';

serveTasks(pictureTasks);
