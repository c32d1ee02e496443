/**
 * The types library, and the API of TypeScript 5, which it requires. They are installed in this folder; the project's own
 * `typescript` has no stable API.
 */
export {
  astToString,
  default as openapiTypescript,
  type GlobalContext,
  resolveRef,
  scanDiscriminators,
  transformSchema,
} from 'openapi-typescript';
export { default as ts } from 'typescript';
