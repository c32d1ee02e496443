// Entry of the commands in the npm package: `npx colophon generate`.
import { createProgram } from './program.ts';

await createProgram({ name: 'colophon', run: 'npx colophon' }).parseAsync();
