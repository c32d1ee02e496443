import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { parseDocument } from 'yaml';
import { isObject, type Json, type JsonObject } from './document.ts';
import { expandingSchemas } from './schema-sizes.ts';
import { UsageError } from './usage-error.ts';

/** Largest document that is read from Git. */
const MAX_DOCUMENT_BYTES = 256 * 1024 * 1024;

/** OpenAPI document and its origin. */
export interface Source {
  /** Path, or Git ref and path, as specified by the user. */
  name: string;
  root: JsonObject;
}

/**
 * Reads an OpenAPI 3.0 or 3.1 document in JSON or YAML from a file or from Git.
 * @param name path, or `REF:PATH` as in `git show`: `main:generated/openapi.json`
 * @param folder folder that the path is relative to
 * @throws {UsageError} if it is unreadable or not such a document
 */
export async function readSource(name: string, folder: string): Promise<Source> {
  const root = parseData(name, await readText(name, folder));
  return documentOf(name, root);
}

/** Validates that a value is an OpenAPI document. @throws {UsageError} if it is not */
export function documentOf(name: string, root: unknown): Source {
  if (!isObject(root)) {
    throw new UsageError(
      `${name} is not an OpenAPI document: it does not contain an object. Specify an OpenAPI 3.0 or 3.1 document in JSON or YAML.`,
    );
  }
  const version = root.openapi ?? root.swagger;
  if (typeof root.openapi !== 'string' || !/^3\.[01](\.|$)/.test(root.openapi)) {
    const reason = version === undefined ? 'has no OpenAPI version' : `has version ${String(version)}`;
    throw new UsageError(
      `${name} ${reason}. Only OpenAPI 3.0 and 3.1 are supported. Specify another document, or convert this one first.`,
    );
  }
  for (const key of ['paths', 'components', 'webhooks', 'info']) {
    if (root[key] !== undefined && !isObject(root[key])) {
      throw new UsageError(
        `${name} has ${JSON.stringify(root[key])} as "${key}", which must be an object. Fix the document.`,
      );
    }
  }
  const [expanding] = expandingSchemas(root);
  if (expanding !== undefined) {
    throw new UsageError(`${name} cannot be used: ${expanding}`);
  }
  return { name, root };
}

/** Parses JSON or YAML. @throws {UsageError} with the line and column of the first error */
export function parseData(name: string, text: string): Json {
  // JSON is also YAML, but the JSON parser is much faster.
  if (/^\s*[{[]/.test(text)) {
    try {
      return JSON.parse(text);
    } catch {
      // It may be YAML in flow style; the YAML parser also reports the location of an error.
    }
  }
  try {
    const document = parseDocument(text);
    const [error] = document.errors;
    if (error) {
      throw error;
    }
    // YAML has types beyond JSON, such as dates, only in schemas that are not enabled here.
    return document.toJS() as Json;
  } catch (error) {
    const reason = error instanceof Error ? error.message.trim().replace(/:?\n[\s\S]*$/, '') : String(error);
    throw new UsageError(`${name} is neither JSON nor YAML: ${reason}. Fix the text at this location.`);
  }
}

async function readText(name: string, folder: string): Promise<string> {
  try {
    // The asynchronous function reads in parts, and needs twice the memory for large documents.
    return readFileSync(resolve(folder, name), 'utf8');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'ENOENT' && name.includes(':')) {
      return readFromGit(name, folder);
    }
    const reason =
      code === 'ENOENT' ? 'the file does not exist' : code === 'EISDIR' ? 'it is a folder' : String(error);
    throw new UsageError(
      `${name} cannot be read: ${reason}. Specify the path of an OpenAPI document, or REF:PATH for one in Git.`,
    );
  }
}

async function readFromGit(name: string, folder: string): Promise<string> {
  try {
    const args = ['show', '--end-of-options', name];
    const { stdout } = await promisify(execFile)('git', args, { cwd: folder, maxBuffer: MAX_DOCUMENT_BYTES });
    return stdout;
  } catch (error) {
    const stderr = error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : '';
    const reason = (stderr || String(error)).replace(/\.$/, '');
    throw new UsageError(
      `${name} is not a file, and git cannot show it (${reason}). ` +
        'Specify REF:PATH with an existing ref and a path relative to the root of the repository.',
    );
  }
}
