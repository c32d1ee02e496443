// The program of the server. What it imports first is loaded without the cache of compiled code.
import { useCompileCache } from './process/compile-cache.js';

useCompileCache();
const { runProgram } = await import('./process/program.ts');
await runProgram(process.argv.slice(2));
