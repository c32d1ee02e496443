// The commands as the npm package installs them: `npx colophon generate`.
import { createProgram } from './program.ts';

await createProgram({ name: 'colophon', run: 'npx colophon' }).parseAsync();
