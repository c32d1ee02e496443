import {
  astToString,
  type GlobalContext,
  resolveRef,
  scanDiscriminators,
  transformSchema,
} from 'openapi-typescript';
import {
  dereference,
  isErrorStatus,
  type OpenApiDocument,
  operationsOf,
  type Reference,
  type Response,
} from './document.ts';

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
 * The TypeScript declarations of a document: `paths`, `components`, `operations`. Error responses with the same body as
 * the `default` response are left out, since a caller's error type is the union of the bodies.
 *
 * The only file that knows which library writes them, so that another can take its place. It calls the library's
 * transformation alone: its front door also lints and bundles, which takes several times as long and gives the
 * same result for a document that stands on its own, as ours do.
 */
export function schemaTypes(document: OpenApiDocument): string {
  // The library's type of a document asks for more than OpenAPI does, and it may change what it is given.
  const schema = withoutRepeatedErrors(document) as unknown as Parameters<typeof transformSchema>[0];
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
  return plainComments(astToString(transformSchema(schema, context as GlobalContext)));
}

/** Declarations whose comments are plain text: the library tags descriptions with `@description`, which no editor knows. */
export function plainComments(declarations: string): string {
  return declarations
    .replaceAll(/^(\s*\/\*\*(?:\n\s*\*)?) @description /gm, '$1 ')
    .replaceAll(/^(\s*)\* @description /gm, '$1*\n$1* ');
}

/** A copy of a document without the error responses that have the same body as the operation's `default`. */
export function withoutRepeatedErrors(document: OpenApiDocument): OpenApiDocument {
  const copy = structuredClone(document);
  const bodyOf = (response: Response | Reference) => JSON.stringify(dereference(document, response).content);
  for (const operation of operationsOf(copy)) {
    const fallback = operation.responses?.default;
    if (fallback === undefined) continue;
    operation.responses = Object.fromEntries(
      Object.entries(operation.responses ?? {}).filter(
        ([status, response]) =>
          status === 'default' || !isErrorStatus(status) || bodyOf(response) !== bodyOf(fallback),
      ),
    );
  }
  const paths = JSON.stringify(copy.paths);
  const shared = Object.entries(copy.components?.responses ?? {});
  const used = shared.filter(([name]) => paths.includes(`"#/components/responses/${name}"`));
  return { ...copy, components: { ...copy.components, responses: Object.fromEntries(used) } };
}
