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

const emitter = '@typespec/openapi3';

/** A compiler of the project's TypeSpec, within this process. Emitter options come from `tspconfig.yaml`. */
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
      const own = toProblems(project, [...configProblems, ...program.diagnostics]);
      if (hasErrors(own)) return { problems: own };

      // The compiler types every emitter's options alike; this entry of tspconfig.yaml is this emitter's.
      const emitterOptions = (options.options?.[emitter] ?? {}) as Parameters<typeof getOpenAPI3>[1];
      const records = await getOpenAPI3(program, emitterOptions);
      const problems = toProblems(project, [
        ...configProblems,
        ...program.diagnostics,
        ...records.flatMap((record) => (record.versioned ? [] : record.diagnostics)),
      ]);
      const document = onlyDocument(project, records, problems);
      return document === undefined || hasErrors(problems) ? { problems } : { document, problems };
    },
  };
}

/** The one document of the contract; says why when there is none that the toolchain can work with. */
function onlyDocument(
  project: Project,
  records: readonly OpenAPI3ServiceRecord[],
  problems: Problem[],
): OpenApiDocument | undefined {
  const [record, ...others] = records;
  const refuse = (message: string) => {
    problems.push({ severity: 'error', message, file: project.contract });
    return undefined;
  };
  if (record === undefined)
    return refuse('The contract gave no OpenAPI document. Mend the errors above it first.');
  if (others.length > 0 || record.versioned) {
    return refuse(
      'The contract holds several services or versions. Keep one @service in one TypeSpec program.',
    );
  }
  if (!record.document.openapi.startsWith('3.1.')) {
    return refuse(
      `The contract gave OpenAPI ${record.document.openapi}, but types and validators here are for 3.1. ` +
        `Set "openapi-versions: [3.1.0]" under "${emitter}" in tspconfig.yaml.`,
    );
  }
  // The emitter's types do not say which version a record holds; the check above does.
  return record.document as unknown as OpenApiDocument;
}

/**
 * A compiler host that hands out the same source object while a file is unchanged, so that it is parsed once, and
 * loads a script of the contract anew when it was edited.
 */
function createHost(): CompilerHost {
  const sources = new Map<string, SourceFile>();
  return {
    ...NodeHost,
    parseCache: new WeakMap(),
    async readFile(path) {
      const text = await readFile(path, 'utf8');
      const known = sources.get(path);
      if (known?.text === text) return known;
      const source = createSourceFile(text, path);
      sources.set(path, source);
      return source;
    },
    async getJsImport(path) {
      return path.includes('/node_modules/') ? NodeHost.getJsImport(path) : freshImport(path);
    },
  };
}

function toProblems(project: Project, diagnostics: readonly Diagnostic[]): Problem[] {
  const problems = new Map<string, Problem>();
  for (const diagnostic of diagnostics) {
    const problem: Problem = {
      severity: diagnostic.severity,
      message: diagnostic.message,
      code: diagnostic.code,
      ...placeOf(project, diagnostic),
    };
    // A template that is wrong is reported once for each of its uses.
    problems.set(JSON.stringify(problem), problem);
  }
  return [...problems.values()];
}

function placeOf(project: Project, diagnostic: Diagnostic): Pick<Problem, 'file' | 'line' | 'column'> {
  const location = getSourceLocation(diagnostic.target, { locateId: true });
  if (location?.file === undefined) return {};
  const file = relative(project.root, location.file.path).split(sep).join('/');
  const { line, character } = location.file.getLineAndCharacterOfPosition(location.pos);
  return { file, line: line + 1, column: character + 1 };
}
