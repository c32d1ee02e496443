import { execFileSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { createContractRouter } from '../../../server/contract/index.ts';
import { formatProblem, generate, hasErrors, resolveProject } from '../../../spec/toolchain/main.ts';
import { operationRows } from '../../../spec/toolchain/operation-table.ts';
import { scenarioProject } from './packages.ts';

/** Folder of downloads and generated files. Git ignores it. */
const FOLDER = join(import.meta.dirname, '../../.colophon/corpus');
const repository = join(import.meta.dirname, '../../..');

/** Results of one scenario: problems by stage. */
interface Result {
  generate: string[];
  types: string[];
  router: string[];
  operations: number;
}

/**
 * Runs the toolchain over TypeSpec's own scenarios, and prints the result of each.
 *
 * @param filter text in the names of the scenarios
 * @returns the exit code: 1 if a stage of a scenario failed
 */
export async function runScenarios(filter = ''): Promise<number> {
  await mkdir(FOLDER, { recursive: true });
  const root = await scenarioProject(process.env.COLOPHON_CORPUS ?? join(FOLDER, 'cache'));
  const entries = globSync('specs/**/main.tsp', { cwd: root }).filter((path) => path.includes(filter));
  const results = new Map<string, Result>();
  for (const contract of entries.sort()) {
    results.set(dirname(relative('specs', contract)), await run(root, contract));
  }
  for (const [name, problem] of typeErrors(root)) {
    results.get(name)?.types.push(problem);
  }
  for (const [name, { operations, ...stages }] of results) {
    const failed = Object.entries(stages).flatMap(([stage, problems]) =>
      problems.map((problem) => `  ${stage}: ${problem.slice(0, 200)}`),
    );
    console.log(
      [`${failed.length === 0 ? 'ok    ' : 'failed'} ${name} (${operations})`, ...failed].join('\n'),
    );
  }
  const count = (stage: 'generate' | 'types' | 'router') =>
    [...results.values()].filter((result) => result[stage].length === 0).length;
  console.log(
    `${results.size} scenarios: ${count('generate')} generate, ${count('types')} compile, ${count('router')} are served completely`,
  );
  return [...results.values()].every(
    (result) => result.generate.length + result.types.length + result.router.length === 0,
  )
    ? 0
    : 1;
}

async function run(root: string, contract: string): Promise<Result> {
  const result: Result = { generate: [], types: [], router: [], operations: 0 };
  const project = resolveProject({
    root,
    contract,
    generated: join('generated', dirname(relative('specs', contract))),
  });
  const { document, problems } = await generate(project);
  if (document === undefined || hasErrors(problems)) {
    result.generate.push(...problems.filter(({ severity }) => severity === 'error').map(formatProblem));
    result.types.push('not generated');
    result.router.push('not generated');
    return result;
  }
  const { rows } = operationRows(document, 'warning');
  result.operations = rows.size;
  result.router.push(...problems.filter(({ code }) => code === 'unsupported').map(formatProblem));
  try {
    createContractRouter({
      // The generator emits what the router reads.
      document: document as never,
      operations: Object.fromEntries(rows),
      handlers: Object.fromEntries([...rows.keys()].map((id) => [id, () => undefined])) as never,
      security: Object.fromEntries(
        Object.keys(document.components?.securitySchemes ?? {}).map((name) => [
          name,
          { apiKey: accept, bearer: accept, basic: accept },
        ]),
      ) as never,
      validateResponses: true,
    });
  } catch (error) {
    result.router.push(error instanceof Error ? error.message : String(error));
  }
  return result;
}

const accept = () => ({});

/** Compiles all generated files strictly. */
function typeErrors(root: string): [name: string, problem: string][] {
  const args = [
    join(repository, 'node_modules/typescript/bin/tsc'),
    ...['--noEmit', '--strict', '--exactOptionalPropertyTypes', '--noUncheckedIndexedAccess'],
    ...['--target', 'esnext', '--module', 'nodenext', '--allowImportingTsExtensions', '--types', ''],
    ...globSync('generated/**/*.ts', { cwd: root }),
  ];
  try {
    execFileSync(process.execPath, args, { cwd: root, encoding: 'utf8', stdio: 'pipe' });
    return [];
  } catch (error) {
    const output = error instanceof Error && 'stdout' in error ? String(error.stdout) : String(error);
    return output.split('\n').flatMap((line) => {
      const [, name] = /^generated\/(.*)\/[^/]+\.ts/.exec(line) ?? [];
      return name === undefined ? [] : [[name, line] satisfies [string, string]];
    });
  }
}
