import { basename, resolve } from 'node:path';
import { approvalsText } from '../check/warning-approvals.ts';
import { createContractCompiler } from '../contract/contract.ts';
import { type OpenApiDocument, operationsOf } from '../document.ts';
import { createGenerator, readIfExists } from '../generate/generate.ts';
import { unsupportedOperations } from '../generate/unsupported-operations.ts';
import { basePathOf } from '../model/contract/read.ts';
import { LEAST_NODE_VERSION } from '../node-version.ts';
import { hasErrors, type Problem } from '../problem.ts';
import {
  commandLine,
  commandText,
  isTypeSpec,
  type Project,
  pathIn,
  quoted,
  releasedFiles,
} from '../project.ts';
import { documentOf } from '../source.ts';
import { UsageError } from '../usage-error.ts';
import { type ContractFiles, contractFiles } from './contract-files.ts';
import { type ContractSource, findContract, STARTER_OPERATIONS } from './contract-source.ts';
import { declaredErrors } from './document-facts.ts';
import { changedFiles, removeFiles, writeFiles } from './files.ts';
import { groupsOf } from './groups.ts';
import { findLeftovers } from './leftovers.ts';
import {
  addedBy,
  contractPackages,
  type Manifest,
  mergeManifest,
  readManifest,
  toolkitSource,
} from './manifest.ts';
import { approvalNotes, leftNotes, notesOn, releaseNotes } from './notes.ts';
import {
  detectPackageManager,
  ignoredFiles,
  managerFiles,
  type PackageManager,
  workflowSteps,
} from './package-manager.ts';
import { groupSource, handlersSource, securitySource } from './sources.ts';
import { digestOf, digestsOf, type InitState, readState, STATE_FILE, stateText } from './state.ts';
import { readTemplates, type TemplateValues } from './templates.ts';
import { testSource } from './test-source.ts';

/** Options of {@link initProject}. */
export interface InitOptions {
  /** Folder of the new project. */
  root: string;
  /** Contract, relative to the root. If omitted, the project has a small contract of its own. */
  contract?: string | undefined;
  /** Whether files that exist are replaced. Contracts never are. */
  force?: boolean | undefined;
}

/** Result of {@link initProject}. */
export interface InitResult {
  /** Nothing is written if one of them is an error. */
  problems: Problem[];
  /** Written files, relative to the root. Files that are up to date are not touched. */
  written: string[];
  /** Removed files, which `init` wrote for the previous contract. */
  removed: string[];
  /** What the author of the contract should know. */
  notes: string[];
  /** Package manager of the project. */
  manager: PackageManager;
}

/**
 * Writes a project for a contract: generated files, server, tests, CI workflow and README. In a project that it wrote
 * before, it replaces and removes what is unchanged since, and leaves what the user changed.
 * @throws {UsageError} if the contract cannot be used, or if files exist that would be replaced
 */
export async function initProject(options: InitOptions): Promise<InitResult> {
  const root = resolve(options.root);
  const state = readState(root);
  const manager = detectPackageManager(root);
  rejectArchives();
  const contract = await findContract(root, options.contract ?? state?.contract);
  const { project, source } = contract;
  const generator = createGenerator(project, createContractCompiler(source));
  const { document, files: generated, problems } = await generator.run();
  if (document === undefined || hasErrors(problems)) {
    return { problems, written: [], removed: [], notes: [], manager };
  }

  const imports = await contractFiles(source.root, [source.contract]);
  const templates = await templatesOf(contract, document, state, valuesOf(project, document, manager));
  const needed = manifestOf(templates, project, imports, manager);
  const isKept = state !== undefined && !options.force;
  const { manifest, replaced } = mergeManifest(needed, readManifest(root), state?.manifest, isKept);
  const files = new Map([
    ...sourcesOf(project, document),
    ...templates,
    ...managerFiles(manager, root),
    ...contract.files,
  ]);
  await keepApprovals(project, state, files);
  const conflicts = await findConflicts(root, files, state, options);
  if (!isKept) {
    const names = replaced.map((name) => `package.json: ${name}`);
    rejectConflicts([...conflicts, ...names], project, options);
  }
  for (const path of isKept ? conflicts : []) {
    files.delete(path);
  }
  // Generated files belong to the toolchain, which replaces them anyway.
  const all = new Map([...files, ...generated.map(({ path, text }) => [path, text] as const)]);
  all.set('package.json', `${JSON.stringify(manifest, null, 2)}\n`);
  const written = await writeFiles(root, all);
  const approved = await approveWarnings(project, files);
  // What the written files import remains.
  const leftovers = await findLeftovers(
    project,
    state,
    new Set([...all.keys(), ...conflicts]),
    imports.files,
  );
  await removeFiles(root, leftovers.removed);
  const next = stateText({
    contract: project.contract,
    files: { ...leftovers.digests, ...digestsOf(files) },
    manifest: addedBy(needed, manifest),
  });
  written.push(...(await writeFiles(root, new Map([[STATE_FILE, next]]))));
  const changed = isKept ? [...conflicts, ...replaced.map((name) => `package.json: ${name}`)] : [];
  const notes = [
    ...leftNotes(changed, leftovers),
    ...approvalNotes(project, approved),
    ...(await notesOn(source, document)),
    ...(await releaseNotes(project, document)),
  ];
  return { problems, written: written.sort(), removed: leftovers.removed, notes, manager };
}

/** Keeps approvals that the project has, unless `init` wrote them for another contract. */
async function keepApprovals(
  project: Project,
  state: InitState | undefined,
  files: Map<string, string>,
): Promise<void> {
  const { approvals } = releasedFiles(project);
  const before = await readIfExists(pathIn(project, approvals));
  const isOwn = before !== undefined && state?.files[approvals] === digestOf(before);
  if (before !== undefined && (!isOwn || state.contract === project.contract)) {
    files.delete(approvals);
  }
}

