import { getEncode, type ModelProperty, type Program, walkPropertiesInherited } from '@typespec/compiler';
import { createMetadataInfo, getAllHttpServices, type HttpOperation, Visibility } from '@typespec/http';
import {
  type Content,
  dereference,
  type OpenApiDocument,
  type RequestBody,
  type Response,
} from '../document.ts';

/**
 * Repairs bodies that the emitter emits differently from their declaration in the contract, in place:
 * - the encoding of bytes that are a whole body (`@encode`), which it ignores
 * - bodies of GET and HEAD without properties, because all properties of their model belong to other operations
 */
export function repairBodies(program: Program, document: OpenApiDocument): void {
  const [services] = getAllHttpServices(program);
  for (const { operations } of services) {
    for (const operation of operations) {
      const emitted = document.paths[operation.path]?.[operation.verb];
      if (emitted === undefined) {
        continue;
      }
      const { body } = operation.parameters;
      if (emitted.requestBody !== undefined && isEmptied(program, operation)) {
        delete emitted.requestBody;
      } else if (emitted.requestBody !== undefined && body?.bodyKind === 'single') {
        encode(program, body.property, dereference<RequestBody>(document, emitted.requestBody).content);
      }
      for (const { statusCodes, responses } of operation.responses) {
        const declared = emitted.responses?.[String(statusCodes)];
        for (const response of declared === undefined ? [] : responses) {
          if (response.body?.bodyKind === 'single' && declared !== undefined) {
            encode(program, response.body.property, dereference<Response>(document, declared).content);
          }
        }
      }
    }
  }
}

/** Whether the body of GET or HEAD has no property that these operations send. */
function isEmptied(program: Program, { verb, parameters: { body } }: HttpOperation): boolean {
  if ((verb !== 'get' && verb !== 'head') || body?.bodyKind !== 'single' || body.type.kind !== 'Model') {
    return false;
  }
  const info = createMetadataInfo(program);
  const properties = [...walkPropertiesInherited(body.type)];
  return (
    properties.length > 0 &&
    body.type.indexer === undefined &&
    properties.every((property) => !info.isPayloadProperty(property, Visibility.Query))
  );
}

/** Sets the encoding of bytes that are a whole body. */
function encode(program: Program, property: ModelProperty | undefined, content: Content = {}): void {
  const encoding = property && getEncode(program, property)?.encoding;
  for (const { schema } of encoding === undefined ? [] : Object.values(content)) {
    if (schema?.contentEncoding !== undefined && encoding !== undefined) {
      schema.contentEncoding = encoding;
    }
  }
}
