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
import { getOpenAPI3, type OpenAPI3ServiceRecord } from '@typespec/openapi3';
import type { ContractCompiler } from './contract.ts';
import type { OpenApiDocument } from './document.ts';
import { freshImport } from './fresh-import.ts';
import { hasErrors, type Problem } from './problem.ts';
import { type Project, pathIn } from './project.ts';
import { markReservedParameters, RESERVED_EXPANSION_WARNING } from './reserved-expansion.ts';

const EMITTER = '@typespec/openapi3';

/** Creates a TypeSpec compiler that runs in this process. Emitter options come from `tspconfig.yaml`. */
export function createTypeSpecCompiler(project: Project): ContractCompiler {
  const host = createHost();

  return {
    async compile() {
      const entry = pathIn(project, project.contract);
      const [options, configProblems] = await resolveCompilerOptions(NodeHost, {
        cwd: project.root,
        entrypoint: entry,
      });
      const program = await compile(host, entry, { ...options, noEmit: true });
      const compilerProblems = toProblems(project, [...configProblems, ...program.diagnostics]);
      if (hasErrors(compilerProblems)) {
        return { problems: compilerProblems };
      }

      // The compiler has one type for the options of all emitters; this entry belongs to this emitter.
      const emitterOptions = (options.options?.[EMITTER] ?? {}) as Parameters<typeof getOpenAPI3>[1];
      const records = await getOpenAPI3(program, emitterOptions);
      const problems = toProblems(project, [
        ...configProblems,
        ...program.diagnostics,
        ...records.flatMap((record) => (record.versioned ? [] : record.diagnostics)),
      ]);
      const document = singleDocument(project, records, problems);
      if (document) {
        markReservedParameters(program, document);
      }
      return document === undefined || hasErrors(problems) ? { problems } : { document, problems };
    },
  };
}

/** Returns the only document of the contract, or reports why there is no usable one. */
function singleDocument(
  project: Project,
  records: readonly OpenAPI3ServiceRecord[],
  problems: Problem[],
): OpenApiDocument | undefined {
  const [record, ...others] = records;
  const reject = (message: string) => {
    problems.push({ severity: 'error', message, file: project.contract });
    return undefined;
  };
  if (record === undefined) {
    return reject('The contract emitted no OpenAPI document. Fix the errors above first.');
  }
  if (others.length > 0 || record.versioned) {
    return reject('The contract contains several services or versions. Use one @service per contract.');
  }
  if (!record.document.openapi.startsWith('3.1.')) {
    return reject(
      `The contract emitted OpenAPI ${record.document.openapi}, but version 3.1 is required. ` +
        `Set "openapi-versions: [3.1.0]" under "${EMITTER}" in tspconfig.yaml.`,
    );
  }
  // The emitter's types do not state the version of the document; it is checked above.
  return record.document as unknown as OpenApiDocument;
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
    if (diagnostic.code === RESERVED_EXPANSION_WARNING) {
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
