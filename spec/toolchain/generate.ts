import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { createContractCompiler } from './compile.ts';
import type { OpenApiDocument } from './document.ts';
import { normalise } from './normalise.ts';
import { operationRows, operationTableSource } from './operation-table.ts';
import { hasErrors, type Problem } from './problem.ts';
import { commandLine, type Project, pathIn } from './project.ts';
import { schemaTypes } from './schema-types.ts';

/** One generated file in memory. */
export interface GeneratedFile {
  /** Relative to the project's root. */
  path: string;
  text: string;
}

/** What a contract makes; no files when it has errors. */
export interface Made {
  files: GeneratedFile[];
  problems: Problem[];
}

/** How a file on disk differs from what the contract makes. */
export interface Drift {
  path: string;
  /** The first line that differs, from 1. */
  line: number;
  /** That line as the contract makes it; absent past the end. */
  expected?: string;
  /** That line as it stands; absent past the end, or when there is no such file. */
  found?: string;
}

/** Makes the generated files of a contract in memory, again and again: the compilers stay loaded between. */
export interface Generator {
  make(): Promise<Made>;
}

/** A generator over one project. */
export function createGenerator(project: Project): Generator {
  const compiler = createContractCompiler(project);
  let last: { document: string; files: GeneratedFile[] } | undefined;
  return {
    async make() {
      const { document, problems } = await compiler.compile();
      if (document === undefined) return { files: [], problems };
      const normal = normalise(document);
      const text = JSON.stringify(normal);
      if (last?.document === text) return { files: last.files, problems };
      const table = operationRows(normal);
      const all = [...problems, ...table.problems.map((problem) => ({ file: project.contract, ...problem }))];
      if (hasErrors(all)) return { files: [], problems: all };
      const files = await render(project, normal, operationTableSource(table.rows));
      last = { document: text, files };
      return { files, problems: all };
    },
  };
}

async function render(project: Project, document: OpenApiDocument, table: string): Promise<GeneratedFile[]> {
  const by = commandLine(project, 'generate');
  const header = `// Generated from ${project.contract} by \`${by}\`. Do not edit: change the contract and run the command.\n\n`;
  const headed = { ...document, info: { ...document.info, 'x-generated': { from: project.contract, by } } };
  return [
    { path: `${project.generated}/openapi.json`, text: `${JSON.stringify(headed, null, 2)}\n` },
    { path: `${project.generated}/schema.d.ts`, text: header + (await schemaTypes(document)) },
    { path: `${project.generated}/operations.ts`, text: header + table },
  ];
}

/** What {@link generate} did. */
export interface Generated {
  /** Errors mean that nothing was written. */
  problems: Problem[];
  /** The files that were written: only those that changed. */
  written: string[];
}

/** Brings the generated files up to the contract; a file that is right already is not touched. */
export async function generate(project: Project, generator = createGenerator(project)): Promise<Generated> {
  const { files, problems } = await generator.make();
  const written: string[] = [];
  for (const file of files) {
    const path = pathIn(project, file.path);
    if ((await readIfThere(path)) === file.text) continue;
    await mkdir(dirname(path), { recursive: true });
    // Renamed into place, so that nobody reads half a file.
    await writeFile(`${path}.new`, file.text);
    await rename(`${path}.new`, path);
    written.push(file.path);
  }
  return { problems, written };
}

/** How the generated files differ from what the contract makes now; writes nothing. */
export async function findDrift(
  project: Project,
  generator = createGenerator(project),
): Promise<{ problems: Problem[]; drifts: Drift[] }> {
  const { files, problems } = await generator.make();
  const drifts: Drift[] = [];
  for (const file of files) {
    const found = await readIfThere(pathIn(project, file.path));
    if (found !== file.text) drifts.push({ path: file.path, ...firstDifference(file.text, found ?? '') });
  }
  return { problems, drifts };
}

function firstDifference(expected: string, found: string): Omit<Drift, 'path'> {
  const wanted = expected.split('\n');
  const present = found === '' ? [] : found.split('\n');
  const length = Math.max(wanted.length, present.length);
  let index = 0;
  while (index < length && wanted[index] === present[index]) index += 1;
  const [want, have] = [wanted[index], present[index]];
  return {
    line: index + 1,
    ...(want === undefined ? {} : { expected: want }),
    ...(have === undefined ? {} : { found: have }),
  };
}

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}
