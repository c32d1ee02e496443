// The program of job processes, which the server starts.
import { useCompileCache } from './compile-cache.ts';

useCompileCache();
const { runJobProcess } = await import('./job-process.ts');
const { registerWorkers } = await import('./workers.ts');
await runJobProcess(registerWorkers);
