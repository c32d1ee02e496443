// The program of job processes, which the server starts.
import { runJobProcess } from './job-process.ts';
import { registerWorkers } from './workers.ts';

await runJobProcess(registerWorkers);
