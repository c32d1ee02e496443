// The commands as the scripts of this repository run them: `npm run generate`.
import { createProgram } from './program.ts';

await createProgram({ name: 'toolchain', run: 'npm run' }).parseAsync();