/** Approves the warnings that a new contract has. Returns their number. */
async function approveWarnings(project: Project, files: Map<string, string>): Promise<number> {
  const { approvals } = releasedFiles(project);
  const template = files.get(approvals);
  if (template === undefined) {
    return 0;
  }
  // The written contract is read: places in one that was copied from several files differ.
  const { text, warnings } = await approvalsText(project, await createGenerator(project).run());
  if (warnings > 0) {
    files.set(approvals, `${template}${text}`);
    await writeFiles(project.root, new Map([[approvals, `${template}${text}`]]));
  }
  return warnings;
}

/** @throws {UsageError} if packages are in archives, where TypeSpec and TypeScript 7 do not find them */
function rejectArchives(): void {
  if ('pnp' in process.versions) {
    throw new UsageError(
      "Yarn Plug'n'Play is not supported, because TypeSpec and TypeScript 7 do not find packages in its archives. Run: yarn config set nodeLinker node-modules && yarn install",
    );
  }
}

/** Texts of the templates, by path. */
async function templatesOf(
  contract: ContractSource,
  document: OpenApiDocument,
  state: InitState | undefined,
  values: TemplateValues,
): Promise<Map<string, string>> {
  const isStarter = state !== undefined && hasStarterOperations(document);
  const folders = isStarter ? ['project', 'starter'] : contract.templates;
  const templates = await readTemplates([...folders, declaredErrors(document)], values);
  for (const path of isStarter ? templates.keys() : []) {
    // The contract of the project, which may have been edited.
    if (path.endsWith('.tsp') || path === 'tspconfig.yaml') {
      templates.delete(path);
    }
  }
  return templates;
}

/** Whether a contract still has the operations of the first one, which its handlers implement. */
function hasStarterOperations(document: OpenApiDocument): boolean {
  const ids = new Set(operationsOf(document).map(({ operationId }) => operationId));
  return STARTER_OPERATIONS.every((id) => ids.has(id));
}

/** Takes the manifest from the templates, and adds what depends on the contract and on the package manager. */
function manifestOf(
  templates: Map<string, string>,
  project: Project,
  { packages }: ContractFiles,
  { pinned }: PackageManager,
): Manifest {
  // A template of a manifest is one.
  const { devDependencies, ...template } = JSON.parse(templates.get('package.json') ?? '{}') as Manifest;
  templates.delete('package.json');
  const own = isTypeSpec(project) ? contractPackages(packages) : {};
  const all = Object.entries({ ...devDependencies, ...own }).sort(([one], [other]) => (one < other ? -1 : 1));
  return { ...template, ...(pinned && { packageManager: pinned }), devDependencies: Object.fromEntries(all) };
}

/** Returns the existing files that would be replaced, except those that are unchanged since `init` wrote them. */
async function findConflicts(
  root: string,
  files: ReadonlyMap<string, string>,
  state: InitState | undefined,
  { force = false }: InitOptions,
): Promise<string[]> {
  return [...(await changedFiles(root, files))].flatMap(([path, before]) => {
    const isOwn = before === undefined || state?.files[path] === digestOf(before);
    return isOwn || (force && state !== undefined && !isContractPath(path)) ? [] : [path];
  });
}

/** Whether a file is a contract, which is never replaced. */
const isContractPath = (path: string) => path.startsWith('spec/');

/** @throws {UsageError} that names the files that would be replaced, unless this is permitted */
function rejectConflicts(
  conflicts: readonly string[],
  project: Project,
  { force = false }: InitOptions,
): void {
  const contracts = conflicts.filter(isContractPath);
  const rejected = force ? contracts : conflicts;
  if (rejected.length === 0) {
    return;
  }
  const fix =
    contracts.length === 0
      ? 'Move them, or replace them with --force.'
      : `Contracts are never replaced. To use an existing one, specify it: ${commandText(project, 'init', [project.contract])}`;
  throw new UsageError(
    `Nothing was written, because these files exist:\n${rejected.map((path) => `  ${path}\n`).join('')}${fix}`,
  );
}

/** Values of the placeholders in the templates. */
function valuesOf(project: Project, document: OpenApiDocument, manager: PackageManager): TemplateValues {
  const name = basename(project.root).toLowerCase();
  const released = releasedFiles(project);
  const { install, run, test, start, exec } = manager;
  return {
    ...{ install, run, test, start, exec },
    setupSteps: workflowSteps(manager),
    ignored: ignoredFiles(manager),
    node: LEAST_NODE_VERSION,
    name: name.replace(/[^a-z0-9._-]+/g, '-').replace(/^[._-]+/, '') || 'service',
    title: String(document.info.title ?? 'API')
      .replace(/\s+/g, ' ')
      .trim(),
    toolkit: toolkitSource(project.root),
    contract: project.contract,
    released: project.released,
    releasedDocument: quoted(released.contract),
    approvals: quoted(released.approvals),
    options: commandLine(project, 'generate').slice('npx colophon generate'.length),
    basePath: basePathOf(documentOf(project.contract, document)),
  };
}

/** Files that follow from the operations of a contract. A template of the same path replaces one. */
function sourcesOf(project: Project, document: OpenApiDocument): [string, string][] {
  const { reasons } = unsupportedOperations(project, document);
  const groups = groupsOf(document, new Set(reasons.keys()));
  return [
    ['server/handlers.ts', handlersSource(groups)],
    ...groups.map((group): [string, string] => [`server/handlers/${group.file}.ts`, groupSource(group)]),
    ['server/security.ts', securitySource(document)],
    ['test/service.test.ts', testSource(document, groups)],
  ];
}
