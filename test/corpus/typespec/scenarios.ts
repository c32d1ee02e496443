import { globSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { compile, STRICT } from '../stages.ts';
import { mockLibrary } from './mock-apis.ts';
import { scenarioProject } from './packages.ts';
import { runSpecification, type SpecificationResult } from './specification.ts';
import { formatProblems, formatReasons, formatTable } from './table.ts';

const repository = join(import.meta.dirname, '../../..');
/** Folder of downloads and generated files. Git ignores it. */
const FOLDER = join(repository, '.colophon/corpus');

/**
 * Runs TypeSpec's own scenarios, and prints a table.
 *
 * @param filter text in the paths of the specifications
 * @returns the exit code: 1 if a scenario fails without a listed reason
 */
export async function runScenarios(filter = ''): Promise<number> {
  const cache = process.env.COLOPHON_CORPUS ?? join(FOLDER, 'cache');
  await mkdir(cache, { recursive: true });
  const root = await scenarioProject(cache);
  const library = await mockLibrary(root);
  const names = globSync('specs/**/main.tsp', { cwd: root })
    .map((path) => dirname(relative('specs', path)))
    .filter((name) => name.includes(filter))
    .sort();
  await rm(join(root, 'generated'), { recursive: true, force: true });
  const results: SpecificationResult[] = [];
  for (const name of names) {
    results.push(await runSpecification(root, library, name));
  }
  for (const [name, problem] of await typeErrors(root, names)) {
    results.find((result) => result.name === name)?.types.push(problem);
  }
  const problems = formatProblems(results);
  console.log([...problems, '', ...formatReasons(results), '', formatTable(results)].join('\n'));
  return problems.length === 0 ? 0 : 1;
}

/** Compiles all generated files, and the calls of the scenarios, strictly. */
async function typeErrors(
  root: string,
  names: readonly string[],
): Promise<[name: string, problem: string][]> {
  const config = { compilerOptions: { ...STRICT, exactOptionalPropertyTypes: true }, include: ['generated'] };
  const errors = await compile(root, 'tsconfig.scenarios.json', config, 'typescript');
  return errors.map((error) => {
    const [, folder] = /^generated\/(.*)\/[^/]+\.ts\(/.exec(error) ?? [];
    // The path of a specification can start with that of another.
    const name = names.findLast((candidate) => `${folder}/`.startsWith(`${candidate}/`));
    return [name ?? names[0] ?? '', error];
  });
}
