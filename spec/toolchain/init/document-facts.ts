import {
  dereference,
  isErrorStatus,
  isObject,
  type JsonObject,
  type OpenApiDocument,
  operationsOf,
} from '../document.ts';

/** Path of the first server of a document, without a slash at its end; empty if there is none. */
export function basePathOf(document: OpenApiDocument): string {
  // Members that the toolchain does not read have no type.
  const { servers } = document as unknown as JsonObject;
  const [server] = Array.isArray(servers) ? servers : [];
  if (!isObject(server) || typeof server.url !== 'string') {
    return '';
  }
  const url = server.url.replace(/\{([^{}]+)\}/g, (_, name: string) => defaultOf(server, name));
  const absolute = URL.canParse(url, 'http://localhost') ? new URL(url, 'http://localhost') : undefined;
  return absolute?.pathname.replace(/\/+$/, '') ?? '';
}

/** Default value of a variable of a server. */
function defaultOf({ variables }: JsonObject, name: string): string {
  const variable = isObject(variables) ? variables[name] : undefined;
  return isObject(variable) ? String(variable.default) : '';
}

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
