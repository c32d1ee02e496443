/** The module that each thread of SAML runs. */
import { serveTasks } from '../../../threads/threads.ts';
import { samlTasks } from './tasks.ts';

serveTasks(samlTasks);
