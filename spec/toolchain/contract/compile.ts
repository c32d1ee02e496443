import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { relative, sep } from 'node:path';
import {
  type CompilerHost,
  compile,
  createSourceFile,
  type Diagnostic,
  getSourceLocation,
  NodeHost,
  resolveCompilerOptions,
  type SourceFile,
} from '@typespec/compiler';
import { hasErrors, type Problem } from '../problem.ts';
import { type Project, pathIn } from '../project.ts';
import { repairBodies } from '../typespec/bodies.ts';
import { type EmitterOptions, emit } from '../typespec/emit.ts';
import { isPathExpansionWarning, repairPathParameters } from '../typespec/path-parameters.ts';
import { repairEmission } from '../typespec/repair.ts';
import { type Selection, selectDocument } from '../typespec/select.ts';
import type { CompileResult, ContractCompiler } from './compiler.ts';
import { freshImport } from './fresh-import.ts';
import { describeLists } from './paging.ts';
import { markReservedParameters, RESERVED_EXPANSION_WARNING } from './reserved-expansion.ts';

const EMITTER = '@typespec/openapi3';
/** Name of the options of this program in `tspconfig.yaml`. */
const TOOLKIT = '@colophon/toolkit';

/** Creates a TypeSpec compiler that runs in this process. Emitter options come from `tspconfig.yaml`. */
export function createTypeSpecCompiler(project: Project): ContractCompiler {
  const host = createHost();

  return {
    async compile() {
      const sources = new Set<string>();
      const result = await compileOnce(sources);
      return { ...result, sources: [...sources] };
    },
  };

  /** @param sources receives the paths of the files of the contract, except those of packages */
  async function compileOnce(sources: Set<string>): Promise<CompileResult> {
    const entry = pathIn(project, project.contract);
    const [options, configProblems] = await resolveCompilerOptions(NodeHost, {
      cwd: project.root,
      entrypoint: entry,
    });
    const program = await compile(host, entry, { ...options, noEmit: true });
    for (const path of [...program.sourceFiles.keys(), ...program.jsSourceFiles.keys()]) {
      if (!path.includes('/node_modules/')) {
        sources.add(relative(project.root, path).split(sep).join('/'));
      }
    }
    const compilerProblems = toProblems(project, [...configProblems, ...program.diagnostics]);
    if (hasErrors(compilerProblems)) {
      return { problems: compilerProblems };
    }

    // The compiler has one type for the options of all emitters; this entry belongs to this emitter.
    const emitterOptions = (options.options?.[EMITTER] ?? {}) as EmitterOptions;
    const emission = await emit(program, emitterOptions);
    const problems = toProblems(project, [...configProblems, ...program.diagnostics]);
    problems.push(...emission.problems.map((problem) => ({ ...problem, file: project.contract })));
    if (hasErrors(problems)) {
      return { problems };
    }
    const selected = selectDocument(emission.records, selectionOf(project, options.options?.[TOOLKIT]));
    if ('message' in selected) {
      problems.push({ severity: 'error', message: selected.message, file: project.contract });
      return { problems };
    }
    problems.push(...toProblems(project, selected.diagnostics).map(asOmission));
    if (hasErrors(problems)) {
      return { problems };
    }
    const document = repairEmission(selected.document);
    repairBodies(program, document);
    const pathProblems = repairPathParameters(program, document);
    problems.push(...pathProblems.map((problem) => ({ ...problem, file: project.contract })));
    markReservedParameters(program, document);
    describeLists(program, document);
    return { document, problems };
  }
}

/** Errors of the emitter about what it leaves out of a document that is otherwise complete. */
const OMISSIONS: Readonly<Record<string, string>> = {
  [`${EMITTER}/path-query`]: 'The operation is left out.',
  [`${EMITTER}/unsupported-status-code-range`]: 'The response has the closest range, or is the default.',
};

function asOmission(problem: Problem): Problem {
  const consequence = OMISSIONS[problem.code ?? ''];
  return consequence === undefined
    ? problem
    : { ...problem, severity: 'warning', message: `${problem.message} ${consequence}` };
}

/** Service and version of the command line, or of the options of the toolkit in `tspconfig.yaml`. */
function selectionOf(project: Project, configured: Record<string, unknown> = {}): Selection {
  const apiVersion = project.apiVersion ?? configured['api-version'];
  const service = project.service ?? configured.service;
  return {
    ...(apiVersion !== undefined && { apiVersion: String(apiVersion) }),
    ...(service !== undefined && { service: String(service) }),
  };
}

/**
 * Creates a compiler host that returns the same source object while a file is unchanged, so that it is parsed once,
 * and reloads edited scripts of the contract.
 */
function createHost(): CompilerHost {
  const sources = new Map<string, SourceFile>();
  return {
    ...NodeHost,
    parseCache: new WeakMap(),
    async readFile(path) {
      const text = await readFile(path, 'utf8');
      const cached = sources.get(path);
      if (cached?.text === text) {
        return cached;
      }
      const source = createSourceFile(text, path);
      sources.set(path, source);
      return source;
    },
    async getJsImport(path) {
      return path.includes('/node_modules/') ? NodeHost.getJsImport(path) : freshImport(path);
    },
  };
}

/** Replaces a message of the compiler that suggests its own command line. */
const OTHER_COMPILER =
  'The project has installed another version of TypeSpec than that which compiles the contract. Uninstall ' +
  '@typespec/compiler, http, openapi and openapi3, which the toolkit includes, or install the same versions.';

function toProblems(project: Project, diagnostics: readonly Diagnostic[]): Problem[] {
  const problems = new Map<string, Problem>();
  for (const diagnostic of diagnostics) {
    const problem: Problem = {
      severity: diagnostic.severity,
      message: diagnostic.code === 'compiler-version-mismatch' ? OTHER_COMPILER : diagnostic.message,
      code: diagnostic.code,
      ...locationOf(project, diagnostic),
    };
    if (diagnostic.code === RESERVED_EXPANSION_WARNING || isPathExpansionWarning(diagnostic)) {
      continue;
    }
    // The compiler repeats an error of a template for each use of it.
    problems.set(JSON.stringify(problem), problem);
  }
  return [...problems.values()];
}

function locationOf(project: Project, diagnostic: Diagnostic): Pick<Problem, 'file' | 'line' | 'column'> {
  const location = getSourceLocation(diagnostic.target, { locateId: true });
  if (location?.file === undefined) {
    return {};
  }
  // The global namespace has a location that is not a file.
  if (!existsSync(location.file.path)) {
    return { file: project.contract };
  }
  const file = relative(project.root, location.file.path).split(sep).join('/');
  const { line, character } = location.file.getLineAndCharacterOfPosition(location.pos);
  return { file, line: line + 1, column: character + 1 };
}
