import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { GeneratorOutput } from '../generate/generate.ts';
import type { Problem } from '../problem.ts';
import type { Project } from '../project.ts';
import { run } from '../run.ts';
import { findTypeScript } from './installed.ts';
import { parseProblems } from './type-check.ts';

/**
 * Reports where generated files do not compile, with the schema or operation. The type check of a project does not, if it
 * skips declaration files (`skipLibCheck`): then their errors make types `any` silently.
 *
 * Copies of the files are compiled, with and without exact optional properties, as sources. That takes a fifth of the time
 * of checking all declaration files, which include those of browsers.
 */
export async function checkGeneratedTypes(project: Project, { files }: GeneratorOutput): Promise<Problem[]> {
  if (files.length === 0) {
    return [];
  }
  const folder = await mkdtemp(join(tmpdir(), 'colophon-types-'));
  try {
    const sources = files.filter(({ path }) => path.endsWith('.ts'));
    const copies = sources.map(({ path, text }) => ({ path, text, name: sourceName(path) }));
    for (const { name, text } of copies) {
      await writeFile(join(folder, name), text.replace("from './schema.d.ts'", "from './schema.ts'"));
    }
    const { command } = findTypeScript(project);
    const outputs = await Promise.all(
      [true, false].map(async (isExact) => {
        const config = join(folder, `tsconfig.${isExact ? 'exact' : 'inexact'}.json`);
        await writeFile(
          config,
          JSON.stringify(
            compilerConfig(
              isExact,
              copies.map(({ name }) => name),
            ),
          ),
        );
        const args = [command, '--pretty', 'false', '-p', config];
        return (await run(process.execPath, args, { cwd: folder })).output;
      }),
    );
    const problems = outputs.flatMap((output) => parseProblems(output));
    const located = problems.map((problem) => {
      const copy = copies.find(({ name }) => name === problem.file);
      return copy === undefined ? problem : withOwner(problem, copy);
    });
    return [...new Map(located.map((problem) => [JSON.stringify(problem), problem])).values()];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const sourceName = (path: string): string => basename(path).replace('.d.ts', '.ts');

function compilerConfig(exactOptionalPropertyTypes: boolean, files: readonly string[]) {
  return {
    compilerOptions: {
      ...{ target: 'es2024', module: 'nodenext', lib: ['es2024', 'dom', 'dom.iterable'], types: [] },
      ...{ strict: true, skipLibCheck: true, allowImportingTsExtensions: true, noEmit: true },
      exactOptionalPropertyTypes,
    },
    files,
  };
}

/** Adds the schema or operation that a declaration belongs to. */
function withOwner(problem: Problem, { path, text }: { path: string; text: string }): Problem {
  const owner = ownerOf(text.split('\n').slice(0, problem.line));
  return { ...problem, file: path, message: `${owner}: ${problem.message}` };
}

/** Interfaces with separate declarations of their members. */
const CONTAINERS = new Set(['components', 'operations', 'paths', 'webhooks']);

/** Returns the name of the declaration that contains the last line. */
function ownerOf(lines: readonly string[]): string {
  let member: string | undefined;
  for (const line of [...lines].reverse()) {
    member ??= /^ {4}("(?:[^"\\]|\\.)*"|[\w$]+)\??: /.exec(line)?.[1];
    const [, name] = /^export (?:type|interface|const|function) ([\w$]+)/.exec(line) ?? [];
    if (name !== undefined) {
      return CONTAINERS.has(name) && member !== undefined ? member : name;
    }
  }
  return 'Imports';
}
