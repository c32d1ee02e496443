/** The types library, and the API of TypeScript 5, which it requires. Both are installed in this folder. */
export {
  astToString,
  default as openapiTypescript,
  type GlobalContext,
  resolveRef,
  scanDiscriminators,
  transformSchema,
  transformSchemaObject,
} from 'openapi-typescript';
export { default as ts } from 'typescript';
