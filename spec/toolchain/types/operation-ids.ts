import { isObject, type Json, type OpenApiDocument, operationsOf } from '../document.ts';
import { ts } from './libraries.ts';

/** Operation ids by the names that replace them. */
type OperationIds = ReadonlyMap<string, string>;

/** The library changes some characters of operation ids, and interprets others as parts of a reference. */
const SAFE_ID = /^[\w$./ -]+$/;

/**
 * Replaces the operation ids that the library would change, and removes those of other operations than of `paths` that
 * are not unique: the library declares an operation by its id, and one without an id where it is. Modifies the document,
 * and returns the ids by their names.
 */
export function withSafeOperationIds(document: OpenApiDocument): OperationIds {
  removeRepeatedIds(document);
  const ids = new Map<string, string>();
  for (const [index, operation] of operationsOf(document).entries()) {
    const { operationId } = operation;
    if (operationId !== undefined && !SAFE_ID.test(operationId)) {
      operation.operationId = `operation${index} of the document`;
      ids.set(operation.operationId, operationId);
    }
  }
  return ids;
}

/** A path item of the components has the ids of the operations of `paths` and `webhooks` that refer to it. */
function removeRepeatedIds({ paths, webhooks = {}, components }: OpenApiDocument): void {
  const ids = new Set<Json>();
  const objectsIn = (value: Json | undefined) =>
    isObject(value) ? Object.values(value).filter(isObject) : [];
  const items = [paths as Json, webhooks, components?.pathItems].flatMap(objectsIn);
  for (const operation of items.flatMap(objectsIn)) {
    const { operationId } = operation;
    if (operationId !== undefined && ids.has(operationId)) {
      delete operation.operationId;
    } else if (operationId !== undefined) {
      ids.add(operationId);
    }
  }
}

/** Replaces names by the operation ids that they stand for. */
export function restoreOperationIds(declarations: readonly ts.Node[], ids: OperationIds): ts.Node[] {
  const restore = (node: ts.Node): ts.Node => {
    if (ts.isStringLiteral(node)) {
      const id = ids.get(node.text);
      return id === undefined ? node : ts.factory.createStringLiteral(id);
    }
    return ts.visitEachChild(node, restore, undefined);
  };
  return ids.size === 0 ? [...declarations] : declarations.map(restore);
}
