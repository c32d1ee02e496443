import { isObject, type Json, type JsonObject } from '../document.ts';
import { hasErrors, type Problem } from '../problem.ts';
import { UsageError } from '../usage-error.ts';
import { resolveAddresses } from './addresses.ts';
import { type ContractFiles, openFiles } from './files.ts';
import { type Dialect, SUPPORTED_VERSIONS } from './grammar.ts';
import { type LocalProblem, Origins } from './origins.ts';
import { parseData } from './parse.ts';
import { pathOf } from './positions.ts';
import { hasExternalReferences } from './references.ts';
import { checkStructure, type Report } from './structure.ts';
import { convertSwagger } from './swagger.ts';
import { readAs31 } from './version-3.2.ts';

/** Document that was read from one or several files. */
export interface DocumentSource {
  /** OpenAPI 3.0 or 3.1 document without references to other files. Unusable if a problem is an error. */
  root: JsonObject;
  problems: Problem[];
  /** Files that it was read from, as in messages. */
  files: string[];
}

/**
 * Reads an OpenAPI or Swagger document in JSON or YAML from files or from Git, with the files that it refers to. Swagger
 * 2.0 is converted to OpenAPI 3.0.
 * @param name path, or `REF:PATH` as in `git show`: `main:generated/openapi.json`
 * @param folder folder that the path is relative to
 * @throws {UsageError} if a file is unreadable, or not such a document
 */
export async function readDocument(name: string, folder: string): Promise<DocumentSource> {
  const files = openFiles(name, folder);
  return documentFrom(name, await files.read(files.entry), files);
}

/** Reads a document that was received, and can refer to no other files. @throws {UsageError} like readDocument */
export function receivedDocument(name: string, text: string): Promise<DocumentSource> {
  return documentFrom(name, text, {
    entry: name,
    read: async () => {
      throw new UsageError('the document was not read from a file');
    },
    resolve: (_from, reference) => reference,
    nameOf: (path) => path,
  });
}

async function documentFrom(name: string, text: string, files: ContractFiles): Promise<DocumentSource> {
  const parsed = parseData(name, text);
  const root = rootOf(name, parsed);
  const dialect = dialectOf(name, root);
  resolveAddresses(root, dialect);
  const origins = new Origins();
  const found: LocalProblem[] = [];
  const report: Report = (severity, code, at, message) => {
    const { holders, steps } = pathOf(at);
    const origin = origins.of(holders, steps) ?? { file: files.entry, path: steps };
    found.push({ severity, code, message, ...origin });
  };
  if (hasExternalReferences(root)) {
    // The library takes as long to load as a small contract to read.
    const { bundle } = await import('./bundle.ts');
    origins.add(files.entry, text, root);
    found.push(...(await bundle(root, dialect, files, origins)));
  } else {
    origins.addText(files.entry, text);
  }
  if (found.length === 0) {
    readAs31(root, report);
    checkStructure(root, dialect, report);
  }
  const problems = origins.locate(found, files.nameOf);
  if (dialect !== '2.0' || hasErrors(problems)) {
    return { root, problems, files: origins.files.map(files.nameOf) };
  }
  const converted = convertSwagger(root, (message) =>
    problems.push({ severity: 'warning', code: 'swagger', message, file: files.nameOf(files.entry) }),
  );
  return { root: converted, problems, files: origins.files.map(files.nameOf) };
}

function rootOf(name: string, parsed: Json): JsonObject {
  if (!isObject(parsed)) {
    throw new UsageError(
      `${name} is not an OpenAPI document: it does not contain an object. Specify a document of ${SUPPORTED_VERSIONS}, in JSON or YAML.`,
    );
  }
  return parsed;
}

function dialectOf(name: string, { openapi, swagger }: JsonObject): Dialect {
  const version = openapi ?? swagger;
  const [, known] = /^(2\.0|3\.[012])(?:\.|$)/.exec(versionText(version)) ?? [];
  if (known === undefined || (known === '2.0') !== (openapi === undefined)) {
    const reason =
      version === undefined ? 'has no OpenAPI version' : `has version ${versionText(version) || '""'}`;
    throw new UsageError(
      `${name} ${reason}. Only ${SUPPORTED_VERSIONS} are supported. Specify another document, or convert this one first.`,
    );
  }
  return known === '2.0' || known === '3.0' ? known : '3.1';
}

/** YAML reads `swagger: 2.0` as the number 2. */
function versionText(version: Json | undefined): string {
  return typeof version === 'number' && Number.isInteger(version) ? version.toFixed(1) : String(version);
}
