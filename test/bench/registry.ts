import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** A module that exports a benchmark. */
export interface BenchmarkModule {
  name: string;
  /** URL of the module. */
  module: string;
}

/** Returns the benchmarks: the modules of a folder, by name. */
export function findBenchmarks(folder = join(import.meta.dirname, 'benchmarks')): BenchmarkModule[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map(({ name }) => ({ name: basename(name, '.ts'), module: pathToFileURL(join(folder, name)).href }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}
