import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { messageOf } from '../../../server/contract/errors.ts';
import type { ContractCompiler } from '../contract/compiler.ts';
import { createContractCompiler } from '../contract/contract.ts';
import type { OpenApiDocument } from '../document.ts';
import { markBinary } from '../normalize/binary-schemas.ts';
import { normalize } from '../normalize/normalize.ts';
import { unusedPathParameters, withReservedExpansion } from '../normalize/paths.ts';
import { splitModels } from '../normalize/request-models.ts';
import { expandingSchemas } from '../normalize/schema-sizes.ts';
import { serverProblems } from '../normalize/server-address.ts';
import { hasErrors, type Problem } from '../problem.ts';
import { commandLine, generatedPaths, isTypeSpec, type Project, pathIn } from '../project.ts';
import { withTaggedVariants } from '../types/discriminators.ts';
import { withModelReferences } from '../types/references.ts';
import { schemaTypes } from '../types/schema-types.ts';
import { operationFunctionsSource } from './operation-functions.ts';
import { type OperationRow, operationRows, operationTableSource } from './operation-table.ts';
import { unsupportedOperations } from './unsupported-operations.ts';

/** Generated file in memory. */
export interface GeneratedFile {
  /** Relative to the project's root. */
  path: string;
  text: string;
}

/** Output of the generator. It has no files if the contract has errors. */
export interface GeneratorOutput {
  /** Normalized document, without the header. */
  document?: OpenApiDocument;
  files: GeneratedFile[];
  problems: Problem[];
  /** Files of the contract, relative to the root; omitted if they are those of its folder. */
  sources?: readonly string[];
}

/** First difference between a file on disk and the output of the generator. */
export interface Drift {
  path: string;
  /** Number of the first differing line, from 1. */
  line: number;
  /** The line in the output; omitted past its end. */
  expected?: string;
  /** The line on disk; omitted past the end, or if the file does not exist. */
  actual?: string;
}

/** Generates the files of a contract in memory. Keeps the compilers loaded between runs. */
export interface Generator {
  run(): Promise<GeneratorOutput>;
}

/**
 * Creates the generator of a project.
 * @param compiler compiler of the contract, if it is not yet in the project
 */
export function createGenerator(
  project: Project,
  compiler: ContractCompiler = createContractCompiler(project),
): Generator {
  let previous:
    | { text: string; tableProblems: Problem[]; output: Pick<GeneratorOutput, 'document' | 'files'> }
    | undefined;
  const atContract = (problem: Problem): Problem => ({ file: project.contract, ...problem });

  /** Generates the files of a document. @throws if the document has a form that a step does not expect */
  function output(source: OpenApiDocument, compilerProblems: readonly Problem[]): GeneratorOutput {
    const readings: Problem[] = [];
    const document = normalize(source, (message) =>
      readings.push({ severity: 'warning', code: 'reading', message }),
    );
    const text = JSON.stringify(document);
    // Generating types takes as long as compiling the contract; skip it if the document did not change.
    if (previous?.text === text) {
      return { ...previous.output, problems: [...compilerProblems, ...previous.tableProblems] };
    }
    const table = operationRows(withReservedExpansion(document), isTypeSpec(project) ? 'error' : 'warning');
    const tableProblems = [...readings, ...table.problems, ...unusedPathParameters(source)].map(atContract);
    const problems = [...compilerProblems, ...serverProblems(document).map(atContract), ...tableProblems];
    if (hasErrors(problems)) {
      return { files: [], problems };
    }
    const { notes, reasons } = unsupportedOperations(project, document);
    for (const [id, unsupported] of reasons) {
      Object.assign(table.rows.get(id) ?? {}, { unsupported });
    }
    const files = render(project, document, table.rows);
    previous = { text, tableProblems: [...tableProblems, ...notes], output: { document, files } };
    return { document, files, problems: [...problems, ...notes] };
  }

  return {
    async run() {
      const { document, problems, sources } = await compiler.compile();
      const origin = sources === undefined ? {} : { sources };
      if (document === undefined) {
        return { files: [], problems, ...origin };
      }
      const expanding = expandingSchemas(document).map((message) =>
        atContract({ severity: 'error', code: 'schema-size', message }),
      );
      if (expanding.length > 0) {
        return { files: [], problems: [...problems, ...expanding], ...origin };
      }
      try {
        return { ...output(document, problems), ...origin };
      } catch (error) {
        // The message of a generator contains the place.
        const reason = messageOf(error);
        const failure = atContract({
          severity: 'error',
          code: 'generator',
          message: `No files can be generated for this contract: ${reason.replace(/\.$/, '')}. Correct it at this place.`,
        });
        return { files: [], problems: [...problems, failure], ...origin };
      }
    },
  };
}

