/** The module that each thread for printing PDFs runs. */
import { serveTasks } from '../../threads/threads.ts';
import { pdfTasks } from './tasks.ts';

serveTasks(pdfTasks);
