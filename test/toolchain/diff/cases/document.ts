import type { Json, JsonObject } from '../../../../spec/toolchain/document.ts';
import { diffDocuments, documentOf } from '../../../../spec/toolchain/main.ts';

/** Parts of a small document in addition to its operation. */
export interface Parts {
  openapi?: string;
  /** `components.schemas`. */
  schemas?: JsonObject;
  securitySchemes?: JsonObject;
  security?: Json;
  servers?: Json;
  webhooks?: JsonObject;
  paths?: JsonObject;
}

/** Builds a document, of OpenAPI 3.1 by default. */
export function documentWith({
  openapi = '3.1.0',
  schemas = {},
  securitySchemes = {},
  ...rest
}: Parts): JsonObject {
  return {
    openapi,
    info: { title: 'Small', version: '1.0.0' },
    paths: {},
    components: { schemas, securitySchemes },
    ...rest,
  };
}

/** Builds a document with one operation, `useWidget` at `POST /widget`. */
export function operationWith(operation: JsonObject, parts: Parts = {}): JsonObject {
  const responses = { 200: { description: 'Done.' } };
  return documentWith({
    paths: { '/widget': { post: { operationId: 'useWidget', responses, ...operation } } },
    ...parts,
  });
}

/** Builds a document with an operation that has a JSON body, named `request body` in changes. */
export function requestOf(schema: Json, parts: Parts = {}): JsonObject {
  return operationWith(
    { requestBody: { required: true, content: { 'application/json': { schema } } } },
    parts,
  );
}

/** Builds a document with an operation that returns a JSON body, named `response 200` in changes. */
export function responseOf(schema: Json, parts: Parts = {}): JsonObject {
  const responses = { 200: { description: 'Done.', content: { 'application/json': { schema } } } };
  return operationWith({ responses }, parts);
}

/** A change in one line: `breaking clients | request body: a | request-enum-narrowed`. */
export type Line = string;

/** Returns the changes, one per line. */
export function linesOf(base: JsonObject, head: JsonObject): Line[] {
  return diffDocuments(documentOf('base', base), documentOf('head', head)).map(
    ({ level, affects, location, rule }) => `${level} ${affects} | ${location} | ${rule}`,
  );
}
