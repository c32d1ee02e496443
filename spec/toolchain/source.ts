import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { parseDocument } from 'yaml';
import { BadInput } from './bad-input.ts';
import { isObject, type Json, type JsonObject } from './document.ts';

/** An OpenAPI document as it was read, and what version of OpenAPI it speaks. */
export interface Source {
  /** What a person called it: a path, or a git ref and a path. */
  name: string;
  root: JsonObject;
}

/**
 * Reads an OpenAPI 3.0 or 3.1 document, JSON or YAML, from a file or from git.
 * @param name a path, or `REF:PATH` as `git show` takes it: `main:generated/openapi.json`
 * @param folder what the path starts from
 * @throws {BadInput} when it cannot be read or is no such document
 */
export async function readSource(name: string, folder: string): Promise<Source> {
  const root = parseData(name, await readText(name, folder));
  return documentOf(name, root);
}

/** Takes a value for an OpenAPI document. @throws {BadInput} when it is none */
export function documentOf(name: string, root: unknown): Source {
  if (!isObject(root)) {
    throw new BadInput(
      `${name} holds no object, so it is no OpenAPI document. Give an OpenAPI 3.0 or 3.1 document in JSON or YAML.`,
    );
  }
  const version = root.openapi ?? root.swagger;
  if (typeof root.openapi !== 'string' || !/^3\.[01](\.|$)/.test(root.openapi)) {
    const found = version === undefined ? 'says no version of OpenAPI' : `is of version ${String(version)}`;
    throw new BadInput(
      `${name} ${found}. Only OpenAPI 3.0 and 3.1 can be read: give such a document, or convert this one first.`,
    );
  }
  for (const key of ['paths', 'components', 'webhooks', 'info']) {
    if (root[key] !== undefined && !isObject(root[key])) {
      throw new BadInput(
        `${name} has ${JSON.stringify(root[key])} under "${key}", where OpenAPI has an object. Mend the document.`,
      );
    }
  }
  return { name, root };
}

/** Parses JSON or YAML. @throws {BadInput} with the line and column of the first mistake */
export function parseData(name: string, text: string): Json {
  // Every JSON text is YAML too; but JSON is parsed much faster as what it is.
  if (/^\s*[{[]/.test(text)) {
    try {
      return JSON.parse(text);
    } catch {
      // It may be YAML in flow style, and YAML's parser says the place of a mistake.
    }
  }
  try {
    const document = parseDocument(text);
    const [error] = document.errors;
    if (error) throw error;
    // YAML has further types, as dates, only under schemas that are not asked for here.
    return document.toJS() as Json;
  } catch (error) {
    const reason = error instanceof Error ? error.message.trim().replace(/:?\n[\s\S]*$/, '') : String(error);
    throw new BadInput(`${name} is neither JSON nor YAML: ${reason}. Mend the text there.`);
  }
}

async function readText(name: string, folder: string): Promise<string> {
  try {
    return await readFile(resolve(folder, name), 'utf8');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'ENOENT' && name.includes(':')) return readFromGit(name, folder);
    const reason =
      code === 'ENOENT' ? 'there is no such file' : code === 'EISDIR' ? 'it is a folder' : String(error);
    throw new BadInput(
      `${name} cannot be read: ${reason}. Give the path of an OpenAPI document, or REF:PATH for one in git.`,
    );
  }
}

async function readFromGit(name: string, folder: string): Promise<string> {
  try {
    const args = ['show', '--end-of-options', name];
    const { stdout } = await promisify(execFile)('git', args, { cwd: folder, maxBuffer: 256 * 1024 * 1024 });
    return stdout;
  } catch (error) {
    const said = error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : '';
    const reason = (said || String(error)).replace(/\.$/, '');
    throw new BadInput(
      `${name} is no file, and git cannot show it (${reason}). ` +
        'Give REF:PATH with a ref that "git rev-parse" knows and the path from the root of the repository.',
    );
  }
}