/** Returns a copy of a document from which types are generated: see the steps. */
const typedDocument = (document: OpenApiDocument): OpenApiDocument =>
  splitModels(markBinary(withTaggedVariants(withModelReferences(document))));

function render(
  project: Project,
  document: OpenApiDocument,
  rows: Map<string, OperationRow>,
): GeneratedFile[] {
  const by = commandLine(project, 'generate');
  const header = `// Generated from ${project.contract} by \`${by}\`. Do not edit: change the contract and run the command.\n\n`;
  const headed = { ...document, info: { ...document.info, 'x-generated': { from: project.contract, by } } };
  // References refer to the paths of the document.
  const typed = withReservedExpansion(typedDocument(document));
  const paths = generatedPaths(project);
  return [
    { path: paths.document, text: `${JSON.stringify(headed, null, 2)}\n` },
    { path: paths.types, text: header + schemaTypes(typed) },
    { path: paths.table, text: header + operationTableSource(rows) },
    { path: paths.functions, text: header + operationFunctionsSource(typed, rows) },
  ];
}

/** Result of {@link generate}. */
export interface GenerateResult {
  /** Normalized document, without the header; omitted if the contract has errors. */
  document?: OpenApiDocument;
  /** Nothing is written if one of them is an error. */
  problems: Problem[];
  /** Files that changed and were written. */
  written: string[];
  /** Files of the contract, relative to the root; omitted if they are those of its folder. */
  sources?: readonly string[];
}

/** Updates the generated files. Files that are up to date are not touched. */
export async function generate(
  project: Project,
  generator = createGenerator(project),
): Promise<GenerateResult> {
  const { document, files, problems, sources } = await generator.run();
  const written: string[] = [];
  for (const file of files) {
    const path = pathIn(project, file.path);
    const before = await readIfExists(path);
    if (before !== undefined && withUnixLineEnds(before) === withUnixLineEnds(file.text)) {
      continue;
    }
    await mkdir(dirname(path), { recursive: true });
    // Renamed into place, so that no reader sees a partial file.
    await writeFile(`${path}.new`, file.text);
    await rename(`${path}.new`, path);
    written.push(file.path);
  }
  return { ...(document && { document }), ...(sources && { sources }), problems, written };
}

/** Compares the files on disk with the output of the generator; writes nothing. */
export async function findDrifts(project: Project, output: GeneratorOutput): Promise<Drift[]> {
  const drifts: Drift[] = [];
  for (const file of output.files) {
    const text = await readIfExists(pathIn(project, file.path));
    const actual = text === undefined ? undefined : withUnixLineEnds(text);
    const expected = withUnixLineEnds(file.text);
    if (actual !== expected) {
      drifts.push({ path: file.path, ...firstDifference(expected, actual) });
    }
  }
  return drifts;
}

/** Git on Windows converts the line ends of files (`core.autocrlf`). */
function withUnixLineEnds(text: string): string {
  return text.replaceAll('\r\n', '\n');
}

/** Formats a drift as text: its location and both versions of the line. */
export function formatDrift({ path, line, expected, actual }: Drift): string {
  if (actual === undefined && line === 1) {
    return `${path} does not exist`;
  }
  return [
    `${path}:${line} does not match the contract`,
    `  expected: ${expected ?? '(end of file)'}`,
    `  actual:   ${actual ?? '(end of file)'}`,
  ].join('\n');
}

function firstDifference(expectedText: string, actualText: string | undefined): Omit<Drift, 'path'> {
  const expectedLines = expectedText.split('\n');
  const actualLines = actualText?.split('\n') ?? [];
  const length = Math.max(expectedLines.length, actualLines.length);
  let index = 0;
  while (index < length && expectedLines[index] === actualLines[index]) {
    index += 1;
  }
  const [expected, actual] = [expectedLines[index], actualLines[index]];
  return {
    line: index + 1,
    ...(expected === undefined ? {} : { expected }),
    ...(actual === undefined ? {} : { actual }),
  };
}

/** Text of a file; `undefined` if it does not exist. */
export async function readIfExists(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') {
      return undefined;
    }
    throw error;
  }
}
