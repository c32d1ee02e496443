import type { Compiled, ContractCompiler } from './contract.ts';
import { dereference, isObject, type Json, methods, type OpenApiDocument } from './document.ts';
import type { Problem } from './problem.ts';
import type { Project } from './project.ts';
import { readSource } from './source.ts';
import { upgrade } from './upgrade.ts';

/**
 * Reads a contract that is an OpenAPI 3.0 or 3.1 document, JSON or YAML, as a 3.1 document that stands on its own,
 * each of its operations with an id.
 */
export function createDocumentReader(project: Project): ContractCompiler {
  return {
    async compile(): Promise<Compiled> {
      const { root } = await readSource(project.contract, project.root);
      // What is read of it is looked at where it is read; the rest stays plain JSON.
      const given = { ...root, info: root.info ?? {}, paths: root.paths ?? {} } as unknown as OpenApiDocument;
      const problems = brokenReferences(given).map(
        (message): Problem => ({ severity: 'error', code: 'reference', message, file: project.contract }),
      );
      if (problems.length > 0) return { problems };
      const document = given.openapi.startsWith('3.0') ? upgrade(given) : structuredClone(given);
      settlePathItems(document);
      nameOperations(document);
      return { document, problems };
    },
  };
}

/** References that lead nowhere, or out of the document: types are written from it alone. */
function brokenReferences(document: OpenApiDocument): string[] {
  const broken = new Set<string>();
  const visit = (value: Json): void => {
    if (Array.isArray(value)) for (const item of value) visit(item);
    if (!isObject(value)) return;
    for (const [keyword, member] of Object.entries(value)) {
      if (keyword === '$ref' && typeof member === 'string') check(member);
      else if (!['example', 'examples', 'default', 'const', 'enum'].includes(keyword) || isNamed(member))
        visit(member);
    }
  };
  const check = (reference: string): void => {
    if (!reference.startsWith('#')) {
      broken.add(`${reference} is in another file. Bundle the document into one file first.`);
      return;
    }
    try {
      dereference(document, { $ref: reference });
    } catch {
      broken.add(`${reference} leads nowhere, or round to itself. Add what it names, or mend the reference.`);
    }
  };
  visit(document as unknown as Json);
  return [...broken];
}

/** A member that is called like a keyword, such as the answer or the property `default`, holds more keywords. */
function isNamed(member: Json): boolean {
  return (
    isObject(member) && ['$ref', 'content', 'type', 'properties', 'schema'].some((name) => name in member)
  );
}

/** Path items may be references (3.1, Path Item Object), which nothing after this expects. */
function settlePathItems(document: OpenApiDocument): void {
  for (const [path, item] of Object.entries(document.paths)) {
    document.paths[path] = structuredClone(dereference(document, item));
  }
}

/**
 * Gives an operation without an id one that follows from its method and path: `GET /carts/{cartId}/lines` is
 * `getCartsByCartIdLines`. Handlers, types and the table are keyed by it.
 */
function nameOperations(document: OpenApiDocument): void {
  const places = Object.keys(document.paths)
    .sort()
    .flatMap((path) =>
      methods.map((method) => ({ path, method, operation: document.paths[path]?.[method] })),
    );
  const taken = new Set(places.map(({ operation }) => operation?.operationId));
  for (const { path, method, operation } of places) {
    if (operation === undefined || operation.operationId !== undefined) continue;
    const words = path.split('/').flatMap((part) => wordsOf(part));
    const name = method + words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
    let id = name;
    for (let number = 2; taken.has(id); number += 1) id = `${name}${number}`;
    taken.add(id);
    operation.operationId = id;
  }
}

function wordsOf(part: string): string[] {
  return part
    .replaceAll('{', ' by ')
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');
}
