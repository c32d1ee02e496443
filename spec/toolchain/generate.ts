import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { createContractCompiler } from './contract.ts';
import type { OpenApiDocument } from './document.ts';
import { normalise } from './normalise.ts';
import { operationRows, operationTableSource } from './operation-table.ts';
import { hasErrors, type Problem } from './problem.ts';
import { commandLine, generatedPaths, isTypeSpec, type Project, pathIn } from './project.ts';
import { schemaTypes } from './schema-types.ts';

/** One generated file in memory. */
export interface GeneratedFile {
  /** Relative to the project's root. */
  path: string;
  text: string;
}

/** What a contract makes; no files when it has errors. */
export interface Made {
  /** The normalised document, without our header. */
  document?: OpenApiDocument;
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
  let last: { text: string; own: Problem[]; made: Omit<Made, 'problems'> } | undefined;
  return {
    async make() {
      const compiled = await compiler.compile();
      if (compiled.document === undefined) return { files: [], problems: compiled.problems };
      const document = normalise(compiled.document);
      const text = JSON.stringify(document);
      // The types take as long to write as the contract to compile: an edit that changes nothing spares them.
      if (last?.text === text) return { ...last.made, problems: [...compiled.problems, ...last.own] };
      const table = operationRows(document, isTypeSpec(project) ? 'error' : 'warning');
      const own = table.problems.map((problem) => ({ file: project.contract, ...problem }));
      const problems = [...compiled.problems, ...own];
      if (hasErrors(problems)) return { files: [], problems };
      const files = render(project, document, operationTableSource(table.rows));
      last = { text, own, made: { document, files } };
      return { document, files, problems };
    },
  };
}

function render(project: Project, document: OpenApiDocument, table: string): GeneratedFile[] {
  const by = commandLine(project, 'generate');
  const header = `// Generated from ${project.contract} by \`${by}\`. Do not edit: change the contract and run the command.\n\n`;
  const headed = { ...document, info: { ...document.info, 'x-generated': { from: project.contract, by } } };
  const paths = generatedPaths(project);
  return [
    { path: paths.document, text: `${JSON.stringify(headed, null, 2)}\n` },
    { path: paths.types, text: header + schemaTypes(document) },
    { path: paths.table, text: header + table },
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

/** How the files on disk differ from what the contract makes; writes nothing. */
export async function driftOf(project: Project, made: Made): Promise<Drift[]> {
  const drifts: Drift[] = [];
  for (const file of made.files) {
    const found = await readIfThere(pathIn(project, file.path));
    if (found !== file.text) drifts.push({ path: file.path, ...firstDifference(file.text, found) });
  }
  return drifts;
}

/** A drift as text: the place, and both versions of the line. */
export function formatDrift({ path, line, expected, found }: Drift): string {
  if (found === undefined && line === 1) return `${path} does not exist`;
  return [
    `${path}:${line} differs from what the contract makes`,
    `  contract: ${expected ?? '(the file ends before this line)'}`,
    `  file:     ${found ?? '(the file ends before this line)'}`,
  ].join('\n');
}

function firstDifference(expected: string, found: string | undefined): Omit<Drift, 'path'> {
  const wanted = expected.split('\n');
  const present = found?.split('\n') ?? [];
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
