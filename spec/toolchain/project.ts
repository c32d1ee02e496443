import { dirname, posix, relative, resolve, sep } from 'node:path';

/** Paths of a contract and its dependent files, relative to `root` and with forward slashes. */
export interface Project {
  /** Absolute path of the root folder. */
  root: string;
  /** Contract: a TypeSpec entry file (`.tsp`), or an OpenAPI or Swagger document in JSON or YAML. */
  contract: string;
  /** Folder of the generated files. */
  generated: string;
  /** TypeScript configuration of the code that uses the contract. */
  tsconfig: string;
  /** Folder of the last release: `openapi.json`, and the approved breaking changes in `approvals.yaml`. */
  released: string;
  /** Version of a versioned TypeSpec service. Default: that of `tspconfig.yaml`, or the newest one. */
  apiVersion?: string;
  /** Namespace of the TypeSpec service, if the contract has several. Default: that of `tspconfig.yaml`. */
  service?: string;
  /** Prefix of the commands in generated files and error messages. */
  tool: 'npm run' | 'npx colophon';
}

const DEFAULT_PROJECT = {
  contract: 'spec/main.tsp',
  generated: 'generated',
  tsconfig: 'tsconfig.json',
  tool: 'npm run',
} as const;

/** Completes a project with defaults; the default folder of the last release is `released` next to the contract. */
export function resolveProject(options: Partial<Project> = {}): Project {
  const root = resolve(options.root ?? process.cwd());
  // Generated files contain this path: it must not depend on the location of the project or the spelling of the option.
  const within = (path: string) => relative(root, resolve(root, path)).split(sep).join('/') || '.';
  const contract = within(options.contract ?? DEFAULT_PROJECT.contract);
  return {
    root,
    contract,
    generated: within(options.generated ?? DEFAULT_PROJECT.generated),
    tsconfig: within(options.tsconfig ?? DEFAULT_PROJECT.tsconfig),
    released: within(options.released ?? `${dirname(contract)}/released`),
    ...(options.apiVersion !== undefined && { apiVersion: options.apiVersion }),
    ...(options.service !== undefined && { service: options.service }),
    tool: options.tool ?? DEFAULT_PROJECT.tool,
  };
}

/** Absolute path of a file in the project. */
export function pathIn(project: Project, relative: string): string {
  return resolve(project.root, relative);
}

/** Paths of the generated files, relative to the root. */
export function generatedPaths({ generated }: Project): {
  document: string;
  types: string;
  table: string;
  functions: string;
} {
  return {
    document: posix.join(generated, 'openapi.json'),
    types: posix.join(generated, 'schema.d.ts'),
    table: posix.join(generated, 'operations.ts'),
    functions: posix.join(generated, 'functions.ts'),
  };
}

/** Paths of the last release's contract and of the approvals, relative to the root. */
export function releasedFiles({ released }: Project): { contract: string; approvals: string } {
  return { contract: `${released}/openapi.json`, approvals: `${released}/approvals.yaml` };
}

/** Folder of the contract's sources, relative to the root. */
export function contractFolder(project: Project): string {
  return dirname(project.contract);
}

/** Name of the contract in messages: its folder if it may have several files. */
export function contractSources(project: Project): string {
  const folder = contractFolder(project);
  return isTypeSpec(project) && folder !== '.' ? folder : project.contract;
}

/** Whether the contract is TypeSpec rather than an OpenAPI document. */
export function isTypeSpec(project: Project): boolean {
  return project.contract.endsWith('.tsp');
}

/**
 * Command line that runs a command on this project. Contains only paths that differ from the defaults.
 * @param more additional arguments
 */
export function commandLine(project: Project, command: string, more: readonly string[] = []): string {
  const options: string[] = [];
  if (project.contract !== DEFAULT_PROJECT.contract) {
    options.push('--contract', project.contract);
  }
  if (project.generated !== DEFAULT_PROJECT.generated) {
    options.push('--generated', project.generated);
  }
  if (project.service !== undefined) {
    options.push('--service', project.service);
  }
  if (project.apiVersion !== undefined) {
    options.push('--api-version', project.apiVersion);
  }
  return commandText(project, command, [...options, ...more]);
}

/** Command line with only these arguments. */
export function commandText({ tool }: Project, command: string, args: readonly string[]): string {
  // npm interprets the arguments before the two dashes.
  const separator = tool === 'npm run' && args.length > 0 ? ['--'] : [];
  return [tool, command, ...separator, ...args.map(quoted)].join(' ');
}

/** Quotes an argument if a shell would change it. cmd.exe, which npm uses on Windows, has only double quotes. */
export function quoted(argument: string): string {
  return /^[\w@%+=:,./-]+$/.test(argument) ? argument : `"${argument.replace(/["\\$`]/g, '\\$&')}"`;
}

/** Whether a file is part of the contract: TypeSpec and the scripts that it loads, or the OpenAPI document. */
export function isContractFile(project: Project, path: string): boolean {
  if (!isTypeSpec(project)) {
    return path === project.contract;
  }
  const folder = contractFolder(project);
  const isInside = folder === '.' || path.startsWith(`${folder}/`);
  return (isInside && /\.(tsp|m?js)$/.test(path)) || /(^|\/)tspconfig\.yaml$/.test(path);
}

/** Whether the type check may read a file: a module, or the configuration of the compiler. */
export function isCodeFile(project: Project, path: string): boolean {
  return path === project.tsconfig || /\.[cm]?[jt]sx?$/.test(path);
}
