// Entry of the commands for the npm scripts of this repository: `npm run generate`.
import { keepCompiledModules } from './cache/compiled-modules.ts';

keepCompiledModules();
const { createProgram } = await import('./program.ts');
await createProgram({ name: 'toolchain', run: 'npm run' }).parseAsync();
