import { globSync, readFileSync } from 'node:fs';

/** The first line of a test file that runs on the first engine only, followed by the reason. */
const MARK = /^\/\/ Runs on one engine: \S/;

/** Test files that run on both engines, unless they state a reason not to. */
export const ENGINE_TESTS = [
  'test/{service,attack}/**/*.test.ts',
  'test/journeys/process/*.test.ts',
  'test/journeys/benchmarks.test.ts',
];

/** Returns whether a test file states that it runs on the first engine only. */
export function runsOnOneEngine(file: string): boolean {
  return MARK.test(readFileSync(file, 'utf8'));
}

/** Returns the {@link ENGINE_TESTS} that run on the first engine only. */
export function filesOfOneEngine(root: string): string[] {
  return globSync(ENGINE_TESTS, { cwd: root }).filter((file) => runsOnOneEngine(`${root}/${file}`));
}
