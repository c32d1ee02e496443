import { dirname, resolve } from 'node:path';

/** Where a contract and all that follows from it stand. Paths are relative to `root`, with forward slashes. */
export interface Project {
  /** The folder that the other paths start from: absolute. */
  root: string;
  /** The TypeSpec entry. */
  contract: string;
  /** The folder that the generated files go to. */
  generated: string;
  /** The compiler settings that the code over the contract is type checked with. */
  tsconfig: string;
  /** The formatter's and linter's settings. */
  biomeConfig: string;
}

const defaults = {
  contract: 'spec/main.tsp',
  generated: 'generated',
  tsconfig: 'tsconfig.json',
  biomeConfig: '.biome.json',
};

/** Fills what the caller leaves out of a project with this repository's own paths. */
export function resolveProject(given: Partial<Project> = {}): Project {
  return { ...defaults, ...given, root: resolve(given.root ?? process.cwd()) };
}

/** The absolute path of something within the project. */
export function pathIn(project: Project, relative: string): string {
  return resolve(project.root, relative);
}

/** The files that a contract makes, relative to the root. */
export function generatedPaths({ generated }: Project): { document: string; types: string; table: string } {
  return {
    document: `${generated}/openapi.json`,
    types: `${generated}/schema.d.ts`,
    table: `${generated}/operations.ts`,
  };
}

/** The folder of the contract's sources, relative to the root. */
export function contractFolder(project: Project): string {
  return dirname(project.contract);
}

/**
 * The command line that runs one of our commands over this project, as a person would type it:
 * it heads generated files and ends error messages, so it names only the paths that differ from the defaults.
 */
export function commandLine(project: Project, command: string): string {
  const options: string[] = [];
  if (project.contract !== defaults.contract) options.push(`--contract ${project.contract}`);
  if (project.generated !== defaults.generated) options.push(`--generated ${project.generated}`);
  return options.length === 0 ? `npm run ${command}` : `npm run ${command} -- ${options.join(' ')}`;
}
