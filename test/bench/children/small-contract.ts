import { type OpenApiDocument, operationsOf, resolve } from '../../../server/contract/document.ts';
import { isObject, parseReference } from '../../../server/contract/json-values.ts';
import type { OperationRow } from '../../../server/contract/types.ts';

/** A contract with a part of the operations of another one. */
export interface SmallContract {
  document: OpenApiDocument;
  /** The rows of its operations, by operation id. */
  operations: Record<string, OperationRow>;
}

/** What a server that reads the small contract is started with. */
export interface ContractSettings extends SmallContract {
  validateResponses: boolean;
}

/** Restricts a contract to some operations, and its components to those that these refer to. */
export function selectOperations(
  { document, operations }: { document: OpenApiDocument; operations: Readonly<Record<string, OperationRow>> },
  ids: readonly string[],
): SmallContract {
  const paths: OpenApiDocument['paths'] = {};
  for (const [path, { parameters, ...item }] of Object.entries(document.paths)) {
    const selected = operationsOf(item).filter(([, { operationId }]) => ids.includes(operationId));
    if (selected.length > 0) {
      paths[path] = { ...(parameters && { parameters }), ...Object.fromEntries(selected) };
    }
  }
  const { openapi, info, security = [] } = document;
  const securitySchemes = document.components?.securitySchemes ?? {};
  const components = { ...componentsOf(document, paths), securitySchemes };
  return {
    document: { openapi, info, security, paths, components },
    operations: Object.fromEntries(Object.entries(operations).filter(([id]) => ids.includes(id))),
  };
}

/** Returns the components that a part of a document refers to, directly or not, by kind and name. */
function componentsOf(document: OpenApiDocument, part: unknown): Record<string, Record<string, unknown>> {
  const references = new Set<string>();
  const visit = (value: unknown): void => {
    if (isObject(value) && typeof value.$ref === 'string' && !references.has(value.$ref)) {
      references.add(value.$ref);
      visit(resolve(document, value.$ref));
    }
    if (typeof value === 'object' && value !== null) {
      Object.values(value).forEach(visit);
    }
  };
  visit(part);
  const components: Record<string, Record<string, unknown>> = {};
  for (const reference of references) {
    const [, kind = '', name = ''] = parseReference(reference);
    components[kind] = { ...components[kind], [name]: resolve(document, reference) };
  }
  return components;
}

const NAME = 'BENCH_CONTRACT';

/** Variable that passes a contract to a child. */
export function contractFor(settings: ContractSettings): Record<string, string> {
  return { [NAME]: JSON.stringify(settings) };
}

/** The contract from the parent. */
export function readSmallContract(): ContractSettings {
  return JSON.parse(process.env[NAME] ?? '{}');
}
