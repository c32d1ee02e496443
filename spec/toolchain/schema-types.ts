import {
  astToString,
  type GlobalContext,
  resolveRef,
  scanDiscriminators,
  transformSchema,
} from 'openapi-typescript';
import type { OpenApiDocument } from './document.ts';

/** Every choice of the library, named; all but one are its defaults. */
const choices = {
  // A field with a default stays optional in requests; whoever answers fills it in.
  defaultNonNullable: false,
  additionalProperties: false,
  alphabetize: false,
  arrayLength: false,
  conditionalEnums: false,
  dedupeEnums: false,
  emptyObjectsUnknown: false,
  enum: false,
  enumValues: false,
  excludeDeprecated: false,
  exportType: false,
  generatePathParams: false,
  immutable: false,
  makePathsEnum: false,
  pathParamsAsTypes: false,
  propertiesRequiredByDefault: false,
  readWriteMarkers: false,
  rootTypes: false,
  rootTypesKeepCasing: false,
  rootTypesNoSchemaPrefix: false,
  silent: true,
};

/**
 * The TypeScript declarations of a document: `paths`, `components`, `operations`.
 *
 * The only file that knows which library writes them, so that another can take its place. It calls the library's
 * transformation alone: its front door also lints and bundles, which takes several times as long and gives the
 * same result for a document that stands on its own, as ours do.
 */
export function schemaTypes(document: OpenApiDocument): string {
  // The library's type of a document asks for more than OpenAPI does, and it may change what it is given.
  const schema = structuredClone(document) as unknown as Parameters<typeof transformSchema>[0];
  const context: Omit<GlobalContext, 'redoc'> = {
    ...choices,
    transform: undefined,
    transformProperty: undefined,
    postTransform: undefined,
    discriminators: scanDiscriminators(schema, choices),
    injectFooter: [],
    resolve: <Found>(reference: string) => resolveRef<Found>(schema, reference, { silent: true }),
  };
  // What the cast leaves out, the settings of the linter, is for the front door alone.
  return astToString(transformSchema(schema, context as GlobalContext));
}
