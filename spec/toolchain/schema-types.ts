import openapiTypescript, { astToString } from 'openapi-typescript';
import type { OpenApiDocument } from './document.ts';

/**
 * The TypeScript declarations of a document: `paths`, `components`, `operations`.
 * The only file that knows which library writes them, so that another can take its place.
 */
export async function schemaTypes(document: OpenApiDocument): Promise<string> {
  // As text, since the library changes the object that it is given.
  const syntax = await openapiTypescript(JSON.stringify(document), {
    // A field with a default stays optional in requests; answers fill it in the server.
    defaultNonNullable: false,
    silent: true,
  });
  return astToString(syntax);
}
