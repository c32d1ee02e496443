import {
  dereference,
  isErrorStatus,
  isObject,
  type JsonObject,
  type OpenApiDocument,
  operationsOf,
} from '../document.ts';

/** Format of the error responses of a document; the name of its folder of templates. */
export type DeclaredErrors = 'envelope' | 'problem-details' | 'other-errors';

/** Finds the format of the error responses: one of those that the server sends, or another one. */
export function declaredErrors(document: OpenApiDocument): DeclaredErrors {
  const contents = operationsOf(document).flatMap(({ responses = {} }) =>
    Object.entries(responses)
      .filter(([status]) => isErrorStatus(status))
      .map(([, response]) => dereference(document, response).content ?? {}),
  );
  if (contents.some((content) => 'application/problem+json' in content)) {
    return 'problem-details';
  }
  const schemas = contents.flatMap((content): JsonObject[] => {
    const { schema } = content['application/json'] ?? {};
    return schema === undefined ? [] : [schema];
  });
  const isEnvelope = (schema: JsonObject) => {
    const { properties } = dereference<JsonObject>(document, schema);
    return isObject(properties) && 'error' in properties;
  };
  return schemas.every(isEnvelope) ? 'envelope' : 'other-errors';
}
