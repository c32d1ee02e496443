import { glob } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { projectModules } from '../check/module-graph.ts';
import { readIfExists } from '../generate/generate.ts';
import type { Project } from '../project.ts';
import { contractFiles } from './contract-files.ts';
import { digestOf, type InitState } from './state.ts';

/** Files of a project that `init` wrote for the previous contract, and that the current one does not need. */
export interface Leftovers {
  /** Files to remove. */
  removed: string[];
  /** Files that remain because the user changed them. */
  changed: string[];
  /** Files that remain because others that the user wrote import them. */
  imported: string[];
  /** Digests of the files that remain. */
  digests: Record<string, string>;
}

/**
 * Finds the leftovers of the previous contract, after the project was written for the current one.
 * @param current files that the project has now, and those that it would have, had the user not changed them
 * @param contract files of the contract
 */
export async function findLeftovers(
  project: Project,
  state: InitState | undefined,
  current: ReadonlySet<string>,
  contract: ReadonlySet<string>,
): Promise<Leftovers> {
  const result: Leftovers = { removed: [], changed: [], imported: [], digests: {} };
  const unchanged = new Map<string, string>();
  for (const [path, digest] of Object.entries(state?.files ?? {})) {
    const text = await readIfExists(join(project.root, path));
    if (text === undefined) {
      continue;
    }
    const isNeeded = current.has(path) || contract.has(path) || isSetting(project, path);
    if (isNeeded) {
      result.digests[path] = digest;
    } else if (digestOf(text) === digest) {
      unchanged.set(path, digest);
    } else {
      result.changed.push(path);
      result.digests[path] = digest;
    }
  }
  const used = unchanged.size === 0 ? new Set<string>() : await importedByOthers(project, unchanged);
  for (const [path, digest] of unchanged) {
    if (used.has(path)) {
      result.imported.push(path);
      result.digests[path] = digest;
    } else {
      result.removed.push(path);
    }
  }
  return result;
}

/** Whether a file belongs to any contract of the same kind, or contains decisions of the user. */
function isSetting({ contract, released }: Project, path: string): boolean {
  return (path === 'tspconfig.yaml' && contract.endsWith('.tsp')) || path === `${released}/approvals.yaml`;
}

/** Returns what the other modules and contracts of the project import, themselves or through others. */
async function importedByOthers(
  project: Project,
  unchanged: ReadonlyMap<string, string>,
): Promise<Set<string>> {
  const cwd = project.root;
  const exclude = (name: string) => /(^|[/\\])(node_modules|\.git)$/.test(name);
  const others: string[] = [];
  for await (const found of glob('**/*.{ts,mts,tsx,js,mjs,tsp}', { cwd, exclude })) {
    const path = found.split(sep).join('/');
    if (!unchanged.has(path)) {
      others.push(path);
    }
  }
  const isContract = (path: string) => path.endsWith('.tsp');
  const { files } = await contractFiles(cwd, others.filter(isContract));
  const imported = new Set(files);
  const modules = others.filter((path) => !isContract(path) && !path.startsWith(`${project.generated}/`));
  for await (const { file } of projectModules(project, modules)) {
    imported.add(relative(cwd, file).split(sep).join('/'));
  }
  return imported;
}
