import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, dirname, extname, join, relative, resolve, sep } from 'node:path';
import { SUPPORTED_VERSIONS } from '../documents/grammar.ts';
import { readDocument } from '../documents/read.ts';
import { formatProblem, hasErrors } from '../problem.ts';
import { type Project, resolveProject } from '../project.ts';
import { UsageError } from '../usage-error.ts';
import { TEMPLATES } from './templates.ts';

/** Contract of a new project. */
export interface ContractSource {
  /** The new project. */
  project: Project;
  /** Project that contains the contract before the new one is written. */
  source: Project;
  /** Folders of templates. */
  templates: readonly string[];
  /** Files of the contract to write, by path. */
  files: ReadonlyMap<string, string>;
}

/** Operations of the contract that a project without one begins with. */
export const STARTER_OPERATIONS = ['listTasks', 'createTask', 'getTask', 'updateTask', 'deleteTask'] as const;

/**
 * Finds the contract of a new project. A document outside of its folder is copied into it; without a contract, the
 * project has one of its own.
 * @param contract path, relative to the root
 * @throws {UsageError} if it cannot be used
 */
export async function findContract(root: string, contract: string | undefined): Promise<ContractSource> {
  const tool = 'npx colophon';
  if (contract === undefined) {
    const starter = resolveProject({ root: join(TEMPLATES, 'starter'), tool });
    return { project: resolveProject({ root, tool }), source: starter, ...starterTemplates };
  }
  const path = resolve(root, contract);
  if (!existsSync(path)) {
    throw new UsageError(
      `Contract ${contract} does not exist. Specify a TypeSpec entry file (.tsp), or a document of ${SUPPORTED_VERSIONS} in JSON or YAML. Without one, the project has a small contract of its own.`,
    );
  }
  const templates = ['project', 'contract'];
  if (!relative(root, path).startsWith(`..${sep}`)) {
    const project = resolveProject({ root, contract: path, tool });
    return { project, source: project, templates, files: new Map() };
  }
  if (path.endsWith('.tsp')) {
    throw new UsageError(
      `Contract ${contract} is not in this folder, and TypeSpec can import other files. Copy its folder here first, or run the command in the folder that contains it.`,
    );
  }
  const { root: document, files, problems } = await readDocument(path, root);
  if (hasErrors(problems)) {
    throw new UsageError(`Contract ${contract} cannot be used:\n${problems.map(formatProblem).join('\n')}`);
  }
  // Several files become one, so that none is missing.
  const isSingle = files.length === 1;
  const copy = `spec/openapi${isSingle ? extname(path) : '.json'}`;
  const text = isSingle ? await readFile(path, 'utf8') : `${JSON.stringify(document, null, 2)}\n`;
  return {
    project: resolveProject({ root, contract: copy, tool }),
    source: resolveProject({ root: dirname(path), contract: basename(path), tool }),
    templates,
    files: new Map([[copy, text]]),
  };
}

const starterTemplates = { templates: ['project', 'starter'], files: new Map<string, string>() };
