import { patternOf } from '../../../server/contract/validation/patterns/patterns.ts';
import {
  dereference,
  isObject,
  type Json,
  type JsonObject,
  METHODS,
  type OpenApiDocument,
} from '../document.ts';
import { COMPOSING_KEYWORDS, eachObject } from '../rewrite.ts';

/**
 * Opens the sealed objects that occur only in what a server sends: clients must ignore undeclared properties, or no
 * response could be extended. Modifies the document. Sealed remain:
 * - objects that a server receives, even if it also sends them: undeclared properties of requests are errors.
 * - variants of a `oneOf` that, if open, would also match values of another variant.
 */
export function openResponses(document: OpenApiDocument): void {
  const { received, sent } = bodiesOf(document);
  const requests = reach(document, received);
  const responses = [...reach(document, sent)].filter((object) => !requests.has(object));
  const ambiguous = new Set(responses.flatMap((object) => ambiguousVariants(document, object)));
  for (const object of responses) {
    if (isSealed(object) && !ambiguous.has(object)) {
      open(object);
    }
  }
}

/** Parts of a document by direction. */
interface Bodies {
  received: Json[];
  sent: Json[];
}

/** Returns the bodies, parameters and headers of a document by direction. */
export function bodiesOf(document: OpenApiDocument): Bodies {
  const bodies: Bodies = { received: [], sent: [] };
  for (const item of Object.values(document.paths)) {
    // A path item is JSON, although its type lists only some members.
    addBodies(document, item as Json, bodies);
  }
  for (const item of Object.values(document.webhooks ?? {})) {
    addBodies(document, item, reversed(bodies));
  }
  return bodies;
}

/** Webhooks and callbacks are requests of the server. */
const reversed = ({ received, sent }: Bodies): Bodies => ({ received: sent, sent: received });

function addBodies(document: OpenApiDocument, pathItem: Json, bodies: Bodies): void {
  const item = dereference(document, pathItem);
  if (!isObject(item)) {
    return;
  }
  bodies.received.push(item.parameters ?? []);
  for (const method of METHODS) {
    const operation = item[method];
    if (!isObject(operation)) {
      continue;
    }
    bodies.received.push(operation.parameters ?? [], operation.requestBody ?? {});
    // In an object, because `default` is the name of a response here.
    bodies.sent.push({ responses: operation.responses ?? {} });
    for (const callback of Object.values(operation.callbacks ?? {})) {
      for (const callbackItem of Object.values(dereference<Json>(document, callback) ?? {})) {
        addBodies(document, callbackItem, reversed(bodies));
      }
    }
  }
}

/** Returns all objects within parts of a document, and those that they refer to. */
export function reach(document: OpenApiDocument, roots: readonly Json[]): Set<JsonObject> {
  const reached = new Set<JsonObject>();
  const references = new Set<string>();
  const queue = [...roots];
  // Also iterates over what is added in the meantime.
  for (const root of queue) {
    eachObject(root, (object) => {
      reached.add(object);
      if (typeof object.$ref === 'string' && !references.has(object.$ref)) {
        references.add(object.$ref);
        queue.push(dereference<Json>(document, { $ref: object.$ref }));
      }
    });
  }
  return reached;
}

/** An object without declared names is a map, and its patterns restrict its names. */
function isSealed(schema: JsonObject): boolean {
  const isMap = 'patternProperties' in schema && !('properties' in schema);
  return (schema.additionalProperties === false || schema.unevaluatedProperties === false) && !isMap;
}

function open(schema: JsonObject): void {
  for (const keyword of ['additionalProperties', 'unevaluatedProperties']) {
    if (schema[keyword] === false) {
      delete schema[keyword];
    }
  }
  if (!COMPOSING_KEYWORDS.some((keyword) => keyword in schema)) {
    // An object without `properties` would be a map of anything.
    schema.properties ??= {};
  }
}

/** Returns the variants of a `oneOf` that an object of another variant can match if they are open. */
function ambiguousVariants(document: OpenApiDocument, { oneOf }: JsonObject): JsonObject[] {
  const variants = Array.isArray(oneOf) ? oneOf.map((one) => dereference<Json>(document, one)) : [];
  const objects = variants.filter(isObject);
  return objects.filter((other) => objects.some((one) => one !== other && canMatch(document, one, other)));
}

/** Whether an object with the properties of one schema can have all required properties of another one. */
function canMatch(document: OpenApiDocument, one: JsonObject, other: JsonObject): boolean {
  const { properties: available = {} } = one;
  const { properties: others = {}, required = [] } = other;
  if (!isObject(available) || !isObject(others) || !Array.isArray(required)) {
    return false;
  }
  return required.every(
    (name) =>
      typeof name === 'string' &&
      Object.hasOwn(available, name) &&
      canBeEqual(schemaOf(document, available[name]), schemaOf(document, others[name])),
  );
}

/** Whether a value can match two schemas, as far as constants and patterns decide. */
function canBeEqual(one: JsonObject, other: JsonObject): boolean {
  const [values, others] = [valuesOf(one), valuesOf(other)];
  if (values && others) {
    return values.some((value) => others.includes(value));
  }
  const { pattern } = values ? other : one;
  const constants = values ?? others;
  return !constants || typeof pattern !== 'string' || constants.some((value) => matches(pattern, value));
}

/** Whether a value matches a pattern. A pattern that does not compile with the flag u may match any text. */
function matches(pattern: string, value: Json): boolean {
  if (typeof value !== 'string') {
    return false;
  }
  try {
    return patternOf(pattern, { deadline: 'comparison' }).test(value);
  } catch {
    return true;
  }
}

/** Returns the values of an enum or a constant. */
function valuesOf({ const: constant, enum: members }: JsonObject): Json[] | undefined {
  return Array.isArray(members) ? members : constant === undefined ? undefined : [constant];
}

function schemaOf(document: OpenApiDocument, schema: Json | undefined): JsonObject {
  const target = dereference<Json | undefined>(document, schema);
  return isObject(target) ? target : {};
}
