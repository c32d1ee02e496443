/** The module that each thread runs which prints PDFs. */
import { serveTasks } from '../../threads/threads.ts';
import { pdfTasks } from './tasks.ts';

serveTasks(pdfTasks);
