// Entry of the commands in the npm package: `npx colophon generate`. It runs in every version of Node, and imports the
// commands only in those that support them.
import { unsupportedNode } from './node-version.ts';

const reason = unsupportedNode(process.versions.node);
if (reason === undefined) {
  const { keepCompiledModules } = await import('./cache/compiled-modules.ts');
  keepCompiledModules();
  const { createProgram } = await import('./program.ts');
  await createProgram({ name: 'colophon', run: 'npx colophon' }).parseAsync();
} else {
  console.error(`error: ${reason}`);
  process.exitCode = 1;
}
