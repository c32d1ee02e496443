import { isMultipart } from '../../../server/contract/media-types.ts';
import { dereference, isObject, type Json, type JsonObject, type OpenApiDocument } from '../document.ts';
import { readAs } from '../media-types.ts';
import { eachObject, rewriteObjects } from '../rewrite.ts';
import { reach } from './open-responses.ts';

/**
 * Copies a document with `format: binary` in each schema of binary data, as in OpenAPI 3.0. In 3.1, these have a
 * `contentMediaType` without `contentEncoding`, and parts of a multipart body can have no keywords. The format is
 * removed from schemas of JSON and parameters, since their values are texts.
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
  removeFromTexts(copy);
  return copy;
}

/** Removes the format from the schemas of JSON and parameters, except those that other bodies also contain. */
function removeFromTexts(document: OpenApiDocument): void {
  const schemas: Record<'text' | 'binary', Json[]> = { text: [], binary: [] };
  // Both are JSON, although their types list only some members.
  eachObject([document.paths, document.components ?? {}] as Json[], ({ content, in: location, schema }) => {
    for (const [type, media] of Object.entries(isObject(content) ? content : {})) {
      if (isObject(media) && media.schema !== undefined) {
        schemas[readAs(type) === 'json' ? 'text' : 'binary'].push(media.schema);
      }
    }
    if (location !== undefined && schema !== undefined) {
      schemas.text.push(schema);
    }
  });
  const binary = reach(document, schemas.binary);
  for (const object of reach(document, schemas.text)) {
    if (object.format === 'binary' && !binary.has(object)) {
      delete object.format;
    }
  }
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

/** Keywords of schemas with text or JSON values. */
const KEYWORDS = ['type', '$ref', 'allOf', 'anyOf', 'oneOf', 'const', 'enum', 'properties', 'not'];
