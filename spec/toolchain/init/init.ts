import { mkdir, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { createContractCompiler } from '../contract.ts';
import { releasedFiles } from '../diff/released.ts';
import type { OpenApiDocument } from '../document.ts';
import { createGenerator, readIfExists } from '../generate.ts';
import { basePathOf } from '../model/contract/read.ts';
import { hasErrors, type Problem } from '../problem.ts';
import { commandLine, commandText, type Project, pathIn, quoted } from '../project.ts';
import { documentOf } from '../source.ts';
import { unsupportedOperations } from '../unsupported-operations.ts';
import { UsageError } from '../usage-error.ts';
import { findContract } from './contract-source.ts';
import { declaredErrors } from './document-facts.ts';
import { groupsOf } from './groups.ts';
import { type Manifest, mergeManifest, readManifest, toolkitSource } from './manifest.ts';
import { notesOn } from './notes.ts';
import { groupSource, handlersSource, securitySource } from './sources.ts';
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
  /** What the author of the contract should know. */
  notes: string[];
}

/**
 * Writes a project for a contract: generated files, server, tests, CI workflow and README.
 * @throws {UsageError} if the contract cannot be used, or if files exist that would be replaced
 */
export async function initProject(options: InitOptions): Promise<InitResult> {
  const root = resolve(options.root);
  const contract = await findContract(root, options.contract);
  const { project, source } = contract;
  const {
    document,
    files: generated,
    problems,
  } = await createGenerator(project, createContractCompiler(source)).run();
  if (document === undefined || hasErrors(problems)) {
    return { problems, written: [], notes: [] };
  }

  const folders = [...contract.templates, declaredErrors(document)];
  const templates = await readTemplates(folders, valuesOf(project, document));
  // A template of a manifest is one.
  const needed = JSON.parse(templates.get('package.json') ?? '{}') as Manifest;
  const { manifest, replaced } = mergeManifest(needed, readManifest(root));
  const files = new Map([
    ...sourcesOf(project, document),
    ...templates,
    ...contract.files,
    ['package.json', `${JSON.stringify(manifest, null, 2)}\n`],
  ]);
  const { approvals } = releasedFiles(project);
  if ((await readIfExists(pathIn(project, approvals))) !== undefined) {
    files.delete(approvals);
  }
  const existing = [...(await changedFiles(root, files))]
    .filter(([path, before]) => before !== undefined && path !== 'package.json')
    .map(([path]) => path);
  rejectConflicts([...existing, ...replaced.map((name) => `package.json: ${name}`)], project, options);

  // Generated files belong to the toolchain, which replaces them anyway.
  const all = new Map([...files, ...generated.map(({ path, text }) => [path, text] as const)]);
  const written = [...(await changedFiles(root, all)).keys()].sort();
  for (const path of written) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), all.get(path) ?? '');
  }
  return { problems, written, notes: await notesOn(source, document) };
}

/** @throws {UsageError} that names the files that would be replaced, unless this is permitted */
function rejectConflicts(
  conflicts: readonly string[],
  project: Project,
  { force = false }: InitOptions,
): void {
  const contracts = conflicts.filter((path) => path.startsWith('spec/'));
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
function valuesOf(project: Project, document: OpenApiDocument): TemplateValues {
  const name = basename(project.root).toLowerCase();
  const released = releasedFiles(project);
  return {
    name: name.replace(/[^a-z0-9._-]+/g, '-').replace(/^[._-]+/, '') || 'service',
    title: String(document.info.title ?? 'API'),
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

/** Returns the files that do not exist with the same text, each with its current text. */
async function changedFiles(
  root: string,
  files: ReadonlyMap<string, string>,
): Promise<Map<string, string | undefined>> {
  const changed = new Map<string, string | undefined>();
  for (const [path, text] of files) {
    const before = await readIfExists(join(root, path));
    if (before !== text) {
      changed.set(path, before);
    }
  }
  return changed;
}
