import { isObject, type JsonObject } from './document.ts';
import { type DocumentSource, readDocument, receivedDocument } from './documents/read.ts';
import { expandingSchemas } from './normalize/schema-sizes.ts';
import { formatProblem, hasErrors } from './problem.ts';
import { UsageError } from './usage-error.ts';

/** OpenAPI document and its origin. */
export interface Source {
  /** Path, or Git ref and path, as specified by the user. */
  name: string;
  root: JsonObject;
}

/**
 * Reads an OpenAPI or Swagger document in JSON or YAML from files or from Git, with the files that it refers to.
 * @param name path, or `REF:PATH` as in `git show`: `main:generated/openapi.json`
 * @param folder folder that the path is relative to
 * @throws {UsageError} if it is unreadable or not such a document
 */
export async function readSource(name: string, folder: string): Promise<Source> {
  return usable(name, await readDocument(name, folder));
}

/** Reads a document that was received from a server. @throws {UsageError} if it is not an OpenAPI document */
export async function receivedSource(name: string, text: string): Promise<Source> {
  return usable(name, await receivedDocument(name, text));
}

function usable(name: string, { root, problems }: DocumentSource): Source {
  if (hasErrors(problems)) {
    const errors = problems.filter(({ severity }) => severity === 'error');
    throw new UsageError(`${name} cannot be used:\n${errors.map(formatProblem).join('\n')}`);
  }
  return documentOf(name, root);
}

/** Validates that a value is an OpenAPI 3.0 or 3.1 document. @throws {UsageError} if it is not */
export function documentOf(name: string, root: unknown): Source {
  if (!isObject(root)) {
    throw new UsageError(
      `${name} is not an OpenAPI document: it does not contain an object. Specify an OpenAPI 3.0 or 3.1 document in JSON or YAML.`,
    );
  }
  if (typeof root.openapi !== 'string' || !/^3\.[01](\.|$)/.test(root.openapi)) {
    const reason =
      root.openapi === undefined ? 'has no OpenAPI version' : `has version ${String(root.openapi)}`;
    throw new UsageError(`${name} ${reason}. Specify an OpenAPI 3.0 or 3.1 document.`);
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
