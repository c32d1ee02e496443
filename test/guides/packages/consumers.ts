import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { Project } from '../../support/packages.ts';
import { COMPILER, OLDER_COMPILER } from '../../support/processes/program.ts';

/** Settings of the compilers of users: ES modules, a bundler, and CommonJS. */
export const consumers = {
  nodenext: { file: 'consumer.ts', module: 'nodenext', moduleResolution: 'nodenext' },
  bundler: { file: 'consumer.ts', module: 'esnext', moduleResolution: 'bundler' },
  commonjs: { file: 'consumer.cts', module: 'node16', moduleResolution: 'node16' },
} as const;

/** Type-checks a module in a project that installed a package, with each compiler that the project may have. */
export async function expectTypes(
  { project, run }: Project,
  consumer: keyof typeof consumers,
  text: string,
  options: object = {},
): Promise<void> {
  const { file, ...resolution } = consumers[consumer];
  const folder = join(project, 'consumers', consumer);
  await mkdir(folder, { recursive: true });
  const compilerOptions = {
    ...resolution,
    target: 'es2022',
    lib: ['es2022', 'dom', 'dom.iterable'],
    strict: true,
    exactOptionalPropertyTypes: true,
    noEmit: true,
    types: [],
    ...options,
  };
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: [file] }));
  await writeFile(join(folder, file), text);
  for (const compiler of [COMPILER, OLDER_COMPILER]) {
    const outcome = run(process.execPath, compiler, '-p', folder).catch(({ stdout }) => stdout);
    expect(await outcome, compiler).toBe('');
  }
}
