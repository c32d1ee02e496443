import { readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { initProject } from '../../spec/toolchain/init/init.ts';
import {
  createGenerator,
  generate,
  hasErrors,
  resolveProject,
  runChecks,
  startMock,
} from '../../spec/toolchain/main.ts';
import { run } from '../../spec/toolchain/run.ts';
import { requestEach } from './requests.ts';
import { countOperations, type OperationCount, startRouter } from './router.ts';
import { programOf, samplesOf, unexpectedResults } from './samples.ts';

/** Root of the repository. */
const ROOT = join(import.meta.dirname, '../..');

/** Result of a stage. */
export interface StageResult {
  /** Why it failed; empty if it succeeded. */
  problems: string[];
  operations?: OperationCount;
  /** Number of values that were compiled. */
  samples?: number;
}

/** A document and the folder of its project. */
export interface StageInput {
  name: string;
  /** Absolute path of the document. */
  file: string;
  /** Absolute path of an empty folder that resolves packages of this repository. */
  folder: string;
}

/** What is done with each document, in this order. A stage that fails ends none of the others. */
export const STAGES = {
  generate: generateFiles,
  types: compileTypes,
  samples: compileSamples,
  init: checkProject,
  router: createRouter,
  mock: callMock,
} as const satisfies Record<string, (input: StageInput) => Promise<StageResult>>;

export type StageName = keyof typeof STAGES;

const success: StageResult = { problems: [] };
const CONTRACT = 'openapi.json';
const projectOf = (folder: string) =>
  resolveProject({ root: folder, contract: CONTRACT, tool: 'npx colophon' });

async function generateFiles({ file, folder }: StageInput): Promise<StageResult> {
  await writeFile(join(folder, CONTRACT), await readFile(file));
  const { problems } = await generate(projectOf(folder));
  return {
    problems: problems.filter(({ severity }) => severity === 'error').map(({ message }) => message),
  };
}

/** Compiler options for generated files. */
export const STRICT = {
  target: 'es2024',
  module: 'nodenext',
  strict: true,
  skipLibCheck: false,
  allowImportingTsExtensions: true,
  noEmit: true,
  types: [],
  lib: ['es2024', 'dom', 'dom.iterable'],
};

/** The compilers of the repository: TypeScript 7, and TypeScript 5. */
const COMPILERS = ['typescript', 'typescript5'] as const;

async function compileTypes({ folder }: StageInput): Promise<StageResult> {
  const files = ['schema.d.ts', 'functions.ts', 'operations.ts'].map((name) => join('generated', name));
  const problems: string[] = [];
  for (const exactOptionalPropertyTypes of [true, false]) {
    const config = { compilerOptions: { ...STRICT, exactOptionalPropertyTypes }, files };
    problems.push(...(await compile(folder, 'tsconfig.strict.json', config, COMPILERS[0])));
  }
  return { problems: [...new Set(problems)] };
}

/** Returns the errors of a program. */
export async function compile(
  folder: string,
  name: string,
  config: object,
  compiler: (typeof COMPILERS)[number],
): Promise<string[]> {
  await writeFile(join(folder, name), JSON.stringify(config));
  const command = join(
    dirname(createRequire(import.meta.url).resolve(`${compiler}/package.json`)),
    'bin/tsc',
  );
  const { code, output } = await run(process.execPath, [command, '-p', name, '--pretty', 'false'], {
    cwd: folder,
  });
  const errors = output.split('\n').filter((line) => / error TS\d+: /.test(line));
  return code !== 0 && errors.length === 0 ? [output.trim().slice(0, 500)] : errors;
}

async function compileSamples({ folder, name }: StageInput): Promise<StageResult> {
  const { document } = await createGenerator(projectOf(folder)).run();
  if (document === undefined) {
    return { problems: ['There is no document.'] };
  }
  const samples = samplesOf(document, name);
  await writeFile(join(folder, 'samples.ts'), programOf(samples));
  const config = { compilerOptions: { ...STRICT, skipLibCheck: true }, files: ['samples.ts'] };
  const lines = await compile(folder, 'tsconfig.samples.json', config, COMPILERS[0]);
  return { problems: unexpectedResults(samples, lines), samples: samples.length };
}

async function checkProject({ file, folder }: StageInput): Promise<StageResult> {
  const root = join(folder, 'service');
  const { problems, written } = await initProject({ root, contract: file });
  if (hasErrors(problems) || written.length === 0) {
    return { problems: problems.map(({ message }) => `init: ${message}`) };
  }
  await useSources(root);
  const contract = written.find((path) => /^spec\/openapi\.(json|ya?ml)$/.test(path)) ?? CONTRACT;
  const project = resolveProject({ root, contract, tool: 'npx colophon' });
  const results = await runChecks(project);
  return {
    problems: results.flatMap(({ name, failure }) =>
      failure ? [`check ${name}: ${failure.details.slice(0, 5).join(' | ').slice(0, 1000)}`] : [],
    ),
  };
}

/** Lets a project import the toolkit of this repository, which is not installed. */
async function useSources(root: string): Promise<void> {
  const file = join(root, 'tsconfig.json');
  const config = JSON.parse(await readFile(file, 'utf8'));
  const sources = { client: 'client/index.ts', server: 'server/contract/index.ts' };
  Object.assign(config.compilerOptions, {
    // The sources of the toolkit need more than its declarations.
    lib: ['esnext', 'dom', 'dom.iterable', 'dom.asynciterable'],
    rewriteRelativeImportExtensions: true,
    paths: Object.fromEntries(
      Object.entries(sources).map(([name, path]) => [`@colophon/toolkit/${name}`, [join(ROOT, path)]]),
    ),
  });
  await writeFile(file, JSON.stringify(config));
}

async function createRouter({ folder }: StageInput): Promise<StageResult> {
  const { document } = await createGenerator(projectOf(folder)).run();
  if (document === undefined) {
    return { problems: ['There is no document.'] };
  }
  startRouter(document);
  return { problems: [], operations: countOperations(document) };
}

async function callMock({ folder }: StageInput): Promise<StageResult> {
  const project = projectOf(folder);
  const { document } = await createGenerator(project).run();
  const mock = await startMock(project, { port: 0, host: '127.0.0.1', log: () => {} });
  try {
    return document === undefined ? success : await requestEach(mock.url, document);
  } finally {
    await mock.close();
  }
}
