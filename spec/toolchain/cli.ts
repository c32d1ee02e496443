// Entry of the commands for the npm scripts of this repository: `npm run generate`.
import { createProgram } from './program.ts';

await createProgram({ name: 'toolchain', run: 'npm run' }).parseAsync();
