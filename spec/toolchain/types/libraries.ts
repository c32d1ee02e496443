/// <reference path="./library-modules.d.ts" />

/**
 * The types library, and the API of TypeScript 5, which it requires. Both are installed in this folder. The modules of the
 * library are imported one by one: its entry point also loads a linter, which takes a tenth of a second.
 */
export type { GlobalContext } from 'openapi-typescript';
export { astToString } from 'openapi-typescript/dist/lib/ts.mjs';
export { resolveRef } from 'openapi-typescript/dist/lib/utils.mjs';
export { default as transformSchema } from 'openapi-typescript/dist/transform/index.mjs';
export { default as transformSchemaObject } from 'openapi-typescript/dist/transform/schema-object.mjs';
export { default as ts } from 'typescript';

/** Loads the entry point of the library. */
export const loadEntryPoint = () => import('openapi-typescript');
