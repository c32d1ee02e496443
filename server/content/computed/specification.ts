import { asObject, asText, fieldOf, isObject, type JsonObject } from './json.ts';

/** A version of an OpenAPI 3 or Swagger 2 specification, parsed. */
export interface Specification {
  /** The id of the version: what it names never changes. */
  version: string;
  document: JsonObject;
}

/**
 * The newest good version of the specification that content names by slug or id; undefined where there is none,
 * or where none was read yet.
 */
export type FindSpecification = (spec: string) => Promise<Specification | undefined>;

/** A version of a specification that is read when it is needed. */
export interface StoredSpecification {
  version: string;
  /** Its JSON; undefined where it was deleted meanwhile. */
  readJson(): Promise<string | undefined>;
}

/** Like {@link FindSpecification}, without reading what is found. */
export type FindStoredSpecification = (spec: string) => Promise<StoredSpecification | undefined>;

/** What a reference leads to. */
export interface Resolved {
  value: unknown;
  /** The name of the data model that it leads to, where it leads to one. */
  model?: string;
}

const MOST_HOPS = 16;

/** Where data models stand: in OpenAPI 3, and in Swagger 2. */
const MODELS = [['components', 'schemas'], ['definitions']] as const;

/** The data models of a specification by name. */
export function modelsOf(document: JsonObject): JsonObject {
  return asObject(
    fieldOf(asObject(fieldOf(document, 'components')), 'schemas') ?? fieldOf(document, 'definitions'),
  );
}

/**
 * Follows `$ref` within the document. One that leads out of it, nowhere, or in circles ends at an empty object,
 * which tells no more than its name.
 */
export function resolve(document: JsonObject, value: unknown): Resolved {
  let current: Resolved = { value };
  for (let hops = 0; isObject(current.value) && typeof current.value.$ref === 'string'; hops++) {
    const ref = current.value.$ref;
    const path = ref.startsWith('#') ? ref.slice(1).split('/').slice(1).map(decode) : undefined;
    if (hops === MOST_HOPS || !path)
      return { value: {}, model: current.model ?? ref.split('/').at(-1) ?? ref };
    let target: unknown = document;
    for (const step of path)
      target = Array.isArray(target) ? target[Number(step)] : fieldOf(asObject(target), step);
    const model = modelName(path) ?? current.model;
    current = { value: target ?? {}, ...(model !== undefined && { model }) };
  }
  return current;
}

/** What a value is once references are followed, as an object. */
export const resolveObject = (document: JsonObject, value: unknown): JsonObject =>
  asObject(resolve(document, value).value);

/** The name of the data model that a path of a JSON pointer leads to. */
function modelName(path: readonly string[]): string | undefined {
  const isModel = MODELS.some(
    (prefix) => path.length === prefix.length + 1 && prefix.every((step, at) => path[at] === step),
  );
  return isModel ? path.at(-1) : undefined;
}

/** A step of a JSON pointer in a URI fragment (RFC 6901, sections 3 and 6). */
function decode(step: string): string {
  let text = step;
  try {
    text = decodeURIComponent(step);
  } catch {
    // A percent sign that stands for itself.
  }
  return text.replaceAll('~1', '/').replaceAll('~0', '~');
}

/** The title of a specification. */
export const titleOf = (document: JsonObject): string =>
  asText(asObject(document.info).title) || 'API reference';
