import { dereference, isObject, type Json, type JsonObject, type OpenApiDocument } from './document.ts';
import { isMultipart, readAs } from './media-types.ts';
import { eachObject, rewriteObjects } from './rewrite.ts';

/**
 * Copies a document with `format: binary` in each schema of binary data, as in OpenAPI 3.0. In 3.1, these have a
 * `contentMediaType` without `contentEncoding`, and parts of a multipart body can have no keywords.
 */
export function markBinary(document: OpenApiDocument): OpenApiDocument {
  const copy = rewriteObjects(document, (object) => {
    const { contentMediaType, contentEncoding, type = 'string' } = object;
    const isBinary =
      typeof contentMediaType === 'string' &&
      contentEncoding === undefined &&
      type === 'string' &&
      readAs(contentMediaType) === 'blob';
    return isBinary ? { ...object, type, format: 'binary' } : object;
  });
  // Both are JSON, although their types list only some members.
  eachObject([copy.paths, copy.components ?? {}] as Json[], ({ content }) => {
    for (const [type, media] of Object.entries(isObject(content) ? content : {})) {
      if (isMultipart(type) && isObject(media)) {
        markParts(copy, media.schema);
      }
    }
  });
  return copy;
}

/** Marks the parts of a multipart body without keywords. */
function markParts(document: OpenApiDocument, declared: Json | undefined): void {
  const schema = dereference<Json | undefined>(document, declared);
  if (!isObject(schema) || !isObject(schema.properties)) {
    return;
  }
  for (const part of Object.values(schema.properties)) {
    const item = isObject(part) && isObject(part.items) ? part.items : part;
    if (isObject(item) && !KEYWORDS.some((keyword) => keyword in item)) {
      Object.assign(item satisfies JsonObject, { type: 'string', format: 'binary' });
    }
  }
}

/** Keywords of schemas whose values are text or JSON. */
const KEYWORDS = ['type', '$ref', 'allOf', 'anyOf', 'oneOf', 'const', 'enum', 'properties', 'not'];
