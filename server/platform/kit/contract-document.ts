import { readFileSync } from 'node:fs';
import type { OpenApiDocument } from '../../contract/document.ts';

let document: OpenApiDocument | undefined;

/** Reads the generated OpenAPI document, once for each process. */
export function readContract(): OpenApiDocument {
  // The file is generated, and `npm run check` compares it with the contract.
  document ??= JSON.parse(
    readFileSync(new URL('../../../generated/openapi.json', import.meta.url), 'utf8'),
  ) as OpenApiDocument;
  return document;
}
