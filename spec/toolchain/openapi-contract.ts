import type { CompileResult, ContractCompiler } from './contract.ts';
import { dereference, type Json, methods, type OpenApiDocument } from './document.ts';
import type { Problem } from './problem.ts';
import type { Project } from './project.ts';
import { eachObject } from './rewrite.ts';
import { readSource } from './source.ts';
import { upgrade } from './upgrade.ts';

/**
 * Creates the compiler of a contract that is an OpenAPI 3.0 or 3.1 document in JSON or YAML. Its result is a
 * self-contained 3.1 document in which each operation has an id.
 */
export function createDocumentReader(project: Project): ContractCompiler {
  return {
    async compile(): Promise<CompileResult> {
      const { root } = await readSource(project.contract, project.root);
      // Members are validated where they are read.
      const source = {
        ...root,
        info: root.info ?? {},
        paths: root.paths ?? {},
      } as unknown as OpenApiDocument;
      const problems = unresolvedReferences(source).map(
        (message): Problem => ({ severity: 'error', code: 'reference', message, file: project.contract }),
      );
      if (problems.length > 0) {
        return { problems };
      }
      const document = source.openapi.startsWith('3.0') ? upgrade(source) : structuredClone(source);
      resolvePathItems(document);
      assignOperationIds(document);
      return { document, problems };
    },
  };
}

/** Reports external references and references that do not resolve: types are generated from this document alone. */
function unresolvedReferences(document: OpenApiDocument): string[] {
  const messages = new Set<string>();
  const check = (reference: string): void => {
    if (!reference.startsWith('#')) {
      messages.add(`Reference ${reference} points to another file. Bundle the document into one file first.`);
      return;
    }
    try {
      dereference(document, { $ref: reference });
    } catch {
      messages.add(
        `Reference ${reference} does not resolve or is circular. Add its target, or correct the reference.`,
      );
    }
  };
  eachObject(document as unknown as Json, ({ $ref }) => {
    if (typeof $ref === 'string') {
      check($ref);
    }
  });
  return [...messages];
}

/**
 * Replaces path items that are references (3.1, Path Item Object), and removes the extensions of `paths` and
 * `responses`: the next steps expect only path items and responses there.
 */
function resolvePathItems(document: OpenApiDocument): void {
  document.paths = withoutExtensions(document.paths);
  for (const [path, item] of Object.entries(document.paths)) {
    const resolved = structuredClone(dereference(document, item));
    document.paths[path] = resolved;
    for (const method of methods) {
      const operation = resolved[method];
      if (operation?.responses) {
        operation.responses = withoutExtensions(operation.responses);
      }
    }
  }
}

function withoutExtensions<Member>(members: Record<string, Member>): Record<string, Member> {
  return Object.fromEntries(Object.entries(members).filter(([name]) => !name.startsWith('x-')));
}

/**
 * Derives missing operation ids from method and path: `getCartsByCartIdLines` for `GET /carts/{cartId}/lines`.
 * Handlers, types and the operation table use them as keys.
 */
function assignOperationIds(document: OpenApiDocument): void {
  const operations = Object.keys(document.paths)
    .sort()
    .flatMap((path) =>
      methods.map((method) => ({ path, method, operation: document.paths[path]?.[method] })),
    );
  const ids = new Set(operations.map(({ operation }) => operation?.operationId));
  for (const { path, method, operation } of operations) {
    if (operation === undefined || operation.operationId !== undefined) {
      continue;
    }
    const words = path.split('/').flatMap((part) => wordsOf(part));
    const name = method + words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
    let id = name;
    for (let number = 2; ids.has(id); number += 1) {
      id = `${name}${number}`;
    }
    ids.add(id);
    operation.operationId = id;
  }
}

function wordsOf(part: string): string[] {
  return part
    .replaceAll('{', ' by ')
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');
}
