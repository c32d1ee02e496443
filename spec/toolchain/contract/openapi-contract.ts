import { dereference, METHODS, type OpenApiDocument } from '../document.ts';
import { readDocument } from '../documents/read.ts';
import { capitalize } from '../names.ts';
import { hasErrors, type Problem } from '../problem.ts';
import type { Project } from '../project.ts';
import { documentOf } from '../source.ts';
import type { CompileResult, ContractCompiler } from './compiler.ts';
import { upgrade } from './upgrade.ts';

/**
 * Creates the compiler of a contract that is an OpenAPI or Swagger document, in one file or several. Its result is a
 * self-contained 3.1 document with an id for each operation.
 */
export function createDocumentReader(project: Project): ContractCompiler {
  return {
    async compile(): Promise<CompileResult> {
      const { root, problems, files: sources } = await readDocument(project.contract, project.root);
      if (hasErrors(problems)) {
        return { problems, sources };
      }
      // Limits the sizes of schemas before they are converted.
      documentOf(project.contract, root);
      // The reader validates what these types promise.
      const source = root as unknown as OpenApiDocument;
      const document = source.openapi.startsWith('3.0') ? upgrade(source) : source;
      resolvePathItems(document);
      const renamed = assignOperationIds(document);
      const warnings = renamed.map(
        (message): Problem => ({
          severity: 'warning',
          code: 'operation-id',
          message,
          file: project.contract,
        }),
      );
      return { document, problems: [...problems, ...warnings], sources };
    },
  };
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
    for (const method of METHODS) {
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
 * Makes the ids of operations unique, and derives missing ones from method and path: `getCartsByCartIdLines` for
 * `GET /carts/{cartId}/lines`. Handlers, types and the operation table use them as keys.
 *
 * @returns warnings about the ids that were changed
 */
function assignOperationIds(document: OpenApiDocument): string[] {
  const operations = Object.keys(document.paths)
    .sort()
    .flatMap((path) =>
      METHODS.flatMap((method) => {
        const operation = document.paths[path]?.[method];
        return operation === undefined ? [] : [{ path, method, operation }];
      }),
    );
  const ids = new Set(operations.map(({ operation }) => operation.operationId));
  const assigned = new Set<string>();
  return operations.flatMap(({ path, method, operation }) => {
    const declared = operation.operationId;
    if (declared !== undefined && !assigned.has(declared)) {
      assigned.add(declared);
      return [];
    }
    const words = path.split('/').flatMap((part) => wordsOf(part));
    const name = declared ?? method + words.map(capitalize).join('');
    let id = name;
    for (let number = 2; ids.has(id); number += 1) {
      id = `${name}${number}`;
    }
    ids.add(id);
    operation.operationId = id;
    return declared === undefined
      ? []
      : [
          `${method.toUpperCase()} ${path} has the operationId ${JSON.stringify(declared)} of another operation, so it is ${id}. Give it an id of its own.`,
        ];
  });
}

function wordsOf(part: string): string[] {
  return part
    .replaceAll('{', ' by ')
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');
}
