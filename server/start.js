// The program of `npm start`: that of `main.ts`, which is loaded from the cache of compiled code, too.
import { useCompileCache } from './process/compile-cache.js';

useCompileCache();
await import('./main.ts');
