import { isObject, unescapeFragmentToken } from '../../contract/json-values.ts';
import { asObject, asText, fieldOf, type JsonObject } from './json.ts';

/** A parsed version of an OpenAPI 3 or Swagger 2 specification. */
export interface Specification {
  /** ID of the version. The content of a version never changes. */
  version: string;
  document: JsonObject;
}

/** A version of a specification that is read on demand. */
export interface StoredSpecification {
  version: string;
  /** Returns its JSON as UTF-8; undefined if it was deleted in the meantime. */
  readJson(): Promise<Uint8Array | undefined>;
}

/**
 * Finds the latest valid version of a specification by the slug or ID in content; undefined if there is none, or if
 * none was read yet.
 */
export type FindStoredSpecification = (spec: string) => Promise<StoredSpecification | undefined>;

/** The target of a reference. */
export interface Resolved {
  value: unknown;
  /** Name of the data model, if the target is one. */
  model?: string;
}

const MAX_REFERENCE_HOPS = 16;

/** Location of data models: in OpenAPI 3, and in Swagger 2. */
const MODELS = [['components', 'schemas'], ['definitions']] as const;

/** Returns the data models of a specification by name. */
export function modelsOf(document: JsonObject): JsonObject {
  return asObject(
    fieldOf(asObject(fieldOf(document, 'components')), 'schemas') ?? fieldOf(document, 'definitions'),
  );
}

/**
 * Resolves `$ref` within the document. References to other documents, missing targets and cycles resolve to an empty
 * object with no more than a name.
 */
export function resolve(document: JsonObject, value: unknown): Resolved {
  let current: Resolved = { value };
  for (let hops = 0; isObject(current.value) && typeof current.value.$ref === 'string'; hops++) {
    const ref = current.value.$ref;
    const path = ref.startsWith('#')
      ? ref.slice(1).split('/').slice(1).map(unescapeFragmentToken)
      : undefined;
    if (hops === MAX_REFERENCE_HOPS || !path) {
      return { value: {}, model: current.model ?? ref.split('/').at(-1) ?? ref };
    }
    let target: unknown = document;
    for (const step of path) {
      target = Array.isArray(target) ? target[Number(step)] : fieldOf(asObject(target), step);
    }
    const model = modelName(path) ?? current.model;
    current = { value: target ?? {}, ...(model !== undefined && { model }) };
  }
  return current;
}

/** Resolves references and returns the target as an object. */
export const resolveObject = (document: JsonObject, value: unknown): JsonObject =>
  asObject(resolve(document, value).value);

/** Returns the name of the data model at the path of a JSON pointer. */
function modelName(path: readonly string[]): string | undefined {
  const isModel = MODELS.some(
    (prefix) => path.length === prefix.length + 1 && prefix.every((step, at) => path[at] === step),
  );
  return isModel ? path.at(-1) : undefined;
}

/** Returns the title of a specification. */
export const titleOf = (document: JsonObject): string =>
  asText(asObject(document.info).title) || 'API reference';
