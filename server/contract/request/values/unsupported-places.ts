import {
  completeOperation,
  type HttpMethod,
  type OpenApiDocument,
  type OperationObject,
  operationsOf,
  type PathItem,
  UnresolvedReference,
} from '../../document.ts';
import { messageOf } from '../../errors.ts';
import { isObject } from '../../json-values.ts';
import { reachableProblems } from '../../validation/problems/reachable-problems.ts';
import { type PartProblem, unsupportedByOperation } from '../../validation/problems/unsupported.ts';
import { credentialReader } from '../credentials.ts';
import { operationTemplate } from '../paths/operation-template.ts';
import { templateKey } from '../paths/path-template.ts';
import { securityScheme } from '../security.ts';

/** An operation that a place concerns. */
export interface UnsupportedOperation {
  /** In lower case. */
  method: HttpMethod;
  path: string;
  /** Undefined if the operation has none. */
  id: string | undefined;
}

/** A place of a document that the router cannot serve. */
export interface UnsupportedPlace {
  /** The operations that it concerns: requests to them receive a 501. */
  operations: readonly UnsupportedOperation[];
  /** The part of the operation, such as `the query parameter filter`, or the JSON pointer of a schema. */
  place: string;
  /** Continues a sentence about the place. */
  reason: string;
}

/** Results by document. Routers of the same document share them. */
const checked = new WeakMap<OpenApiDocument, readonly UnsupportedPlace[]>();

/**
 * Returns all places of a document that the router cannot serve. It refuses the operations that they concern, and
 * serves all others.
 *
 * @throws Error if the document is not OpenAPI 3.1 or has no paths
 */
export function unsupportedPlaces(document: OpenApiDocument): readonly UnsupportedPlace[] {
  const places = checked.get(document) ?? findPlaces(document);
  checked.set(document, places);
  return places;
}

/** Returns a place as one line: the operations, the place and the reason. */
export function describePlace({ operations, place, reason }: UnsupportedPlace): string {
  const listed = operations.slice(0, MAX_LISTED_OPERATIONS).map(({ method, path, id }) => {
    return `${method.toUpperCase()} ${path}${id === undefined ? '' : ` (${id})`}`;
  });
  const others = operations.length - listed.length;
  return `${listed.join(', ')}${others > 0 ? ` and ${others} more` : ''}: ${sentenceOf(place, reason)}.`;
}

/** Maximum number of operations that a line lists. */
const MAX_LISTED_OPERATIONS = 3;

/** Returns why the router refuses operations, by {@link operationKey}. */
export function refusalReasons(document: OpenApiDocument): Map<string, string> {
  const reasons = new Map<string, string[]>();
  for (const { operations, place, reason } of unsupportedPlaces(document)) {
    for (const operation of operations) {
      const key = operationKey(operation);
      reasons.set(key, [...(reasons.get(key) ?? []), sentenceOf(place, reason)]);
    }
  }
  return new Map([...reasons].map(([key, sentences]) => [key, sentences.join('; ')]));
}

/** Returns the key of an operation in a document. */
export const operationKey = ({ method, path }: Pick<UnsupportedOperation, 'method' | 'path'>) =>
  `${method} ${path}`;

const sentenceOf = (place: string, reason: string) =>
  `${place}${place.startsWith('#') ? ': ' : ' '}${reason.replace(/\.$/, '')}`;

function findPlaces(document: OpenApiDocument): UnsupportedPlace[] {
  if (!/^3\.1\.\d+$/.test(document.openapi)) {
    throw new Error(
      `The document is OpenAPI ${document.openapi}, and the router serves 3.1: use the openapi.json that \`colophon generate\` writes.`,
    );
  }
  if (!isObject(document.paths)) {
    throw new Error('The document has no paths, so that there is nothing to serve.');
  }
  const places = new Map<string, UnsupportedPlace & { operations: UnsupportedOperation[] }>();
  const schemas = reachableProblems(document);
  const taken: Taken = { ids: new Map(), routes: new Map() };
  for (const [path, item] of Object.entries(document.paths)) {
    for (const [method, operation] of operationsOf(item)) {
      const refused: UnsupportedOperation = { method, path, id: operation.operationId };
      const inSchemas = schemas(operation, item.parameters);
      const own = [...inSchemas, ...operationProblems(document, item, operation, refused, taken)];
      for (const { place, reason } of own) {
        // A place in a shared part is listed once.
        const key = place.startsWith('#')
          ? sentenceOf(place, reason)
          : `${operationKey(refused)} ${place} ${reason}`;
        const known = places.get(key) ?? { operations: [], place, reason };
        known.operations.push(refused);
        places.set(key, known);
      }
    }
  }
  return [...places.values()];
}

/** The operation ids and the routes of the operations before one, each with its operation. */
interface Taken {
  ids: Map<string, string>;
  routes: Map<string, string>;
}

function operationProblems(
  document: OpenApiDocument,
  item: PathItem,
  declared: OperationObject,
  refused: UnsupportedOperation,
  taken: Taken,
): PartProblem[] {
  const { method, id } = refused;
  const name = `${method.toUpperCase()} ${refused.path}`;
  const problems: PartProblem[] = [];
  const report = (place: string, reason: string) => void problems.push({ place, reason });
  const sameId = taken.ids.get(id ?? '');
  if (id === undefined || sameId !== undefined) {
    report('the operation', id === undefined ? 'has no operationId' : `has the operationId of ${sameId}`);
  } else {
    taken.ids.set(id, name);
  }
  if (method === 'trace') {
    report('the method', 'TRACE is not supported: a server must not return the credentials of a request');
  }
  try {
    const template = operationTemplate(document, refused.path, item);
    const key = `${method} ${templateKey(template)}`;
    const same = taken.routes.get(key);
    if (same !== undefined) {
      report('the path', `differs from that of ${same} in the names of its parameters only`);
    }
    taken.routes.set(key, same ?? name);
  } catch (error) {
    report('the path', messageOf(error));
  }
  try {
    const operation = completeOperation(document, item, declared);
    problems.push(...unsupportedByOperation(document, operation, declared));
    problems.push(...securityProblems(document, operation));
  } catch (error) {
    // A reference that does not resolve is a problem of a schema or another shared part already.
    if (!(error instanceof UnresolvedReference)) {
      report('the operation', `cannot be read: ${messageOf(error)}`);
    }
  }
  return problems;
}

/** Returns the security schemes of an operation that the router does not support. */
export function securityProblems(
  document: OpenApiDocument,
  { security = [] }: OperationObject,
): PartProblem[] {
  const names = new Set(security.flatMap((requirement) => Object.keys(requirement)));
  return [...names].flatMap((name) => {
    const place = `the security scheme ${name}`;
    try {
      credentialReader(securityScheme(document, name), '');
      return [];
    } catch (error) {
      return [{ place, reason: `cannot be used: ${messageOf(error)}` }];
    }
  });
}
