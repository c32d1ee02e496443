import { dirname, posix, relative, resolve, sep } from 'node:path';

/** Where a contract and all that follows from it stand. Paths are relative to `root`, with forward slashes. */
export interface Project {
  /** The folder that the other paths start from: absolute. */
  root: string;
  /** The contract: a TypeSpec entry (`.tsp`), or an OpenAPI 3.0 or 3.1 document in JSON or YAML. */
  contract: string;
  /** The folder that the generated files go to. */
  generated: string;
  /** The compiler settings that the code over the contract is type checked with. */
  tsconfig: string;
  /** The folder of the last release: `openapi.json`, and the approved breaks in `approvals.yaml`. */
  released: string;
  /** How a person runs our commands here: it heads generated files and ends error messages. */
  tool: 'npm run' | 'npx colophon';
}

const defaults = {
  contract: 'spec/main.tsp',
  generated: 'generated',
  tsconfig: 'tsconfig.json',
  tool: 'npm run',
} as const;

/** Fills what the caller leaves out of a project; the last release is beside the contract unless told otherwise. */
export function resolveProject(given: Partial<Project> = {}): Project {
  const root = resolve(given.root ?? process.cwd());
  // Generated files name the contract: they must be the same wherever the project stands, however it was called.
  const within = (path: string) => relative(root, resolve(root, path)).split(sep).join('/') || '.';
  const contract = within(given.contract ?? defaults.contract);
  return {
    root,
    contract,
    generated: within(given.generated ?? defaults.generated),
    tsconfig: within(given.tsconfig ?? defaults.tsconfig),
    released: within(given.released ?? `${dirname(contract)}/released`),
    tool: given.tool ?? defaults.tool,
  };
}

/** The absolute path of something within the project. */
export function pathIn(project: Project, relative: string): string {
  return resolve(project.root, relative);
}

/** The files that a contract makes, relative to the root. */
export function generatedPaths({ generated }: Project): { document: string; types: string; table: string } {
  return {
    document: posix.join(generated, 'openapi.json'),
    types: posix.join(generated, 'schema.d.ts'),
    table: posix.join(generated, 'operations.ts'),
  };
}

/** The folder of the contract's sources, relative to the root. */
export function contractFolder(project: Project): string {
  return dirname(project.contract);
}

/** Whether the contract is TypeSpec; else it is an OpenAPI document. */
export function isTypeSpec(project: Project): boolean {
  return project.contract.endsWith('.tsp');
}

/**
 * The command line that runs one of our commands over this project, as a person would type it; it names only the
 * paths that differ from the defaults.
 * @param more further arguments
 */
export function commandLine(project: Project, command: string, more: readonly string[] = []): string {
  const options: string[] = [];
  if (project.contract !== defaults.contract) options.push(`--contract ${project.contract}`);
  if (project.generated !== defaults.generated) options.push(`--generated ${project.generated}`);
  return commandText(project, command, [...options, ...more]);
}

/** A command line with these arguments alone. */
export function commandText({ tool }: Project, command: string, args: readonly string[]): string {
  // What stands before the two dashes is npm's own.
  const separator = tool === 'npm run' && args.length > 0 ? ['--'] : [];
  return [tool, command, ...separator, ...args].join(' ');
}
