import { readdirSync, realpathSync, statSync } from 'node:fs';
import { mkdir, mkdtemp, rm, stat } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { projectModules } from '../check/module-graph.ts';
import type { GenerateResult } from '../generate/generate.ts';
import { hasErrors, type Problem } from '../problem.ts';
import { generatedPaths, isTypeSpec, type Project, pathIn } from '../project.ts';
import { cacheFolder, digest, installationDigest, readIfFile, writeCached } from './folder.ts';

/** What the last generation depended on, wrote and reported. */
interface Generation {
  /** Digest of this program, its packages, the options of the project, and the configuration of the compiler. */
  tools: string;
  /** Digests of the files of the contract, by path relative to the root. */
  inputs: Record<string, string>;
  /** Digests of the generated files. */
  outputs: Record<string, string>;
  /** Warnings, and notes about operations. */
  problems: Problem[];
}

/** Source of this program, and the part of the server runtime that it imports. */
const PROGRAM_FOLDERS = ['..', '../../../server/contract'];

/**
 * Returns the result of a generation that would change nothing, because neither the contract nor the generated files
 * nor this program changed after the last one; `undefined` if a generation is required to know.
 */
export function unchangedGeneration(
  project: Project,
): Pick<GenerateResult, 'problems' | 'written'> | undefined {
  const cache = cacheOf(project);
  const last = cache && parse(readIfFile(cache));
  if (!last || last.tools !== toolsDigest(project)) {
    return undefined;
  }
  const isUnchanged =
    Object.entries(last.inputs).every(
      ([path, expected]) => inputDigest(pathIn(project, path)) === expected,
    ) && Object.entries(last.outputs).every(([path, expected]) => outputDigest(project, path) === expected);
  return isUnchanged ? { problems: last.problems, written: [] } : undefined;
}

/**
 * Runs a generation, and records it for {@link unchangedGeneration}, unless it failed, the contract changed meanwhile, or
 * a script of the contract may read more than what it imports.
 */
export async function recordGeneration(
  project: Project,
  run: () => Promise<GenerateResult>,
): Promise<GenerateResult> {
  const cache = cacheOf(project);
  if (cache === undefined) {
    return await run();
  }
  const startMs = await fileSystemTime(dirname(cache));
  const tools = toolsDigest(project);
  const result = await run();
  const inputs = hasErrors(result.problems)
    ? undefined
    : await inputsOf(project, result.sources ?? [], startMs);
  if (tools === undefined || inputs === undefined) {
    await rm(cache, { force: true });
    return result;
  }
  const outputs = Object.fromEntries(
    Object.values(generatedPaths(project)).map((path) => [path, outputDigest(project, path)]),
  );
  await writeCached(cache, JSON.stringify({ tools, inputs, outputs, problems: result.problems }));
  return result;
}

function cacheOf(project: Project): string | undefined {
  const folder = cacheFolder(project);
  return folder && join(folder, `generation-${digest(JSON.stringify(project))}.json`);
}

function parse(text: string | undefined): Generation | undefined {
  try {
    // Files of the cache are complete, and the name contains no other format.
    return text === undefined ? undefined : (JSON.parse(text) as Generation);
  } catch {
    return undefined;
  }
}

/** Returns the digests of the files of a contract; `undefined` if they are not all that it depends on. */
async function inputsOf(
  project: Project,
  sources: readonly string[],
  startMs: number,
): Promise<Record<string, string> | undefined> {
  const paths = new Set(sources);
  for await (const { file, text } of projectModules(
    project,
    sources.filter((path) => /\.[cm]?js$/.test(path)),
  )) {
    if (readsMore(text)) {
      return undefined;
    }
    paths.add(file);
  }
  const inputs: Record<string, string> = {};
  for (const path of paths) {
    const absolute = pathIn(project, path);
    const value = inputDigest(absolute);
    if (value === undefined || statSync(absolute).ctimeMs >= startMs) {
      return undefined;
    }
    inputs[path] = value;
  }
  return sources.length === 0 ? undefined : inputs;
}

/** Whether a script may depend on more than what it imports by a literal path. */
function readsMore(script: string): boolean {
  const specifiers = [...script.matchAll(/\b(?:from|import|require)\s*\(?\s*['"]([^'"]+)['"]/g)];
  return (
    specifiers.some(([, specifier = '']) => isBuiltin(specifier)) ||
    /\bimport\s*\(\s*[^'"\s]|\bprocess\b|\brequire\b|\bfetch\b|\bDate\b/.test(script)
  );
}

/** Digest of the text and of the real path of a file, since a contract may not refer to files elsewhere. */
function inputDigest(path: string): string | undefined {
  const text = readIfFile(path);
  return text === undefined ? undefined : digest(`${realpathSync(path)}\n${text}`);
}

/** Digest of a generated file, of which Git may have converted the line ends. */
function outputDigest(project: Project, path: string): string {
  return digest(readIfFile(pathIn(project, path))?.replaceAll('\r\n', '\n') ?? '');
}

function toolsDigest(project: Project): string | undefined {
  const installation = installationDigest(project);
  const program = PROGRAM_FOLDERS.flatMap((folder) => codeIn(join(import.meta.dirname, folder)));
  return (
    installation && digest(JSON.stringify([process.version, installation, program, configurationOf(project)]))
  );
}

/** Texts of the files of a folder, except those of packages. */
function codeIn(folder: string): (string | undefined)[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      return entry.name === 'node_modules' ? [] : codeIn(path);
    }
    return /\.[jt]s$/.test(entry.name) ? [path, readIfFile(path)] : [];
  });
}

/** Texts of the configuration of the TypeSpec compiler, which it looks for in all outer folders, and of its bases. */
function configurationOf(project: Project): (string | undefined)[] {
  if (!isTypeSpec(project)) {
    return [];
  }
  const texts: (string | undefined)[] = [];
  const visited = new Set<string>();
  const visit = (path: string): void => {
    if (visited.has(path)) {
      return;
    }
    visited.add(path);
    const text = readIfFile(path);
    texts.push(text);
    for (const [, base = ''] of text?.matchAll(/^extends:(.*)/gm) ?? []) {
      visit(resolve(dirname(path), base.trim().replaceAll(/["']/g, '')));
    }
  };
  for (let folder = dirname(pathIn(project, project.contract)); ; folder = dirname(folder)) {
    visit(join(folder, 'tspconfig.yaml'));
    if (dirname(folder) === folder) {
      return texts;
    }
  }
}

/** Returns the time of the file system of a folder, in milliseconds, which may differ from that of this machine. */
async function fileSystemTime(folder: string): Promise<number> {
  await mkdir(folder, { recursive: true });
  const temporary = await mkdtemp(join(folder, 'time-'));
  const { ctimeMs } = await stat(temporary);
  await rm(temporary, { recursive: true });
  return ctimeMs;
}
